"""What a report is made of: plain data."""

from dataclasses import dataclass, field
from datetime import datetime

from nbseal.records import CheckResult


@dataclass(frozen=True)
class Task:
    """One graded cell of the assignment. `key` tells it from those of other notebooks, `name` is
    what a reader sees."""

    key: str
    name: str
    max_score: float


@dataclass(frozen=True)
class WrongAnswer:
    """What was answered where a check failed and no mistake was named."""

    same: str  # equal for students who gave the same answer
    line: str | None  # to be pasted into the check's `mistakes`, where one can be written
    code: str  # of the student
    likely: str | None  # the mutant of the reference solution that gives this answer


@dataclass(frozen=True)
class Failure:
    """Why a task gave no points: the named mistake if there was one, else what the first failed
    check or error said."""

    task: str  # key
    check: CheckResult  # the first that failed, or one that failed by this mistake
    answer: WrongAnswer | None = None  # where no mistake was named

    @property
    def named(self) -> bool:
        return self.check.mistake is not None

    @property
    def text(self) -> str:
        return self.check.mistake or self.check.label


@dataclass(frozen=True)
class Submission:
    """One student's graded submission."""

    student: str
    name: str  # first and last name, or the student's id
    # key of a task -> points; None where a person still has to give them
    scores: dict[str, float | None]
    score: float  # after the late penalty
    max_score: float
    late_penalty: float = 0.0
    timestamp: datetime | None = None
    # None where the engine did not say: graded by nbgrader's own Execute
    seconds: float | None = None
    failures: tuple[Failure, ...] = ()
    repairs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()  # what the instructor should look at
    unreadable: bool = False
    empty: frozenset[str] = frozenset()  # tasks for a person to grade, where nothing was written
    feedback: tuple[str, ...] = ()  # links, relative to the page


@dataclass(frozen=True)
class ClassRecord:
    """An assignment, as far as it is graded."""

    assignment: str
    tasks: tuple[Task, ...]
    submissions: tuple[Submission, ...]
    not_graded: tuple[str, ...] = field(default=())  # handed in, but without a score
    not_handed_in: tuple[str, ...] = field(default=())

    @property
    def max_score(self) -> float:
        return sum(task.max_score for task in self.tasks)
