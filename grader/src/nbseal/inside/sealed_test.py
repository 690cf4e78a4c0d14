"""A sealed test cell at work in a process forked from a session: its answers are copied and sent
out.

Runs beside the student's code, which may read and change all of it; see inside/session.py.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import marshal
import os
import sys
import traceback
from collections import Counter
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from nbseal import packing, wire
from nbseal.cells import sealing
from nbseal.inside.declared_tasks import answers
from nbseal.inside.state import leave_no_debugging_aid
from nbseal.inside.warming import Warm
from nbseal.records import Limits, NotAnswer

MAX_ERROR = 4000
MAX_IMPORTED = 2000  # names of modules
WATCHED = 3  # probes of each by-hand target that the watch sees
MAX_OUTLINE = 2 << 20  # bytes of JSON in one answer


class TestRun:
    """A sealed test cell at work in a forked child."""

    __test__ = False  # not a pytest class

    def __init__(self, warm: Warm, channel: wire.Channel, limits: Limits, token: str):
        self.shell, self.channel, self.token = warm.shell, channel, token
        self.checks: Any = warm.checks  # a module
        self.room = limits.answer_bytes
        self.process = os.getpid()
        self.seen: list[Any] = []  # by a watch that has ended

    def run(self, test: dict, compiled: bytes) -> dict:
        """Run the sealed test, compiled by this same Python, with the key; returns the closing
        report."""
        names = self.shell.user_ns
        for checks in (self.checks, self._public_checks()):
            if hasattr(checks, "set_key"):
                checks.set_key(test["key"])
                checks.draw_with(test["draws_with"])
        if not names.keys().isdisjoint(test["binds"]):
            names = dict(names)  # the student's functions go on finding what the student bound
        names |= {sealing.PRIVATE + name: value for name, value in self._course_names().items()}
        leave_no_debugging_aid()
        known, end, error = _count(sys.modules), "completed", None
        try:
            self._execute(marshal.loads(compiled), names)
        # whatever a student's code raises, SystemExit included, is the test's result
        except BaseException as raised:
            end, error = "raised", _describe(raised)
        # the last of a dictionary's keys are the new ones; to read all would touch their pages
        more = _count(sys.modules) - known
        last = islice(reversed(sys.modules), more) if more > 0 else ()
        imported = sorted(name for name in last if isinstance(name, str))
        return {
            "end": end,
            "token": self.token,
            "error": error,
            "used": self._used(),
            "imported": imported[:MAX_IMPORTED],
        }

    @staticmethod
    def _public_checks() -> Any:
        """The module that the student's cells import, whatever they have put in its place."""
        return sys.modules.get("nbseal.checks")

    def release(self) -> None:
        """End what the test set up for its own duration."""
        self.checks.stop_watching()

    def _course_names(self) -> dict[str, Any]:
        names = {name: getattr(self.checks, name) for name in sealing.KEPT_NAMES}
        return names | {"expect": self._expect, "check": self._check}

    def _execute(self, code: CodeType, names: dict) -> None:
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, names))
        else:
            exec(code, names)

    def _expect(self, label: Any, answer: Any) -> None:
        """What `expect` is inside a sealed cell: copy the answer and send it out."""
        end_of_another(self.process)
        outline, blob = packing.pack(self._snapshot(answer), self.room)
        if len(json.dumps(outline)) > MAX_OUTLINE:
            outline, blob = packing.pack(NotAnswer("more than can be compared"))
        self.room -= len(blob)
        self.channel.send(
            {"answer": str(label)[:1000], "outline": outline, "token": self.token}, blob
        )

    def _check(self, name: str, probes: str, hidden: bool) -> None:
        """What `check` is inside a sealed cell: ask the probes of a task, and send the answers."""
        task, names = self.checks.declared.load(probes), LookedUp(self.shell.user_ns)
        watched = [
            target
            for target in (task.targets if task.by_hand and hidden else ())
            if callable(names.get(target))
        ]
        for target in watched:
            self.checks.watch(names.get(target), task.by_hand, sys._getframe(1))
        for label, answer in answers(self.checks, task, hidden, names):
            self._expect(label, answer)
            if watched and all(names.times[target] >= WATCHED for target in watched):
                # whoever comes through these has written it by hand, and a watch is slow
                self.seen, watched = [*self.seen, *self.checks.by_hand_findings()], []
                self.checks.stop_watching()

    def _snapshot(self, answer: Any) -> Any:
        try:
            return self.checks.snapshot(answer)
        except self.checks.NotAnAnswer as error:
            return NotAnswer(str(error))
        except Exception as error:  # an object whose own methods fail while it is copied
            return NotAnswer(f"something that cannot be copied ({type(error).__name__})")

    def _used(self) -> list[str]:
        """What the watch over by-hand tasks has seen, for cells/by_hand.py."""
        return [
            json.dumps([found.kind, found.target, found.what, found.library])
            for found in [*self.seen, *self.checks.by_hand_findings()]
        ]


