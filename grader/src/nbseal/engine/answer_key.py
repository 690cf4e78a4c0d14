"""The answer key: expected values from the reference solution, and the comparison with a student's
answers.

A process of the trusted side, one for each notebook and key, and this is the engine's hold on it
(its own side is inside/answer_key.py). The key never leaves the trusted side, and no student's code
ever runs where it is.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

from nbseal import wire
from nbseal.checks.declared import FOLDER, GRADED
from nbseal.engine.zygote import Zygote
from nbseal.leftovers import OwnFolder
from nbseal.records import Check, CheckResult, ReferenceCell, TestRecord
from nbseal.view import CourseView

CHECK_SECONDS = 10.0  # for judging one check
JUDGE_SECONDS = 30.0  # for judging all of one submission
RUN_SECONDS = 900.0
ANSWER_SECONDS = 30.0  # to begin something
# answers of one submission that may hang or crash the comparison before the rest is no longer
# compared
MAX_LOST = 3
TOO_MUCH = "got something that could not be compared in time and memory"
TOO_LATE = "it could not be compared in time: the answers before it took too long"


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
        watched: bool = False,
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
        if folder and (graded := Path(course.root, FOLDER, folder.name, GRADED)).is_file():
            shutil.copy(graded, self.folder)  # names mistakes of hidden readings
        library = zygote.warm((), course)
        self._process = zygote.fork("answer key", theirs)
        theirs.close()
        self._request = {
            "do": "run",
            "key": key,
            "seed": seed,
            "folder": str(self.folder),
            "check_seconds": check_seconds,
            "draws_with": draws_with or library,
            "watched": watched,
            "cells": [[cell.source, cell.test, cell.shown] for cell in cells],
        }
        self._check_seconds, self._judge_seconds = check_seconds, judge_seconds
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
        tests = [record.grade_id for record in records]
        checks = [
            (test, check) for test in dict.fromkeys(tests) for check in self.checks.get(test, ())
        ]
        results: dict[str, list[CheckResult]] = {}
        for (test, check), judged in zip(checks, self._judged(records, len(checks))):
            results.setdefault(test, []).append(result_of(check, judged))
        return results

    def _judged(self, records: list[TestRecord], checks: int) -> list[dict]:
        """What is found of each check, in their order; a judge that one of them has ended is
        followed by another."""
        deadline = time.monotonic() + self._judge_seconds
        found: list[dict] = []
        lost = 0
        while len(found) < checks:
            late = time.monotonic() >= deadline
            if not late and lost < MAX_LOST:
                found += self._said(len(found), checks, records, deadline)
            if len(found) < checks:
                found.append({"ok": False, "reason": TOO_LATE if late else TOO_MUCH})
                lost += 1
        return found

    def _said(self, begin: int, end: int, records: list[TestRecord], deadline: float) -> list[dict]:
        """What one judge finds of the checks from one to another, as far as it gets."""
        tests = [
            [
                record.grade_id,
                [[one.label, one.outline, len(one.tensors)] for one in record.answers],
            ]
            for record in records
        ]
        blob = b"".join(one.tensors for record in records for one in record.answers)
        request = {"tests": tests, "begin": begin}
        channel, theirs = wire.Channel.pair()
        with closing(channel):
            with theirs:
                self._ask({"do": "judge"}, ANSWER_SECONDS, (theirs.fileno(),))
            try:
                channel.send(request, blob, deadline=deadline + ANSWER_SECONDS)
            except wire.WireError as error:
                raise _no_answer(error) from None
            return _lines(channel.sock, end - begin, self._check_seconds, deadline)

    def audit(self) -> tuple[dict, dict[str, str]]:
        """What `nbseal check` wants to know of every expectation, see inside/audit.py; and what
        each test of the reference wrote to stderr."""
        found = self._ask({"do": "audit"}, RUN_SECONDS)
        return found["audit"], found["stderr"]

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
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
                self._end()
                raise _no_answer(error) from None


def result_of(check: Check, judged: dict) -> CheckResult:
    """What the answer key's process found of a check, sorted by who may read it."""
    reason = judged.get("reason", "")
    detail = reason if judged.get("reached", True) else "not reached"
    told, answer = "" if check.hidden else reason, judged.get("answer", "")
    if check.hidden and answer:  # its inputs are nobody's to read
        answer = f"#{hashlib.sha256(answer.encode()).hexdigest()[:12]}"
    said = judged | {"reason": told, "answer": answer}
    return CheckResult(check.label, hidden=check.hidden, **said, detail=detail)


def _lines(sock: socket.socket, number: int, seconds: float, deadline: float) -> list[dict]:
    """So many results, one a line; fewer where the writer ends, keeps us waiting for more than
    `seconds`, or the deadline has come."""
    data, lines = b"", 0
    with suppress(OSError):
        while lines < number and (left := min(seconds, deadline - time.monotonic())) > 0:
            sock.settimeout(left)
            if not (part := sock.recv(1 << 16)):
                break
            data += part
            lines += part.count(b"\n")
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


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
