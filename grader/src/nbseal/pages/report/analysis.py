"""What the scores of a class say: about tasks, about mistakes, about whom to look at. Arithmetic on
records, nothing else."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import mean, median, pstdev

from nbseal.pages.report.records import ClassRecord, Submission, Task

FEWEST = 6  # submissions: with fewer, thirds and correlations say nothing


@dataclass(frozen=True)
class TaskResult:
    """How a class did in one task. Mean and shares are of those who answered and whose points are
    known."""

    task: Task
    mean: float | None
    solved: float | None  # share with all points
    nothing: float | None  # share with none
    # point-biserial: this task's points with the points of all other tasks
    correlation: float | None
    top: float | None  # share of the points that the best third got
    bottom: float | None  # the same of the weakest third
    waiting: int = 0  # students whose points a person has yet to give
    empty: int = 0  # students who wrote nothing where a person would have graded

    @property
    def gap(self) -> float | None:
        """Discrimination index: top third minus bottom third."""
        return None if self.top is None or self.bottom is None else self.top - self.bottom


@dataclass(frozen=True)
class Mistake:
    """A reason for lost points, and who had it."""

    task: Task
    text: str
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


def spread(values: list[float]) -> Spread | None:
    return Spread(mean(values), median(values), min(values), max(values)) if values else None


def task_results(record: ClassRecord) -> list[TaskResult]:
    """One for each task, in the notebook's order."""
    top, bottom = thirds(record)
    return [_task_result(task, record.submissions, top, bottom) for task in record.tasks]


def thirds(record: ClassRecord) -> tuple[dict[str, float], dict[str, float]]:
    """The best and the weakest third by points in tasks, late penalties aside: student -> how much
    they belong to it, 0 to 1.

    Students with equal points at the edge of a third belong to it in equal part, so that a third is
    a third and the order of
    names decides nothing. Empty for a class that is too small or has no differences.
    """
    points = {one.student: _points(one) for one in record.submissions}
    if len(points) < FEWEST or len(set(points.values())) == 1:
        return {}, {}
    return _third(points), _third({student: -value for student, value in points.items()})


def _third(points: dict[str, float]) -> dict[str, float]:
    left = len(points) / 3
    belong: dict[str, float] = {}
    for value in sorted(set(points.values()), reverse=True):
        equal = [student for student in points if points[student] == value]
        belong |= dict.fromkeys(equal, min(1.0, left / len(equal)))
        left -= len(equal)
        if left <= 0:
            break
    return belong


def _points(submission: Submission, without: str | None = None) -> float:
    return sum(
        points for key, points in submission.scores.items() if points is not None and key != without
    )


def _task_result(
    task: Task, submissions: tuple[Submission, ...], top: dict[str, float], bottom: dict[str, float]
) -> TaskResult:
    scored = [(one, _score(one, task)) for one in submissions]
    known = [one for one, score in scored if score is not None]
    points = [score for _, score in scored if score is not None]
    empty = sum(task.key in one.empty for one in submissions)
    waiting = sum(one.scores.get(task.key, 0) is None for one in submissions)
    if not points:
        return TaskResult(task, None, None, None, None, None, None, waiting, empty)
    return TaskResult(
        task,
        mean(points),
        mean(value >= task.max_score for value in points),
        mean(value <= 0 for value in points),
        correlation(points, [_points(one, without=task.key) for one in known]),
        _share(task, submissions, top),
        _share(task, submissions, bottom),
        waiting,
        empty,
    )


def _score(submission: Submission, task: Task) -> float | None:
    """The points of an answer; None where a person has yet to give them, and where there is none
    to give points to."""
    return None if task.key in submission.empty else submission.scores.get(task.key)


def _share(
    task: Task, submissions: tuple[Submission, ...], belong: dict[str, float]
) -> float | None:
    """The share of a task's points that a third of the class got."""
    known = [
        (belong[one.student], score)
        for one in submissions
        if one.student in belong and (score := _score(one, task)) is not None
    ]
    weight = sum(part for part, _ in known)
    return (
        sum(part * points for part, points in known) / (weight * task.max_score)
        if weight and task.max_score
        else None
    )


def correlation(first: list[float], second: list[float]) -> float | None:
    """Pearson's, which is point-biserial where one side has two values; None for few points or no
    variation.

    https://en.wikipedia.org/wiki/Point-biserial_correlation_coefficient
    """
    if len(first) < FEWEST:
        return None
    deviations = pstdev(first), pstdev(second)
    if min(deviations) < 1e-12:
        return None
    middle = mean(first), mean(second)
    return mean((a - middle[0]) * (b - middle[1]) for a, b in zip(first, second)) / (
        deviations[0] * deviations[1]
    )


def mistakes(record: ClassRecord) -> list[Mistake]:
    """Named mistakes, the most frequent first."""
    tasks = {task.key: task for task in record.tasks}
    who: dict[tuple[str, str], list[str]] = defaultdict(list)
    for submission in record.submissions:
        for failure in submission.failures:
            if failure.named and failure.task in tasks:
                who[failure.task, failure.text].append(submission.student)
    order = {key: number for number, key in enumerate(tasks)}
    found = [
        Mistake(tasks[key], text, tuple(dict.fromkeys(students)))
        for (key, text), students in who.items()
    ]
    return sorted(
        found, key=lambda mistake: (-mistake.count, order[mistake.task.key], mistake.text)
    )
