"""A judge: a process forked from the answer key's that compares the answers of one submission with
what was expected.

So none waits for another, none finds what a predicate has left of one before it, and each has a
limit of time and memory: an answer made to hang or crash a predicate ends its judge, fails its
check and nothing more, for what comes after it is asked of another judge.
"""

from __future__ import annotations

import json
import math
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
from nbseal.inside.spelling import spelled
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


def judge_one(expectation: Any, answer: list | None, blob: bytes, jobs: Sequence[Job] = ()) -> dict:
    """Compare one packed answer with one expectation; returns fields of a CheckResult. jobs: all of
    the submission."""
    if answer is None or answer[0] != expectation.label:
        return {"ok": False, "reached": False}
    try:
        value = packing.unpack(answer[1], blob)
    except wire.WireError as error:
        return {"ok": False, "reason": f"got something that is no answer: {error}"}
    if isinstance(value, NotAnswer):
        return {"ok": False, "reason": f"got {value.description}"}
    try:
        if isinstance(expectation, Asked):
            found = judged(expectation, value, lambda: _of_task(expectation.task, jobs))
            shown = {} if found["ok"] else {"answer": spelled(value, answer[1], blob)}
            return found | {"reason": found["reason"][:MAX_REASON]} | shown
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
    found = {
        "ok": bool(verdict.ok),
        "reason": str(verdict.reason)[:MAX_REASON],
        "mistake": verdict.mistake,
        "flag": verdict.flag,
    }
    if verdict.number is not None and math.isfinite(verdict.number):
        found["number"] = verdict.number
    return found if verdict.ok else found | {"answer": _shown(value, answer[1], blob, expectation)}


def _of_task(task: str, jobs: Sequence[Job]) -> Iterator[tuple[Asked, Any]]:
    """The visible probes of a task that came with an answer that can be read, and the answers."""
    for job in jobs:
        asked = job.expectation
        if isinstance(asked, Asked) and asked.task == task and asked.known and job.answer:
            with suppress(wire.WireError):
                value = packing.unpack(job.answer[1], bytes(job.tensors))
                yield asked, None if isinstance(value, NotAnswer) else value


def _shown(value: Any, outline: Any, blob: bytes, expectation: Any) -> str:
    """A wrong answer, or the part of it that was looked at, where `of` says so."""
    if expectation.of in (checks.first, checks.second):
        number = int(expectation.of is checks.second)
        if isinstance(value, (tuple, list)) and number < len(value):
            ((_, parts),) = outline.items()
            return spelled(value[number], parts[number], blob)
    return spelled(value, outline, blob)


def _jobs(tests: list, blob: bytes, expectations: dict[str, list[Any]]) -> list[Job]:
    """tests: [name, [[label, outline, bytes of its tensors], ...]], the tensors one after the other
    in blob."""
    offset, given, packed = 0, dict[str, list[tuple]](), memoryview(blob)
    for test, answers in tests:
        given[test] = []
        for label, outline, size in answers:
            given[test].append(([label, outline], packed[offset : offset + size]))
            offset += size
    jobs = []
    for test, answers in given.items():
        for at, expectation in enumerate(expectations.get(test, [])):
            answer, tensors = answers[at] if at < len(answers) else (None, b"")
            jobs.append(Job(expectation, answer, tensors))
    return jobs


def _judge(channel: wire.Channel, expectations: dict[str, list[Any]], check_seconds: float) -> None:
    """Write a line of JSON for each check, what `judge_one` found, until one takes too long: that
    ends this process, whatever it is doing. expectations: of each test."""
    _bound_memory()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    request, blob = channel.receive()
    jobs = _jobs(request["tests"], blob, expectations)
    for job in jobs[request["begin"] :]:
        signal.setitimer(signal.ITIMER_REAL, check_seconds)
        found = judge_one(job.expectation, job.answer, bytes(job.tensors), jobs)
        channel.sock.sendall(json.dumps(found).encode() + b"\n")


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
    """Fork a judge that hears of a submission through the socket `descriptor`. control: what it has
    to let go of."""
    if os.fork():
        return
    try:
        end_with_parent()
        control.close()
        channel = wire.Channel(socket.socket(fileno=descriptor))
        _judge(channel, expectations, check_seconds)
    except (wire.Closed, BrokenPipeError, ConnectionResetError):
        pass  # the engine has lost its interest
    finally:
        os._exit(0)
