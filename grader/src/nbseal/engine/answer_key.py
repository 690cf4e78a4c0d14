"""The answer key: expected values from the reference solution, and the comparison with a student's
answers.

A process of the trusted side, one for each notebook and key, and this is the engine's hold on it
(its own side is inside/answer_key.py). The key never leaves the trusted side, and no student's code
ever runs where it is.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbseal import wire
from nbseal.engine.zygote import Zygote
from nbseal.leftovers import OwnFolder
from nbseal.records import Check, CheckResult, ReferenceCell, TestRecord
from nbseal.view import CourseView

CHECK_SECONDS = 10.0  # for judging one check
JUDGE_SECONDS = 30.0  # for judging all of one submission
RUN_SECONDS = 900.0
ANSWER_SECONDS = 30.0  # to begin something


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
        check_seconds: float = CHECK_SECONDS,
        judge_seconds: float = JUDGE_SECONDS,
        draws_with: str | None = None,
        zygote: Zygote | None = None,
    ):
        # Its own is closed with it.
        self._own_zygote = None if zygote else Zygote()
        zygote = zygote or self._own_zygote
        assert zygote is not None
        self._lock = threading.Lock()  # one request at a time; judging goes on beside it
        self._channel, theirs = wire.Channel.pair()
        self._temporary = OwnFolder()
        self.folder = self._temporary.new("reference-")
        furnish(self.folder, course, folder)
        library = zygote.warm((), course)
        self._process = zygote.fork("answer key", theirs)
        theirs.close()
        self._request = {
            "do": "run",
            "key": key,
            "seed": seed,
            "folder": str(self.folder),
            "check_seconds": check_seconds,
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

    def judge(self, records: list[TestRecord]) -> dict[str, list[CheckResult]]:
        """Compare the answers of one submission: test -> one result for every check of the
        reference."""
        blobs, tests = [], []
        for record in records:
            answers = []
            for answer in record.answers:
                answers.append([answer.label, answer.outline, len(answer.tensors)])
                blobs.append(answer.tensors)
            tests.append([record.grade_id, answers])
        deadline = time.monotonic() + self._judge_seconds + ANSWER_SECONDS
        with self._judge() as channel:
            try:
                channel.send({"tests": tests}, b"".join(blobs), deadline=deadline)
                found = channel.receive(deadline=deadline)[0]["judged"]
            except wire.WireError as error:
                raise _no_answer(error) from None
        return {test: [CheckResult(**check) for check in checks] for test, checks in found.items()}

    @contextmanager
    def _judge(self) -> Iterator[wire.Channel]:
        """A channel to a process that judges one submission."""
        channel, theirs = wire.Channel.pair()
        try:
            with theirs:
                self._ask({"do": "judge"}, ANSWER_SECONDS, (theirs.fileno(),))
            yield channel
        finally:
            channel.close()

    def audit(self) -> dict:
        """What `nbseal check` wants to know of every expectation; see inside/audit.py."""
        found: dict = self._ask({"do": "audit"}, RUN_SECONDS)["audit"]
        return found

    def close(self) -> None:
        self._channel.close()
        self._process.kill()
        self._temporary.close()
        if self._own_zygote:
            self._own_zygote.close()

    def _ask(self, request: dict, seconds: float, fds: tuple[int, ...] = ()) -> dict:
        with self._lock:
            deadline = time.monotonic() + seconds
            try:
                self._channel.send(request, deadline=deadline, fds=fds)
                return self._channel.receive(deadline=deadline)[0]
            except wire.WireError as error:
                self.close()
                raise _no_answer(error) from None


def _no_answer(error: wire.WireError) -> AnswerKeyError:
    return AnswerKeyError(f"The process that holds the answer key does not answer ({error}).")


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
