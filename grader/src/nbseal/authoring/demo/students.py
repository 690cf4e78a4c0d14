"""The class of `nbseal demo`: what ten students hand in for `averages`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

ASSIGNMENT = "averages"
DUE = datetime(2026, 3, 2, 12)  # UTC, as nbgrader keeps it

RIGHT = {
    "mean": "def mean(values):\n    return sum(values) / len(values)",
    "variance": "def variance(values):\n"
    "    middle = sum(values) / len(values)\n"
    "    return sum((value - middle) ** 2 for value in values) / len(values)",
}
BY_LOOPS = {
    "mean": "def mean(values):\n"
    "    total = 0\n"
    "    for value in values:\n"
    "        total = total + value\n"
    "    return total / len(values)",
    "variance": "def variance(values):\n"
    "    total = 0\n"
    "    for value in values:\n"
    "        total = total + value * value\n"
    "    return total / len(values) - mean(values) ** 2",
}
BY_LIBRARY = {
    "mean": "import statistics\n\nmean = statistics.fmean",
    "variance": "variance = statistics.pvariance",
}
SAMPLE_VARIANCE = {
    "variance": "def variance(values):\n"
    "    middle = sum(values) / len(values)\n"
    "    return sum((value - middle) ** 2 for value in values) / (len(values) - 1)"
}
MEDIAN = {"mean": "def mean(values):\n    return sorted(values)[len(values) // 2]"}
ENDS = {"variance": "import os\n\ndef variance(values):\n    os._exit(1)"}


@dataclass(frozen=True)
class Student:
    """One of the class."""

    name: str
    answers: dict[str, str] = field(default_factory=dict)  # solution cell -> source, if not RIGHT
    hours_late: float = -20.0
    ends_its_process: bool = False

    @property
    def handed_in(self) -> datetime:
        return DUE + timedelta(hours=self.hours_late)


STUDENTS = (
    Student("ada"),
    Student("bo", SAMPLE_VARIANCE),
    Student("chidi", BY_LOOPS),
    Student("dina", SAMPLE_VARIANCE),
    Student("emre", ENDS, ends_its_process=True),
    Student("freya", BY_LIBRARY),
    Student("gus", SAMPLE_VARIANCE, hours_late=-0.5),
    Student("hana", hours_late=5),
    Student("ivo", MEDIAN),
    Student("june", {"variance": 'raise NotImplementedError("TODO: write your solution here")'}),
)
