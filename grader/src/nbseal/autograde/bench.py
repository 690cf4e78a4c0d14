"""What the submissions of one run share."""

from __future__ import annotations

from dataclasses import dataclass
from logging import Logger
from pathlib import Path

from nbgrader.converters import Autograde

from nbseal.autograde.chain import Chain
from nbseal.autograde.context import CourseParts
from nbseal.autograde.standing import Standing


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

    @property
    def converter(self) -> Autograde:
        """nbgrader's, with all that the course configures."""
        return self.chain.converter

    @property
    def log(self) -> Logger:
        return self.converter.log
