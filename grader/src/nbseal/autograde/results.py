"""What became of each submission: records for the display, the summary and `--json`."""

from dataclasses import asdict, dataclass
from typing import Literal

from nbgrader.api import Grade

from nbseal.autograde.gradebook import GradedCell, NotebookRows
from nbseal.records import CellVerdict, CheckResult, GradedExecution


@dataclass(frozen=True)
class CellResult:
    """One graded cell. `score` is None where a person has to give it. `is_empty`: a person would
    have to, but nothing was handed in for it, and nbgrader gives 0."""

    grade_id: str
    score: float | None
    max_score: float
    failed: tuple[CheckResult, ...] = ()
    by_hand: bool = False  # scored by a person
    is_empty: bool = False

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The named mistakes among what failed."""
        return tuple(check.mistake for check in self.failed if check.mistake)

    def as_dict(self) -> dict:
        """As `--json` has it, where failed checks go by their labels."""
        return {
            "grade_id": self.grade_id,
            "score": self.score,
            "max_score": self.max_score,
            "by_hand": self.by_hand,
            "is_empty": self.is_empty,
            "failed": [check.label for check in self.failed],
            "mistakes": list(self.mistakes),
        }


@dataclass(frozen=True)
class NotebookResult:
    name: str
    score: float
    max_score: float
    late_penalty: float
    needs_manual_grade: bool
    problem: str | None
    flags: tuple[str, ...]
    cells: tuple[CellResult, ...]
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    repairs: tuple[str, ...] = ()  # what was done to the notebook before it was graded

    def as_dict(self) -> dict:
        return asdict(self) | {"cells": [cell.as_dict() for cell in self.cells]}


@dataclass(frozen=True)
class SubmissionResult:
    """`failed`: it could not be graded, has 0 points, and will be tried again by the next run."""

    student: str
    status: Literal["graded", "failed"]
    problem: str | None
    seconds: float  # from staging to commit, with time spent waiting
    writer_seconds: float  # of that, the writer's own work
    writer_cpu_seconds: float
    finished_after: float  # seconds from the start of the run
    notebooks: tuple[NotebookResult, ...]
    before: float | None = None  # the score that an earlier run gave; None where there was none

    @property
    def score(self) -> float:
        return sum(notebook.score - notebook.late_penalty for notebook in self.notebooks)

    @property
    def max_score(self) -> float:
        return sum(notebook.max_score for notebook in self.notebooks)

    @property
    def is_changed(self) -> bool:
        """Whether an earlier run gave another score."""
        return self.before is not None and abs(self.before - self.score) > 1e-9

    @property
    def needs_a_look(self) -> list[str]:
        """Reasons why a person should look at this submission."""
        reasons = [
            text
            for notebook in self.notebooks
            for text in (notebook.problem, *notebook.flags)
            if text
        ]
        return list(dict.fromkeys(([self.problem] if self.problem else []) + reasons))

    def as_dict(self) -> dict:
        notebooks = [notebook.as_dict() for notebook in self.notebooks]
        totals = {"score": self.score, "max_score": self.max_score}
        return asdict(self) | {"notebooks": notebooks} | totals


class Observer:
    """Is told how a run goes on; this one does not care."""

    def expects(self, submissions: int) -> None:
        """So many submissions were found; some of them may be skipped."""

    def machines(self, said: str) -> None:
        """What executes submissions now, where that is not this machine."""

    def skipped(self, student: str) -> None:
        """The student's submission was graded by an earlier run, or is excluded."""

    def finished(self, result: SubmissionResult) -> None:
        """One submission is done, and what the gradebook says about it is final."""


def notebook_result(
    rows: NotebookRows,
    execution: GradedExecution | None,
    problem: str | None,
    repair: dict | None = None,
) -> NotebookResult:
    """What the gradebook is about to keep for a notebook, what its execution took, and what had to
    be repaired."""
    notes, doubts = (
        ((), ()) if repair is None else (tuple(repair["notes"]), tuple(repair["doubts"]))
    )
    verdicts = {verdict.grade_id: verdict for verdict in execution.verdicts} if execution else {}
    cells = [
        _cell_result(cell, rows.grades[name], verdicts.get(name))
        for name, cell in rows.source.graded.items()
    ]
    return NotebookResult(
        rows.source.name,
        rows.score,
        rows.source.max_score,
        rows.row.late_submission_penalty or 0.0,
        any(grade.needs_manual_grade for grade in rows.grades.values()),
        problem or (execution.problem if execution else None),
        (*doubts, *(execution.flags if execution else ())),
        tuple(cells),
        seconds=execution.seconds if execution else 0.0,
        cpu_seconds=execution.cpu_seconds if execution else 0.0,
        peak_memory=execution.peak_memory if execution else 0,
        repairs=notes,
    )


def _cell_result(cell: GradedCell, grade: Grade, verdict: CellVerdict | None) -> CellResult:
    score, failed = grade.auto_score, verdict.failed if verdict else ()
    if not cell.by_hand:
        return CellResult(cell.name, score, cell.max_score, failed)
    if grade.manual_score is not None:
        return CellResult(cell.name, grade.manual_score, cell.max_score, failed, by_hand=True)
    return CellResult(cell.name, score, cell.max_score, failed, by_hand=True, is_empty=score == 0)
