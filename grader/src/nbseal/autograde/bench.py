"""What the submissions of one run share."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from logging import Logger
from pathlib import Path

from nbgrader.converters import Autograde

from nbseal.autograde.chain import Chain
from nbseal.autograde.context import CourseParts
from nbseal.autograde.standing import Standing
from nbseal.records import GradedExecution


@dataclass(frozen=True)
class Bench:
    """Where submissions are made into results; nothing on it belongs to one of them."""

    course: CourseParts
    chain: Chain
    area: Path  # where folders are made before they appear
    began: float  # time.monotonic() at the start of the run
    standing: Standing  # what earlier runs have left
    others: dict[
        str, str
    ]  # notebooks in other languages, which are left to nbgrader -> the sentence
    # what a team handed in, and its execution, which counts for each member
    shared: dict[tuple, Future[GradedExecution]] = field(default_factory=dict)

    @property
    def converter(self) -> Autograde:
        """nbgrader's, with all that the course configures."""
        return self.chain.converter

    @property
    def log(self) -> Logger:
        return self.converter.log
