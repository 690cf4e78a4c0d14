"""The answer key: expected values from the reference solution, and the comparison with a student's
answers.

A process of the trusted side, one for each notebook and key, and this is the engine's hold on it
(its own side is inside/answer_key.py). The key never leaves the trusted side, and no student's code
ever runs where it is.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from nbseal import wire
from nbseal.engine.zygote import Zygote
from nbseal.records import Check, Judged, ReferenceCell, TestRecord
from nbseal.view import CourseView

JUDGE_SECONDS = 10.0  # for one check
RUN_SECONDS = 900.0


class AnswerKeyError(Exception):
    """The answer key cannot be made or does not answer; the text says why."""


class AnswerKey:
    """The answer key of one notebook under one key, in a process of its own."""

    def __init__(
        self,
        course: CourseView,
        cells: list[ReferenceCell],
        key: str,
        *,
        folder: Path | None = None,
        seed: int | None = None,
        judge_seconds: float = JUDGE_SECONDS,
        draws_with: str | None = None,
        zygote: Zygote | None = None,
    ):
        self._zygote = None if zygote else Zygote()  # its own, to be closed with it
        self._channel, theirs = wire.Channel.pair()
        self._temporary = tempfile.TemporaryDirectory(prefix="reference-")
        self.folder = Path(self._temporary.name)
        furnish(self.folder, course, folder)
        library = (zygote or self._zygote).warm((), course)
        self._process = (zygote or self._zygote).fork("answer key", theirs)
        theirs.close()
        self._request = {
            "do": "run",
            "key": key,
            "seed": seed,
            "folder": str(self.folder),
            "judge_seconds": judge_seconds,
            "draws_with": draws_with or library,
            "cells": [[cell.source, cell.test] for cell in cells],
        }
        self._judge_seconds = judge_seconds
        self.checks: dict[str, tuple[Check, ...]] = {}
        # that the run imported outside of answer_key blocks, and any process could again
        self.modules: tuple[str, ...] = ()
        self.imported: tuple[str, ...] = ()  # the same, of the whole run

    def run(self) -> None:
        """Run the reference. Raises AnswerKeyError where it fails its own tests."""
        reply = self._ask(self._request, RUN_SECONDS)
        if reply.get("problem"):
            raise AnswerKeyError(reply["problem"])
        self.imported = tuple(reply["imported"])
        self.modules = tuple(
            name for name in self.imported if name not in set(reply["for_the_key"])
        )
        self.checks = {
            test: tuple(Check(*check) for check in checks)
            for test, checks in reply["checks"].items()
        }

    def judge(self, records: list[TestRecord]) -> dict[str, list[Judged]]:
        """Compare the answers of one submission: test -> one Judged for every check of the
        reference."""
        blobs, tests = [], []
        for record in records:
            answers = []
            for answer in record.answers:
                answers.append([answer.label, answer.outline, len(answer.tensors)])
                blobs.append(answer.tensors)
            tests.append([record.grade_id, answers])
        checks = sum(len(self.checks.get(record.grade_id, ())) for record in records)
        reply = self._ask(
            {"do": "judge", "tests": tests},
            30 + self._judge_seconds * (checks + 1),
            b"".join(blobs),
        )
        return {
            test: [Judged(**judged) for judged in found] for test, found in reply["judged"].items()
        }

    def audit(self) -> dict:
        """What `nbseal check` wants to know of every expectation; see inside/audit.py."""
        return self._ask({"do": "audit"}, RUN_SECONDS)["audit"]

    def close(self) -> None:
        self._channel.close()
        self._process.kill()
        self._temporary.cleanup()
        if self._zygote:
            self._zygote.close()

    def _ask(self, request: dict, seconds: float, blob: bytes = b"") -> dict:
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(request, blob, deadline=deadline)
            return self._channel.receive(deadline=deadline)[0]
        except wire.WireError as error:
            self.close()
            raise AnswerKeyError(
                f"The process that holds the answer key does not answer ({error})."
            ) from None


def furnish(place: Path, course: CourseView, folder: Path | None) -> None:
    """What lies beside a notebook: the course's files, and what the instructor hands out with it,
    but no notebooks."""
    if folder:
        shutil.copytree(
            folder,
            place,
            ignore=shutil.ignore_patterns("*.ipynb", ".*", "__pycache__"),
            dirs_exist_ok=True,
        )
    for name in course.files:
        if not (place / name).exists():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).symlink_to(Path(course.root, name))
