"""The answer key's process: runs the instructor's notebook once, and from then on judges answers.

It keeps what every ``expect`` wanted; criteria and ``of`` functions run here and nowhere else. Each
submission is judged in a process of its own, forked from here, so that none waits for another and
none finds what a predicate has left of one before it, a network with another student's weights say.
That process has a limit of time and memory, so that an answer made to hang or crash a predicate
fails its check and nothing more: what comes after it is asked for again.
"""

from __future__ import annotations

import asyncio
import gc
import io
import json
import os
import resource
import signal
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

from nbseal import checks, packing, wire
from nbseal.cells import sealing
from nbseal.inside.audit import audit
from nbseal.inside.children import end_with_parent, let_go_of_the_ended
from nbseal.inside.shell import run_cell
from nbseal.inside.state import remember, seed_everything
from nbseal.inside.warming import Warm
from nbseal.records import NotAnswer

JUDGE_MEMORY = 4 << 30  # bytes, beyond what the process has
MAX_REASON = 2000


class Reference:
    """The reference run and what it expects."""

    def __init__(self, request: dict, warm: Warm):
        self.key = request["key"]
        self.check_seconds = request["check_seconds"]
        self.draws_with = request["draws_with"]
        self.watched = request["watched"]
        os.chdir(request["folder"])
        self.folder = Path.cwd()
        warm.recorder.muted = True
        self.shell = warm.shell
        if request["seed"] is not None:
            seed_everything(request["seed"])
        self.expectations: dict[str, list[Any]] = {}
        self.hidden: dict[str, list[bool]] = {}
        self.stderr: dict[str, str] = {}  # what each test wrote there
        # modules that were first imported in answer_key blocks, which no session runs
        self.for_the_key: set[str] = set()

    def run(self, cells: list) -> str | None:
        """Run all cells; returns the problem, if there is one."""
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        for number, (source, test, shown) in enumerate(cells, start=1):
            problem = loop.run_until_complete(
                self._test(source, test, shown) if test else self._cell(source)
            )
            if problem:
                return (
                    "The reference solution fails in "
                    f"{f'the test cell {test!r}' if test else f'code cell {number}'}: {problem}"
                )
        return None

    async def _cell(self, source: str) -> str | None:
        reply = await run_cell(self.shell, source)
        return None if reply["status"] == "ok" else f"{reply['ename']}: {reply['evalue']}"

    async def _test(self, source: str, test: str, shown: list[int]) -> str | None:
        """Run a full test cell; like a sealed one, it leaves nothing behind for the cells that
        follow. shown: the lines of the checks that students see."""
        expectations, lines = self.expectations.setdefault(test, []), list[int]()
        written = io.StringIO()
        with _left_as_it_was(self.shell), redirect_stderr(written):
            checks.set_key(self.key)
            checks.draw_with(self.draws_with)
            self.shell.user_ns.update(self._course_names(expectations, lines))
            with checks.record_expectations(expectations):
                problem = await self._cell(source)
        self.hidden[test] = [line not in shown for line in lines]
        self.stderr[test] = written.getvalue()[:MAX_REASON]
        if not problem and len(lines) != len(expectations):
            return "it calls `expect` inside the course's own functions"
        return problem

    def _course_names(self, expectations: list, lines: list[int]) -> dict[str, Any]:
        def expect(*arguments, **options):
            before = len(expectations)
            line = sys._getframe(1).f_lineno
            try:
                return checks.expect(*arguments, **options)
            finally:
                lines.extend([line] * (len(expectations) - before))

        @contextmanager
        def answer_key():
            before = set(sys.modules)
            with checks.answer_key():
                yield
            self.for_the_key |= sys.modules.keys() - before

        def by_hand(target, *, without):
            """Nothing: that the reference keeps to it is seen when it passes its own tests."""

        names = {name: getattr(checks, name) for name in sealing.COURSE_NAMES}
        names |= {"expect": expect, "answer_key": answer_key}
        return names if self.watched else names | {"by_hand": by_hand}

    def modules(self) -> list[str]:
        """What the run imported and any process could import again, in its order."""
        found = []
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            own = name.split(".")[0] in ("nbseal", "__main__", "__mp_main__")
            local = file and Path(file).resolve().is_relative_to(self.folder)
            if not own and not local and getattr(module, "__spec__", None) is not None:
                found.append(name)
        return found


@contextmanager
def _left_as_it_was(shell: Any) -> Iterator[None]:
    """Put names, the key and the global random state back: a sealed test runs in a process of its
    own and is gone."""
    put_back, key = remember(shell.user_ns), checks.current_key()
    try:
        yield
    finally:
        put_back()
        checks.set_key(key)


