"""The answer key: expected values from the reference solution, and the comparison with a student's answers.

A process of the trusted side, one for each notebook and key. It runs the instructor's notebook once, keeps what every
``expect`` wanted, and from then on judges answers; criteria and ``of`` functions run here and nowhere else. Each judging
happens in a forked child with a time and memory limit, so an answer made to hang or crash a predicate fails its check
and nothing more. No student's code ever runs in this process, and the key never leaves the trusted side.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import random
import resource
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from grading import sealing, wire
from grading.nursery import Nursery
from grading.records import NotAnswer, TestRecord

if TYPE_CHECKING:  # it brings IPython along, which only the process's side needs
    from grading.warming import Warm

JUDGE_SECONDS = 10.0  # for one check
MAX_LOST = 3  # answers of one submission that may hang or crash the comparison before the rest is no longer compared
JUDGE_MEMORY = 4 << 30  # beyond what the process has
RUN_SECONDS = 900.0
MAX_REASON = 2000


# ---------------------------------------------------------------------------------------------------------------------
# The engine's side
# ---------------------------------------------------------------------------------------------------------------------


class AnswerKeyError(Exception):
    """The answer key cannot be made or does not answer; the text says why."""


@dataclass(frozen=True)
class ReferenceCell:
    """One code cell of the instructor's notebook, solution or test; a test is named."""

    source: str
    test: str | None = None


@dataclass(frozen=True)
class Check:
    """One check of the reference run: its label, and whether students may not see more of it."""

    label: str
    hidden: bool


@dataclass(frozen=True)
class Judged:
    """What the answer key says about one check."""

    label: str
    hidden: bool
    ok: bool
    reason: str = ""
    mistake: str | None = None
    flag: str | None = None
    reached: bool = True


class AnswerKey:
    """The answer key of one notebook under one key, in a process of its own."""

    def __init__(self, course: Path, cells: list[ReferenceCell], key: str, *, folder: Path | None = None, seed: int | None = None,
                 judge_seconds: float = JUDGE_SECONDS, nursery: Nursery | None = None):
        self._nursery = None if nursery else Nursery()  # its own, to be closed with it
        self._channel, theirs = wire.Channel.pair()
        self._temporary = tempfile.TemporaryDirectory(prefix="reference-")
        self.folder = Path(self._temporary.name)
        _furnish(self.folder, course, folder)
        (nursery or self._nursery).warm((), str(course))
        self._process = (nursery or self._nursery).fork("answer key", theirs)
        theirs.close()
        self._request = {"do": "run", "course": str(course), "key": key, "seed": seed, "folder": str(self.folder), "judge_seconds": judge_seconds,
                         "cells": [[cell.source, cell.test] for cell in cells]}
        self._judge_seconds = judge_seconds
        self.checks: dict[str, tuple[Check, ...]] = {}
        self.modules: tuple[str, ...] = ()

    def run(self) -> None:
        """Run the reference. Raises AnswerKeyError where it fails its own tests."""
        reply = self._ask(self._request, RUN_SECONDS)
        if reply.get("problem"):
            raise AnswerKeyError(reply["problem"])
        self.modules = tuple(reply["modules"])
        self.checks = {test: tuple(Check(*check) for check in checks) for test, checks in reply["checks"].items()}

    def judge(self, records: list[TestRecord]) -> dict[str, list[Judged]]:
        """Compare the answers of one submission: test -> one Judged for every check of the reference."""
        blobs, tests = [], []
        for record in records:
            answers = []
            for answer in record.answers:
                answers.append([answer.label, answer.outline, len(answer.tensors)])
                blobs.append(answer.tensors)
            tests.append([record.grade_id, answers])
        checks = sum(len(self.checks.get(record.grade_id, ())) for record in records)
        reply = self._ask({"do": "judge", "tests": tests}, 30 + self._judge_seconds * (checks + 1), b"".join(blobs))
        return {test: [Judged(**judged) for judged in found] for test, found in reply["judged"].items()}

    def audit(self) -> dict:
        """What `python -m grading check` wants to know of every expectation; see grading/audit.py."""
        return self._ask({"do": "audit"}, RUN_SECONDS)["audit"]

    def close(self) -> None:
        self._channel.close()
        self._process.kill()
        self._temporary.cleanup()
        if self._nursery:
            self._nursery.close()

    def _ask(self, request: dict, seconds: float, blob: bytes = b"") -> dict:
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(request, blob, deadline=deadline)
            return self._channel.receive(deadline=deadline)[0]
        except wire.WireError as error:
            self.close()
            raise AnswerKeyError(f"The process that holds the answer key does not answer ({error}).") from None


