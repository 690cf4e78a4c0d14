"""What a person sees while a class is being graded: one live line in a terminal, plain lines in a
log."""

import sys
import time

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from nbseal.autograde.results import Observer, SubmissionResult

PLAIN_EVERY = 10.0  # seconds between two lines of a log
COLUMNS = (
    "[bold]{task.description}",
    "{task.fields[failed]} failed",
    "{task.fields[rate]}{task.fields[on]}",
)


class ProgressDisplay(Observer):
    """Counts submissions, and shows done, failed, rate and time left. Use it as a context
    manager."""

    def __init__(self, assignment: str, console: Console | None = None):
        self._console = console or Console(file=sys.stderr)
        self._assignment = assignment
        self._live: Progress | None = None
        self._task = TaskID(0)
        self.results: list[SubmissionResult] = []
        self.already_graded: list[str] = []
        self._total = 0
        self._on = ""  # machines of a cluster
        self._began = self._said = time.monotonic()

    def __enter__(self) -> "ProgressDisplay":
        return self

    def __exit__(self, *_) -> None:
        if self._live is not None:
            self._live.stop()

    @property
    def done(self) -> int:
        return len(self.results)

    @property
    def failed(self) -> int:
        return sum(result.status == "failed" for result in self.results)

    @property
    def rate(self) -> float:
        """Submissions a second."""
        return self.done / max(time.monotonic() - self._began, 1e-9)

    def expects(self, submissions: int) -> None:
        self._total = submissions
        self._began = self._said = time.monotonic()
        if self._console.is_terminal:
            columns = (
                TextColumn(COLUMNS[0]),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn(COLUMNS[1]),
                TextColumn(COLUMNS[2]),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
            )
            self._live = Progress(*columns, console=self._console)
            self._task = self._live.add_task(
                self._assignment, total=submissions, failed=0, rate="", on=""
            )
            self._live.start()
        else:
            self._print(f"{self._assignment}: {submissions} submissions")

    def machines(self, said: str) -> None:
        self._on = f" on {said}" if said else ""

    def skipped(self, student: str) -> None:
        self.already_graded.append(student)
        self._total -= 1
        if self._live is not None:
            self._live.update(self._task, total=self._total)

    def finished(self, result: SubmissionResult) -> None:
        self.results.append(result)
        if self._live is not None:
            self._live.update(
                self._task,
                completed=self.done,
                failed=self.failed,
                rate=f"{self.rate:.1f}/s",
                on=self._on,
            )
        elif time.monotonic() - self._said >= PLAIN_EVERY or self.done == self._total:
            self._said = time.monotonic()
            left = (self._total - self.done) / self.rate
            self._print(
                f"{self._assignment}: {self.done} of {self._total} done, {self.failed} failed, "
                f"{self.rate:.1f} a second{self._on}, {left:.0f} s left"
            )

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
