"""nbgrader's autograde application, with this project's converter, display and record."""

import gc
import logging
import sys
import time
from pathlib import Path

from nbgrader.apps import autogradeapp
from nbgrader.converters import NbGraderException
from rich.console import Console
from traitlets import Instance, default

from nbseal.autograde.faults import refuse_odd_path
from nbseal.autograde.progress import ProgressDisplay
from nbseal.autograde.run import ParallelAutograde
from nbseal.autograde.summary import RunSummary, print_summary, write_record
from nbseal.autograde.writing import SaveAutoGrades, SealedExecute
from nbseal.engine.zygote import Zygote
from nbseal.errors import CourseError
from nbseal.interrupts import INTERRUPTED
from nbseal.nbgrader_internals import start_application, take_assignment
from nbseal.notebook.text import plain


class AutogradeApp(autogradeapp.AutogradeApp):
    """Reads configuration and arguments as `nbgrader autograde` does."""

    record = Instance(Path, allow_none=True)  # what --json names
    zygote = Instance(Zygote, allow_none=True)  # one that was started ahead

    @default("classes")
    def _classes_default(self):
        return [*super()._classes_default(), ParallelAutograde, SealedExecute, SaveAutoGrades]

    @default("log_level")
    def _log_level_default(self) -> int:
        # the display says how it goes on; --log-level=INFO brings back nbgrader's lines
        return logging.WARNING

    def start(self) -> None:
        """Grade, and end the process: 0, 1 if a submission could not be graded, 130 if
        interrupted."""
        # what has been imported is no garbage, and need not be looked through again and again
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        start_application(self)
        take_assignment(self)
        if said := refuse_odd_path(self.coursedir.db_url):
            raise CourseError(said)
        self._log_through_the_display()
        with ProgressDisplay(self.coursedir.assignment_id) as display:
            began, exit_code = time.monotonic(), 0
            converter = ParallelAutograde(
                coursedir=self.coursedir, parent=self, observer=display, zygote=self.zygote
            )
            try:
                converter.start()
            except NbGraderException as error:
                exit_code = INTERRUPTED if _met_an_interrupt(error) else 1
            except KeyboardInterrupt:
                exit_code = INTERRUPTED
        summary = RunSummary(
            self.coursedir.assignment_id,
            display.results,
            display.already_graded,
            time.monotonic() - began,
            converter.workers,
            time.process_time(),
            exit_code == INTERRUPTED,
        )
        if self.record is not None:  # first: what is printed may be cut off by whoever reads it
            write_record(summary, self.record)
        if display.results or display.already_graded:
            print_summary(summary, Console())
        if exit_code == INTERRUPTED:
            how = " (without --force)" if converter.force else ""
            print(
                f"Interrupted. What is graded is saved: the same command goes on{how}.",
                file=sys.stderr,
            )
        sys.exit(exit_code)

    def _log_through_the_display(self) -> None:
        """Log to whatever sys.stderr is at the time: a live display puts itself there."""
        for handler in self.log.handlers:
            handler.addFilter(_is_news)
            handler.addFilter(_made_plain)
            if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
                handler.setStream(_CurrentStderr())


def _met_an_interrupt(error: BaseException | None) -> bool:
    """Whether an error was raised while Ctrl-C was being handled, as by a database that was
    interrupted."""
    seen = 0
    while error is not None and seen < 20:
        if isinstance(error, KeyboardInterrupt):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _is_news(record: logging.LogRecord) -> bool:
    """nbgrader warns of every old result that --force replaces: one line for each student."""
    return not str(record.msg).startswith(("Removing existing", "Updating existing"))


def _made_plain(record: logging.LogRecord) -> bool:
    """Names and reasons come from submissions: no log line acts on the terminal that shows it."""
    record.msg, record.args = plain(record.getMessage()), ()
    return True


class _CurrentStderr:
    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()