def _furnish(place: Path, course: Path, folder: Path | None) -> None:
    """What lies beside a notebook: the course's files, and what the instructor hands out with it, but no notebooks."""
    if folder:
        shutil.copytree(folder, place, ignore=shutil.ignore_patterns("*.ipynb", ".*", "__pycache__"), dirs_exist_ok=True)
    for path in (course / "utils.py", course / "data"):
        if path.exists() and not (place / path.name).exists():
            (place / path.name).symlink_to(path)


# ---------------------------------------------------------------------------------------------------------------------
# The process's side
# ---------------------------------------------------------------------------------------------------------------------


class Reference:
    """The reference run and what it expects."""

    def __init__(self, request: dict, warm: Warm):
        self.key, self.judge_seconds = request["key"], request["judge_seconds"]
        course = Path(request["course"])
        sys.path.insert(1, str(course))
        self.course = importlib.import_module("utils") if (course / "utils.py").is_file() else None
        os.chdir(request["folder"])
        warm.recorder.muted = True
        self.shell = warm.shell
        if request["seed"] is not None:
            from grading.session import seed_everything

            seed_everything(request["seed"])
        self.expectations: dict[str, list[Any]] = {}
        self.hidden: dict[str, list[bool]] = {}

    def run(self, cells: list) -> str | None:
        """Run all cells; returns the problem, if there is one."""
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        for number, (source, test) in enumerate(cells, start=1):
            problem = loop.run_until_complete(self._test(source, test) if test else self._cell(source))
            if problem:
                return f"The reference solution fails in {f'the test cell {test!r}' if test else f'code cell {number}'}: {problem}"
        return None

    async def _cell(self, source: str) -> str | None:
        from grading.recording import run_cell

        reply = await run_cell(self.shell, source)
        return None if reply["status"] == "ok" else f"{reply['ename']}: {reply['evalue']}"

    async def _test(self, source: str, test: str) -> str | None:
        """Run a full test cell; like a sealed one, it leaves nothing behind for the cells that follow."""
        expectations, lines = self.expectations.setdefault(test, []), []
        with _left_as_it_was(self.shell, self.course):
            self.course.set_key(self.key)
            self.shell.user_ns.update(self._course_names(expectations, lines))
            with self.course.record_expectations(expectations):
                problem = await self._cell(source)
        sealed = sealing.seal(source)
        self.hidden[test] = [sealed.hidden_at(line) for line in lines]
        if not problem and len(lines) != len(expectations):
            return "it calls `expect` inside the course's own functions"
        return problem

    def _course_names(self, expectations: list, lines: list[int]) -> dict[str, Any]:
        def expect(*arguments, **options):
            before = len(expectations)
            line = sys._getframe(1).f_lineno
            try:
                return self.course.expect(*arguments, **options)
            finally:
                lines.extend([line] * (len(expectations) - before))

        names = {name: getattr(self.course, name) for name in sealing.COURSE_NAMES if hasattr(self.course, name)}
        return names | {"expect": expect}

    def modules(self) -> list[str]:
        """What the run imported and any process could import again, in its order."""
        found = []
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            own = name.split(".")[0] in ("utils", "grading", "__main__", "__mp_main__")
            local = file and not any(str(file).startswith(str(place)) for place in (sys.prefix, sys.base_prefix))
            if not own and not local and getattr(module, "__spec__", None) is not None:
                found.append(name)
        return found


@contextmanager
def _left_as_it_was(shell: Any, course: ModuleType) -> Iterator[None]:
    """Put names, the key and the global random state back: a sealed test runs in a process of its own and is gone."""
    names, key = dict(shell.user_ns), course._key
    states = [(random.setstate, random.getstate())]
    if "numpy" in sys.modules:
        states.append((sys.modules["numpy"].random.set_state, sys.modules["numpy"].random.get_state()))
    if "torch" in sys.modules:
        states.append((sys.modules["torch"].set_rng_state, sys.modules["torch"].get_rng_state()))
    try:
        yield
    finally:
        for restore, state in states:
            restore(state)
        course.set_key(key)
        shell.user_ns.clear()
        shell.user_ns.update(names)


