"""A judge: a process forked from the answer key's that compares answers with what was expected,
submission after submission.

So none waits for another, and each has a limit of time and memory: an answer made to hang or crash
a predicate ends its judge, fails its check and nothing more, for what comes after it is asked of
another judge. Comparing is this package's own code, which keeps nothing. What an instructor wrote,
predicates and ``of`` functions, may keep something, a network with a student's weights say. So from
the first that may (inside/stateless.py) the rest of a submission is judged in one more fork, and no
submission finds what a predicate has left of one before it.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbseal import checks, packing, wire
from nbseal.inside.children import end_with_parent
from nbseal.inside.declared_tasks import Asked, judged
from nbseal.inside.stateless import keeps_nothing
from nbseal.records import NotAnswer

JUDGE_MEMORY = 4 << 30  # bytes, beyond what the process has
MAX_REASON = 2000


@dataclass(frozen=True)
class Job:
    """One check: what was expected, and what was answered. answer: label and outline; None where
    there is none."""

    expectation: Any
    answer: list | None
    tensors: bytes | memoryview
    apart: bool  # whether judging it may keep something


def judge_one(job: Job, jobs: Sequence[Job] = ()) -> dict:
    """Compare one packed answer with one expectation; returns fields of a CheckResult. jobs: all of
    the submission."""
    expectation, answer = job.expectation, job.answer
    if answer is None or answer[0] != expectation.label:
        return {"ok": False, "reached": False}
    try:
        value = packing.unpack(answer[1], bytes(job.tensors))
    except wire.WireError as error:
        return {"ok": False, "reason": f"got something that is no answer: {error}"}
    if isinstance(value, NotAnswer):
        return {"ok": False, "reason": f"got {value.description}"}
    try:
        if isinstance(expectation, Asked):
            return judged(expectation, value, lambda: _of_task(expectation.task, jobs))
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


def _of_task(task: str, jobs: Sequence[Job]) -> Iterator[tuple[Asked, Any]]:
    """The visible probes of a task that came with an answer that can be read, and the answers."""
    for job in jobs:
        asked = job.expectation
        if isinstance(asked, Asked) and asked.task == task and asked.known and job.answer:
            with suppress(wire.WireError):
                value = packing.unpack(job.answer[1], bytes(job.tensors))
                yield asked, None if isinstance(value, NotAnswer) else value


class Judge:
    """The judge's process. expectations: of each test."""

    def __init__(
        self, channel: wire.Channel, expectations: dict[str, list[Any]], check_seconds: float
    ):
        self.channel, self.seconds = channel, check_seconds
        # with each, whether judging by it may keep something
        self.expectations = {
            test: [(one, not keeps_nothing(one)) for one in found]
            for test, found in expectations.items()
        }

    def serve(self) -> None:
        """Judge what comes, until the engine closes the channel."""
        _bound_memory()
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        while True:
            request, blob = self.channel.receive()
            jobs = self._jobs(request["tests"], blob)
            todo = jobs[request["begin"] :]
            here = next((at for at, job in enumerate(todo) if job.apart), len(todo))
            self._judge(todo[:here], jobs)
            if here < len(todo):
                self._judge_apart(todo[here:], jobs)

    def _jobs(self, tests: list, blob: bytes) -> list[Job]:
        """tests: [name, [[label, outline, bytes of its tensors], ...]], the tensors one after the
        other in blob."""
        offset, given, packed = 0, dict[str, list[tuple]](), memoryview(blob)
        for test, answers in tests:
            given[test] = []
            for label, outline, size in answers:
                given[test].append(([label, outline], packed[offset : offset + size]))
                offset += size
        jobs = []
        for test, answers in given.items():
            for at, (expectation, apart) in enumerate(self.expectations.get(test, [])):
                answer, tensors = answers[at] if at < len(answers) else (None, b"")
                jobs.append(Job(expectation, answer, tensors, apart))
        return jobs

    def _judge(self, todo: list[Job], jobs: list[Job]) -> None:
        """Write a line of JSON for each check, what `judge_one` found, until one takes too long:
        that ends this process, whatever it is doing."""
        for job in todo:
            signal.setitimer(signal.ITIMER_REAL, self.seconds)
            found = judge_one(job, jobs)
            self.channel.sock.sendall(json.dumps(found).encode() + b"\n")
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _judge_apart(self, todo: list[Job], jobs: list[Job]) -> None:
        """The same in a fork; where it ends before it is done, so does this process."""
        child = os.fork()
        if child == 0:
            code = 1
            try:
                end_with_parent()
                self._judge(todo, jobs)
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status:
            os._exit(1)


def _bound_memory() -> None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return  # not Linux: the time limit alone must do
    limit = pages * resource.getpagesize() + JUDGE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def fork_judge(
    control: wire.Channel, descriptor: int, expectations: dict[str, list[Any]], check_seconds: float
) -> None:
    """Fork a judge that hears of submissions through the socket `descriptor`. control: what it has
    to let go of."""
    if os.fork():
        return
    try:
        end_with_parent()
        control.close()
        channel = wire.Channel(socket.socket(fileno=descriptor))
        Judge(channel, expectations, check_seconds).serve()
    except (wire.Closed, BrokenPipeError, ConnectionResetError):
        pass  # the engine has lost its interest
    finally:
        os._exit(0)