class LookedUp(dict[str, Any]):
    """The names of a notebook; counts how often a probe has asked for each."""

    def __init__(self, names: dict[str, Any]):
        super().__init__(names)
        self.times: Counter[str] = Counter()

    def __getitem__(self, name: str) -> Any:
        self.times[name] += 1
        return super().__getitem__(name)


def end_of_another(process: int) -> None:
    """End this process if it is not that one: a student's code has forked it, has not ended it, and
    came back. The line is not its own."""
    if os.getpid() != process:
        os._exit(0)


def _count(modules: Any) -> int:
    """How many modules are loaded; none where a student's code has put something else there."""
    return len(modules) if isinstance(modules, dict) else 0


class Standing:
    """What could be carried from one test to the next, as far as it can be seen: what functions and
    classes of the notebook
    hold, and torch's modes."""

    def __init__(self, names: dict[str, Any]):
        self.names = names
        self.before = self._now()

    def has_changed(self) -> bool:
        """Whether anything is not what it was; also where the student's code does not let one
        look."""
        try:
            now = self._now()
            return now.keys() != self.before.keys() or any(
                held.keys() != now[key][1].keys()
                or any(value is not now[key][1][name] for name, value in held.items())
                for key, (_, held) in self.before.items()
            )
        except Exception:
            return True

    def _now(self) -> dict[int, tuple[object, dict[str, object]]]:
        """id -> (the thing, what it holds)."""
        found: dict[int, tuple[object, dict[str, object]]] = {0: (None, _modes())}
        todo = list(self.names.values())
        while todo:
            thing = todo.pop()
            if isinstance(thing, (staticmethod, classmethod)):
                thing = thing.__func__
            if (
                id(thing) in found
                or not isinstance(thing, (FunctionType, type))
                or thing.__module__ != "__main__"
            ):
                continue
            held = dict(vars(thing))
            if isinstance(thing, type):
                todo += [*held.values(), *thing.__bases__]
            else:
                held |= {"__defaults__": thing.__defaults__, "__kwdefaults__": thing.__kwdefaults__}
            found[id(thing)] = thing, held
        return found


def _modes() -> dict[str, object]:
    torch = sys.modules.get("torch")
    names = (
        "is_grad_enabled",
        "is_inference_mode_enabled",
        "get_default_dtype",
        "are_deterministic_algorithms_enabled",
    )
    return {name: getattr(torch, name)() for name in names} if torch else {}


def _describe(error: BaseException) -> dict:
    """An exception for the trusted side: its name, its text, and where in the student's cells it
    came from."""
    try:
        text = str(error)
    except Exception:
        text = ""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not _ours(frame.filename)
    ]
    where = "".join(traceback.format_list(frames[-8:]))
    return {
        "ename": type(error).__name__[:100],
        "evalue": text[:MAX_ERROR],
        "traceback": where[-MAX_ERROR:],
    }


def _ours(filename: str) -> bool:
    return filename.startswith(str(Path(__file__).resolve().parents[1]))