def judge_one(course: ModuleType, expectation: Any, answer: list | None, blob: bytes) -> dict:
    """Compare one packed answer with one expectation."""
    if answer is None or answer[0] != expectation.label:
        return {"ok": False, "reason": "", "reached": False}
    try:
        value = wire.unpack(answer[1], blob)
    except wire.WireError as error:
        return {"ok": False, "reason": f"got something that is no answer: {error}"}
    if isinstance(value, NotAnswer):
        return {"ok": False, "reason": f"got {value.description}"}
    try:
        verdict = course.judge(value, expectation.expected, of=expectation.of, tolerance=expectation.tolerance,
                               mistakes=expectation.mistakes)
    except Exception as error:  # whatever an answer does to a predicate, it has not shown that it is right
        return {"ok": False, "reason": f"got something that cannot be compared ({type(error).__name__})"}
    return {"ok": bool(verdict.ok), "reason": str(verdict.reason)[:MAX_REASON], "mistake": verdict.mistake,
            "flag": getattr(verdict, "flag", None)}


class Judge:
    """Judges the answers of one submission, each check under limits."""

    def __init__(self, reference: Reference, tests: list, blob: bytes):
        self.reference = reference
        self.jobs = []  # (test, number of the check, expectation, packed answer, its tensors)
        offset, given = 0, {}
        for test, answers in tests:
            given[test] = []
            for label, outline, size in answers:
                given[test].append(([label, outline], blob[offset:offset + size]))
                offset += size
        for test, answers in given.items():
            for number, expectation in enumerate(reference.expectations.get(test, [])):
                answer, tensors = answers[number] if number < len(answers) else (None, b"")
                self.jobs.append((test, number, expectation, answer, tensors))

    def run(self) -> dict[str, list[dict]]:
        """Test -> what is to be said about each of its checks."""
        results: list[dict] = []
        lost = 0
        while len(results) < len(self.jobs):
            if lost < MAX_LOST:
                results += self._in_child(self.jobs[len(results):])
            if len(results) < len(self.jobs):
                results.append({"ok": False, "reason": "got something that could not be compared in time and memory"})
                lost += 1
        found: dict[str, list[dict]] = {}
        for (test, number, expectation, *_), result in zip(self.jobs, results):
            about = {"label": expectation.label, "hidden": self.reference.hidden[test][number]}
            found.setdefault(test, []).append(about | result)
        return found

    def _in_child(self, jobs: list) -> list[dict]:
        """Judge in a forked child as far as it gets."""
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(ours)
                self._judge_all(jobs, theirs)
            finally:
                os._exit(0)
        os.close(theirs)
        try:
            return _read_lines(ours, self.reference.judge_seconds)
        finally:
            os.close(ours)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def _judge_all(self, jobs: list, pipe: int) -> None:
        _bound_memory()
        warnings.simplefilter("ignore")
        with os.fdopen(pipe, "w", encoding="utf-8") as results:
            for _, _, expectation, answer, tensors in jobs:
                results.write(json.dumps(judge_one(self.reference.course, expectation, answer, tensors)) + "\n")
                results.flush()


def _read_lines(pipe: int, seconds: float) -> list[dict]:
    """Results, one a line, until the writer ends or keeps us waiting too long."""
    data = b""
    while select.select([pipe], [], [], seconds)[0]:
        part = os.read(pipe, 1 << 16)
        if not part:
            break
        data += part
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def _bound_memory() -> None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return  # not Linux: the time limit alone must do
    limit = pages * resource.getpagesize() + JUDGE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _serve(channel: wire.Channel, warm: Warm) -> None:
    reference = None
    while True:
        request, blob = channel.receive()
        if request["do"] == "run":
            reference = Reference(request, warm)
            problem = reference.run(request["cells"])
            gc.collect()
            gc.freeze()  # every judging forks
            checks = {test: [[e.label, hidden] for e, hidden in zip(found, reference.hidden.get(test, []))]
                      for test, found in reference.expectations.items()}
            channel.send({"problem": problem, "checks": checks, "modules": reference.modules()})
        elif request["do"] == "judge":
            channel.send({"judged": Judge(reference, request["tests"], blob).run()})
        elif request["do"] == "audit":
            from grading.audit import audit

            channel.send({"audit": audit(reference)})


def main(sock: socket.socket, warm: Warm) -> None:
    """What a process forked from the nursery does as an answer key, until its socket closes."""
    try:
        _serve(wire.Channel(sock), warm)
    except wire.Closed:
        return  # the engine is done with it
