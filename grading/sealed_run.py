"""A sealed test cell at work in a process forked from a session: its answers are copied and sent out.

Runs beside the student's code, which may read and change all of it; see grading/session.py.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from grading import sealing, wire
from grading.records import Limits, NotAnswer
from grading.warming import Warm

MAX_ERROR = 4000
MAX_IMPORTED = 2000  # names of modules
MAX_OUTLINE = 2 << 20  # bytes of JSON in one answer


class TestRun:
    """A sealed test cell at work in a forked child."""

    __test__ = False  # not a pytest class

    def __init__(self, warm: Warm, channel: wire.Channel, limits: Limits, token: str):
        self.shell, self.course, self.channel, self.token = warm.shell, warm.course, channel, token
        self.room = limits.answer_bytes

    def run(self, test: dict) -> dict:
        """Run the sealed source with the key; returns the closing report."""
        names = self.shell.user_ns
        for course in {id(module): module for module in (self.course, sys.modules.get("utils")) if module}.values():
            if hasattr(course, "set_key"):
                course.set_key(test["key"])
        names |= {sealing.PRIVATE + name: value for name, value in self._course_names().items()}
        known, end, error = _loaded(), "completed", None
        try:
            self._execute(test["source"], names)
        except BaseException as raised:  # whatever a student's code raises, SystemExit included, is the test's result
            end, error = "raised", _describe(raised)
        imported = sorted(_loaded() - known)[:MAX_IMPORTED]
        return {"end": end, "token": self.token, "error": error, "used": self._used(), "imported": imported}

    def release(self) -> None:
        """End what the test set up for its own duration."""
        if hasattr(self.course, "_by_hand"):
            self.course._by_hand.release()

    def _course_names(self) -> dict[str, Any]:
        names = {name: getattr(self.course, name) for name in sealing.KEPT_NAMES if hasattr(self.course, name)}
        return names | {"expect": self._expect}

    def _execute(self, source: str, names: dict) -> None:
        code = compile(source, "<test>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, names))
        else:
            exec(code, names)

    def _expect(self, label: Any, answer: Any) -> None:
        """What `expect` is inside a sealed cell: copy the answer and send it out."""
        if hasattr(self.course, "_by_hand"):
            self.course._by_hand.raise_violation(str(label))
        outline, blob = wire.pack(self._snapshot(answer), self.room)
        if len(json.dumps(outline)) > MAX_OUTLINE:
            outline, blob = wire.pack(NotAnswer("more than can be compared"))
        self.room -= len(blob)
        self.channel.send({"answer": str(label)[:1000], "outline": outline, "token": self.token}, blob)

    def _snapshot(self, answer: Any) -> Any:
        try:
            return self.course.snapshot(answer)
        except self.course.NotAnAnswer as error:
            return NotAnswer(str(error))
        except Exception as error:  # an object whose own methods fail while it is copied
            return NotAnswer(f"something that cannot be copied ({type(error).__name__})")

    def _used(self) -> list[str]:
        violation = getattr(getattr(self.course, "_by_hand", None), "violation", None)
        return [violation] if violation else []


def _loaded() -> set[str]:
    """The names of the modules that are loaded."""
    return {name for name in list(sys.modules) if isinstance(name, str)} if isinstance(sys.modules, dict) else set()


def remember(names: dict[str, Any]) -> Callable[[], None]:
    """Returns what puts a session's names, and the global random generators, back to what they are now.

    In a forked child, too: Python seeds `random` anew there.
    """
    before, states = dict(names), []
    for module, getter, setter in (("random", "getstate", "setstate"), ("numpy.random", "get_state", "set_state"),
                                   ("torch.random", "get_rng_state", "set_rng_state")):
        if module in sys.modules:
            with suppress(Exception):  # the student's code has replaced a part of it
                states.append((getattr(sys.modules[module], setter), getattr(sys.modules[module], getter)()))

    def put_back() -> None:
        names.clear()
        names.update(before)
        for put, state in states:
            with suppress(Exception):
                put(state)
    return put_back


def _describe(error: BaseException) -> dict:
    """An exception for the trusted side: its name, its text, and where in the student's cells it came from."""
    try:
        text = str(error)
    except Exception:
        text = ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _ours(frame.filename)]
    where = "".join(traceback.format_list(frames[-8:]))
    return {"ename": type(error).__name__[:100], "evalue": text[:MAX_ERROR], "traceback": where[-MAX_ERROR:]}


def _ours(filename: str) -> bool:
    return filename.startswith(str(Path(__file__).parent))
