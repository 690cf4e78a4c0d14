"""What the scores of a class say: what went wrong most, in which tasks. Arithmetic on records,
nothing else."""

from collections import defaultdict
from dataclasses import dataclass
from math import ceil, isfinite
from statistics import mean, median, pstdev

from nbseal.pages.report.records import ClassRecord, Failure, Submission, Task

FEWEST = 6  # submissions: with fewer, a correlation says nothing
BINS = 20  # of a histogram, at most


@dataclass(frozen=True)
class TaskResult:
    """How a class did in one task. Mean and shares are of those who answered and whose points are
    known."""

    task: Task
    mean: float | None = None
    solved: float = 0.0  # share with all points
    nothing: float = 0.0  # share with none
    # point-biserial: this task's points with the points of all other tasks
    correlation: float | None = None
    waiting: int = 0  # students whose points a person has yet to give
    empty: int = 0  # students who wrote nothing where a person would have graded

    @property
    def some(self) -> float:
        return max(0.0, 1 - self.solved - self.nothing)

    @property
    def share(self) -> float:
        """The part of its points that the class got."""
        return (self.mean or 0.0) / self.task.max_score if self.task.max_score else 0.0


@dataclass(frozen=True)
class Problem:
    """A reason for lost points, and who had it: a named mistake, or the same wrong answer to the
    same check."""

    task: Task
    example: Failure
    students: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.students)


@dataclass(frozen=True)
class Spread:
    """Mean, median and range of some numbers."""

    mean: float
    median: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class Bin:
    """A column of a histogram: from `low` up to `high`, which belongs to the last alone."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Measured:
    """What a criterion compared, in all submissions that came so far."""

    task: Task
    label: str
    spread: Spread
    bins: list[Bin]


def spread(values: list[float]) -> Spread | None:
    return Spread(mean(values), median(values), min(values), max(values)) if values else None


def histogram(values: list[float], low: float, high: float, width: float) -> list[Bin]:
    """The values in columns of one width, from `low` to at least `high`."""
    count = max(1, ceil((high - low) / width - 1e-9))
    counts = [0] * count
    for value in values:
        counts[min(count - 1, max(0, int((value - low) / width + 1e-9)))] += 1
    return [Bin(low + n * width, low + (n + 1) * width, one) for n, one in enumerate(counts)]


def score_histogram(record: ClassRecord) -> list[Bin]:
    """How many students have how many points; those with all have a column of their own."""
    values = [one.score for one in record.submissions]
    top = max(record.max_score, *values, 1.0)
    width = float(max(1, ceil(top / BINS)))
    return histogram(values, 0.0, top + width, width)


def measured(record: ClassRecord) -> list[Measured]:
    """The numbers of all criteria, in the order of the tasks."""
    tasks = {task.key: task for task in record.tasks}
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for submission in record.submissions:
        for one in submission.numbers:
            if one.task in tasks and isfinite(one.value):
                found[one.task, one.label].append(one.value)
    order = list(tasks)
    result = []
    for (task, label), values in sorted(found.items(), key=lambda item: order.index(item[0][0])):
        about = spread(values)
        if about and about.highest > about.lowest:
            width = (about.highest - about.lowest) / min(BINS, len(values))
            bins = histogram(values, about.lowest, about.highest, width)
            result.append(Measured(tasks[task], label, about, bins))
    return result


def task_results(record: ClassRecord) -> list[TaskResult]:
    """One for each task, in the notebook's order."""
    return [_task_result(task, record.submissions) for task in record.tasks]


def _task_result(task: Task, submissions: tuple[Submission, ...]) -> TaskResult:
    known = [(one, one.scores.get(task.key)) for one in submissions if task.key not in one.empty]
    scored = [(one, points) for one, points in known if points is not None]
    empty = sum(task.key in one.empty for one in submissions)
    waiting = sum(one.scores.get(task.key, 0) is None for one in submissions)
    if not scored:
        return TaskResult(task, waiting=waiting, empty=empty)
    points = [given for _, given in scored]
    others = [
        sum(p or 0.0 for key, p in one.scores.items() if key != task.key) for one, _ in scored
    ]
    return TaskResult(
        task,
        mean(points),
        mean(value >= task.max_score for value in points),
        mean(value <= 0 for value in points),
        correlation(points, others),
        waiting,
        empty,
    )


def correlation(first: list[float], second: list[float]) -> float | None:
    """Pearson's, which is point-biserial where one side has two values; None for few points or no
    variation.

    https://en.wikipedia.org/wiki/Point-biserial_correlation_coefficient
    """
    deviations = pstdev(first), pstdev(second)
    if len(first) < FEWEST or min(deviations) < 1e-12:
        return None
    middle = mean(first), mean(second)
    product = mean((a - middle[0]) * (b - middle[1]) for a, b in zip(first, second))
    return product / (deviations[0] * deviations[1])


def problems(record: ClassRecord) -> list[Problem]:
    """Why points were lost, the most frequent reason first."""
    tasks = {task.key: task for task in record.tasks}
    who: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    example: dict[tuple[str, str, str], Failure] = {}
    for submission in record.submissions:
        for failure in submission.failures:
            if failure.task in tasks:
                answer = "" if failure.named else failure.check.answer
                reason = failure.task, failure.text, answer
                who[reason].append(submission.student)
                example.setdefault(reason, failure)
    order = list(tasks)
    found = [
        Problem(tasks[reason[0]], example[reason], tuple(dict.fromkeys(students)))
        for reason, students in who.items()
    ]
    return sorted(found, key=lambda one: (-one.count, order.index(one.task.key), one.example.text))
