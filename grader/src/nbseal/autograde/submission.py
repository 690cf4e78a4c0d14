"""Submissions between the engine and the gradebook."""

import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbformat import NotebookNode

from nbseal.records import GradedExecution


@dataclass
class StagedNotebook:
    """A notebook on its way: sanitised, perhaps with the engine, or the reason why it cannot be
    graded."""

    name: str
    nb: NotebookNode | None = None
    resources: dict = field(default_factory=dict)
    execution: "Future[GradedExecution] | None" = None
    problem: str | None = None
    repair: dict | None = None


@dataclass
class Staged:
    """A submission on its way."""

    assignment: str
    student: str
    paths: list[str]  # of the notebooks handed in that are graded
    folder: Path  # becomes the submission's folder in autograded/
    timestamp: datetime | None
    missing: list[str]  # notebooks of the assignment that were not handed in
    notebooks: list[StagedNotebook] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    writer_seconds: float = 0.0
    writer_cpu_seconds: float = 0.0

    @property
    def is_ready(self) -> bool:
        return all(
            notebook.execution is None or notebook.execution.done() for notebook in self.notebooks
        )
