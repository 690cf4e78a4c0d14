"""What a report is made of: plain data."""

from dataclasses import dataclass

from nbseal.records import CheckResult


@dataclass(frozen=True)
class Task:
    """One graded cell of the assignment. `key` tells it from those of other notebooks, `name` is
    what a reader sees."""

    key: str
    name: str
    max_score: float


@dataclass(frozen=True)
class Failure:
    """Why a task gave no points: the named mistake if there was one, else what the first failed
    check or error said."""

    task: str  # key
    check: CheckResult  # the first that failed, or one that failed by this mistake
    code: str = ""  # of the student, where no mistake was named

    @property
    def named(self) -> bool:
        return self.check.mistake is not None

    @property
    def text(self) -> str:
        return self.check.mistake or self.check.label

    @property
    def line(self) -> str | None:
        """What names this mistake in the check's `mistakes`, where it can be written."""
        answer = self.check.answer
        return f'"...": {answer},' if answer and answer[0] != "#" and not self.named else None


@dataclass(frozen=True)
class Number:
    """What a criterion compared in one submission, such as a loss."""

    task: str  # key
    label: str  # of the check
    value: float


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
    # None where the engine did not say: graded by nbgrader's own Execute
    seconds: float | None = None
    failures: tuple[Failure, ...] = ()
    numbers: tuple[Number, ...] = ()
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
    not_graded: tuple[str, ...] = ()  # handed in, but without a score
    not_handed_in: tuple[str, ...] = ()

    @property
    def max_score(self) -> float:
        return sum(task.max_score for task in self.tasks)