def judge_one(expectation: Any, answer: list | None, blob: bytes) -> dict:
    """Compare one packed answer with one expectation; returns fields of a CheckResult."""
    if answer is None or answer[0] != expectation.label:
        return {"ok": False, "reached": False}
    try:
        value = packing.unpack(answer[1], blob)
    except wire.WireError as error:
        return {"ok": False, "reason": f"got something that is no answer: {error}"}
    if isinstance(value, NotAnswer):
        return {"ok": False, "reason": f"got {value.description}"}
    try:
        verdict = checks.judge(
            value,
            expectation.expected,
            of=expectation.of,
            tolerance=expectation.tolerance,
            mistakes=expectation.mistakes,
        )
    # whatever an answer does to a predicate, it has not shown that it is right
    except Exception as error:
        return {
            "ok": False,
            "reason": f"got something that cannot be compared ({type(error).__name__})",
        }
    return {
        "ok": bool(verdict.ok),
        "reason": str(verdict.reason)[:MAX_REASON],
        "mistake": verdict.mistake,
        "flag": verdict.flag,
    }


class Judge:
    """Judges the answers of one submission, from one of its checks on."""

    def __init__(self, reference: Reference, tests: list, blob: bytes, begin: int = 0):
        """tests: [name, [[label, outline, bytes of its tensors], ...]]; begin: how many checks were
        judged, or lost, before."""
        jobs = []  # (expectation, packed answer, its tensors)
        offset, given, packed = 0, dict[str, list](), memoryview(blob)
        for test, answers in tests:
            given[test] = []
            for label, outline, size in answers:
                given[test].append(([label, outline], packed[offset : offset + size]))
                offset += size
        for test, answers in given.items():
            for number, expectation in enumerate(reference.expectations.get(test, [])):
                answer, tensors = answers[number] if number < len(answers) else (None, b"")
                jobs.append((expectation, answer, tensors))
        self.jobs, self.seconds = jobs[begin:], reference.check_seconds

    def run(self, into: int) -> None:
        """Write a line of JSON for each check, what `judge_one` found, until one takes too long:
        that ends this process, whatever it is doing."""
        _bound_memory()
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        for expectation, answer, tensors in self.jobs:
            signal.setitimer(signal.ITIMER_REAL, self.seconds)
            line = json.dumps(judge_one(expectation, answer, bytes(tensors))) + "\n"
            while line:
                line = line[os.write(into, line.encode()) :]


def _bound_memory() -> None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return  # not Linux: the time limit alone must do
    limit = pages * resource.getpagesize() + JUDGE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _judge_apart(channel: wire.Channel, reference: Reference) -> None:
    """Fork a process that judges one submission, and hears of it through the socket that came with
    the request."""
    (descriptor,) = channel.received_fds
    if os.fork() == 0:
        try:
            end_with_parent()
            channel.close()
            answers = wire.Channel(socket.socket(fileno=descriptor))
            request, blob = answers.receive()
            Judge(reference, request["tests"], blob, request["begin"]).run(descriptor)
        except (wire.Closed, BrokenPipeError):
            pass  # the engine has lost its interest
        finally:
            os._exit(0)
    os.close(descriptor)


def _serve(channel: wire.Channel, warm: Warm) -> None:
    reference: Reference | None = None
    while True:
        request, _ = channel.receive(with_fds=1)
        let_go_of_the_ended()
        if request["do"] == "run":
            reference = Reference(request, warm)
            problem = reference.run(request["cells"])
            gc.collect()
            gc.freeze()  # every judging forks
            checks = {
                test: [
                    [e.label, hidden] for e, hidden in zip(found, reference.hidden.get(test, []))
                ]
                for test, found in reference.expectations.items()
            }
            channel.send(
                {
                    "problem": problem,
                    "checks": checks,
                    "imported": reference.modules(),
                    "for_the_key": sorted(reference.for_the_key),
                }
            )
        elif request["do"] == "judge":
            assert reference is not None, "it is run first"
            _judge_apart(channel, reference)
            channel.send({})
        elif request["do"] == "audit":
            assert reference is not None, "it is run first"
            channel.send({"audit": audit(reference), "stderr": reference.stderr})


def main(sock: socket.socket, warm: Warm) -> None:
    """What a process forked from the zygote does as an answer key, until its socket closes."""
    try:
        _serve(wire.Channel(sock), warm)
    except wire.Closed:
        return  # the engine is done with it
