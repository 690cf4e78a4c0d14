"""Whatever comes in from a submission - its notebook, what its session says, answers, files -, the
trusted side raises nothing, ends within its budget, and gives it nothing that it has not earned.

`python grader/tests/test_trusted_side.py 3600` goes on for so many seconds and prints the counts.
"""

import base64
import copy
import io
import json
import math
import os
import random
import resource
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import redirect_stdout, suppress
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from nbseal import checks, folders, wire
from nbseal.cells.sealing import ByHand, seal
from nbseal.engine import line, session
from nbseal.engine.answer_key import result_of
from nbseal.engine.prepared import Prepared
from nbseal.engine.reading import _plan, _students
from nbseal.engine.reference import Skipped
from nbseal.engine.verdicts import graded_execution
from nbseal.inside.judging import judge_one
from nbseal.intake.damage import Damaged
from nbseal.intake.repair import reading
from nbseal.intake.repair.skeleton import Skeleton
from nbseal.intake.repair.submission import repaired_on
from nbseal.notebook.text import ACTING, plain, without_paths
from nbseal.pages.safe_html import clean
from nbseal.pages.safe_notebook import SafeToLookAt
from nbseal.records import CellOrder, Check, Limits, Order, Work
from nbseal.view import CourseView
from support import hostile_input
from support.engine_tools import code, notebook

SECONDS = 3.0  # of CPU for one example; an ordinary one takes some milliseconds
SECRET = 4827.125  # what a right answer is; nothing draws it

DOUBLE = code("def double(x):\n    pass", "double", solution=True)
SOURCE = (
    'expect("twice", double(3), 4827.125, mistakes={"no": 1})\n'
    "### BEGIN HIDDEN TESTS\n"
    'expect("listed", [double(3)], [4827.125])\n'
    "### END HIDDEN TESTS\n"
    'by_hand(double, without="normalisation")\n'
)
TEST = code(SOURCE, "double_test", test=True)
RELEASED = notebook("from utils import *", DOUBLE, TEST, "print(1)")
SKELETON = Skeleton(RELEASED)
SEALED = seal(SOURCE)
EXPECTED: list = []
with checks.record_expectations(EXPECTED), redirect_stdout(io.StringIO()):
    for label, value in (("twice", SECRET), ("listed", [SECRET])):
        checks.expect(label, copy.copy(value), value)


def _kept_apart(value) -> bool:
    """Whether the right answer is not drawn by chance."""
    return str(SECRET) not in repr(value)


# ---- What is done with it ------------------------------------------------------------------------


def take_notebook(content: bytes) -> str:
    """From a file to what a session is asked to run, and to what a person sees."""
    try:
        nb = repaired_on(SKELETON, reading.parse(content))
    except Damaged as damaged:
        str(damaged).encode()
        return "damaged"
    nbformat.validate(nb, relax_add_props=True)
    json.dumps(nb)
    order = PREPARED.order(Work("ada", "n", nb, None), VIEW, Limits(), frozenset())
    cells = [(c.index, c.source, c.grade_id, c.test, c.checks, c.own) for c in order.cells]
    planned = _plan(
        {
            "cells": cells,
            "modules": [],
            "own": _students(nb),
            "by_hand": [
                (c.index, [("double", ("normalisation",), False)]) for c in order.cells if c.test
            ],
        }
    )
    assert sorted(index for step in planned["steps"] for index in step) == [
        c.index for c in order.cells
    ]
    assert all(cell.source == SEALED.source for cell in order.cells if cell.test)
    SafeToLookAt().preprocess(copy.deepcopy(nb), {})
    return "rebuilt" if "nbseal_repair" in nb.metadata else "as it was"


def take_session(script: list[list]) -> str:
    """A session that says what the script says; returns what became of its test."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            execution = session.execute(ORDER, _Scripted(script), Path(scratch))
        except session.WorkerDied:
            return "the worker is blamed"
    result = _graded(execution)
    assert not any(verdict.passed for verdict in result.verdicts)
    shown = copy.deepcopy(RELEASED)
    for index, cell in result.cells.items():
        shown.cells[index].outputs = cell.outputs
    nbformat.validate(shown, relax_add_props=True)
    text = json.dumps(shown, ensure_ascii=False).encode()
    assert b"_course_expect" not in text or b"_course_expect" in repr(script).encode()
    SafeToLookAt().preprocess(shown, {})
    assert all(isinstance(flag, str) and flag.encode() for flag in result.flags)
    return (result.problem and result.problem.split(" in cell")[0][:40]) or "it came to its end"


class _Scripted:
    """Stands where a worker is: forks no session, and speaks for it."""

    def __init__(self, script: list[list]):
        self.script = list(script)

    def warm(self, *_) -> None:
        pass

    def kill(self) -> None:
        pass

    def ask(self, request: dict, seconds: float = 1, fds: tuple = ()) -> dict:
        if request["do"] == "session":
            sock = socket.socket(fileno=os.dup(fds[0]))
            threading.Thread(target=self._speak, args=(sock,), daemon=True).start()
            return {}
        return {
            "did": request["do"],
            "status": 0,
            "cpu": 0.0,
            "memory": 0,
            "excess": None,
            "short": False,
            "threads": 0,
        }

    def _speak(self, sock: socket.socket) -> None:
        """What follows a test's key is about the test that was asked for."""
        channel, asked = wire.PacketChannel(sock), {}
        with suppress(wire.WireError, OSError):
            channel.send({"did": "start"})
            for frames in self.script:
                request, _ = channel.receive()
                asked = request if "token" in request else asked
                for frame in frames:
                    if isinstance(frame, bytes):
                        sock.sendall(frame)
                    else:
                        channel.send(_filled(frame[0], asked), frame[1])
            channel.receive()
        sock.close()


def _filled(frame: dict, request: dict) -> dict:
    tests = request.get("tests") or ["?"]
    known = {"TOKEN": request.get("token", "?"), "TEST": tests[0]}
    return {
        key: known.get(value, value) if isinstance(value, str) else value
        for key, value in frame.items()
    }


def _graded(execution):
    judged = {}
    for record in execution.tests.values():
        answers = [([one.label, one.outline], one.tensors) for one in record.answers]
        results = []
        for number, wanted in enumerate(EXPECTED):
            answer, blob = answers[number] if number < len(answers) else (None, b"")
            check = Check(wanted.label, hidden=number == 1)
            results.append(result_of(check, judge_one(wanted, answer, blob)))
        judged["double_test"] = results
    hands = {"double_test": [ByHand("double", ("normalisation",), False)]}
    return graded_execution(RELEASED, ORDER, execution, judged, hands, {2: ["a doubt"]})


HONEST = [
    [({"did": "TOKEN", "status": "ok"}, b"[]")],
    [({"did": "TOKEN", "status": "ok"}, b"[]")],
    [({"ready": "TEST"}, b"")],
    [
        ({"answer": "twice", "outline": SECRET, "token": "TEST"}, b""),
        ({"answer": "listed", "outline": {"list": [SECRET]}, "token": "TEST"}, b""),
        ({"end": "completed", "token": "TEST"}, b""),
        ({"did": "TOKEN", "how": "exited"}, b""),
    ],
    [({"did": "TOKEN", "status": "ok"}, b"[]")],
]


def honest_passes() -> bool:
    """Whether a right submission still gets its points from this very process."""
    with tempfile.TemporaryDirectory() as scratch:
        execution = session.execute(ORDER, _Scripted(HONEST), Path(scratch))
    return [verdict.passed for verdict in _graded(execution).verdicts] == [True]


def take_answer(packed: tuple) -> str:
    """An answer as it is judged: its outline, and its tensors."""
    outline, blob = packed
    found = [judge_one(wanted, [wanted.label, outline], blob) for wanted in EXPECTED]
    assert not any(one["ok"] for one in found)
    json.dumps(found)
    return "refused" if "no answer" in found[0]["reason"] else "wrong"


def take_files(written: dict[str, bytes]) -> str:
    """Files that a session sends at its end, put beside its notebook."""
    told = {name: base64.b64encode(content).decode() for name, content in written.items()}
    try:
        named = sorted(
            (session.safe_name(name), session._decoded(text)) for name, text in told.items()
        )
    except ValueError:
        return "refused"
    with tempfile.TemporaryDirectory() as outside:
        folder = Path(outside, "results")
        folder.mkdir()
        with suppress(ValueError):
            folders.write_session_files(named, folder, {"tasks"})
        assert [path.name for path in Path(outside).iterdir()] == ["results"]
        parts = {
            part.casefold() for path in folder.rglob("*") for part in path.relative_to(folder).parts
        }
        assert not parts & {"tasks.ipynb", "tasks.html", ".git", "timestamp.txt", "conftest.py"}
        assert not any(part.endswith(".pth") for part in parts)
        shutil.rmtree(folder)
    return "written"


def take_text(text: str) -> str:
    """Text on its way to a terminal, a comment, a page."""
    import unicodedata

    shown = plain(text)
    assert (
        not any(unicodedata.category(one) in ACTING - {"Co", "Cn"} for one in shown)
        and "\n" not in shown
    )
    without_paths(text).encode("utf-8", "replace")
    page = clean(text.encode("utf-8", "replace").decode())
    assert "<script" not in page.lower() and "<iframe" not in page.lower()
    return "shown"


VIEW = CourseView("/course")
PREPARED = Prepared(
    {"double_test": SEALED}, "key", (), "python", Skipped.of(RELEASED), [], frozenset()
)
ORDER = Order(
    (
        CellOrder(0, "from utils import *"),
        CellOrder(1, "def double(x): ..."),
        CellOrder(2, SEALED.source, "double_test", True, 2),
        CellOrder(3, "print(1)"),
    ),
    VIEW,
    "key",
    Limits(cell_seconds=0.05, session_seconds=2),
    draws_with="python",
)
ANSWERS = st.tuples(hostile_input.outlines.filter(_kept_apart), hostile_input.blobs)
TARGETS = {
    "notebooks": (take_notebook, hostile_input.notebooks(RELEASED)),
    "sessions": (take_session, hostile_input.scripts().filter(_kept_apart)),
    "answers": (take_answer, ANSWERS),
    "files": (take_files, hostile_input.files),
    "texts": (take_text, hostile_input.markup),
}


def fuzz(target: str, examples: int, start: int, count: Counter | None = None) -> float:
    """So many examples for one target; returns the CPU seconds of the slowest."""
    take, drawn = TARGETS[target]
    worst = [0.0]

    @seed(start)
    @settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(drawn)
    def one(example):
        began = time.process_time()
        became = take(example)
        worst[0] = max(worst[0], time.process_time() - began)
        assert time.process_time() - began < SECONDS
        if count is not None:
            count[f"{target}: {became}"] += 1

    one()
    return worst[0]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(session, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr("nbseal.engine.sealed_tests.GRACE_SECONDS", 0.1)


@pytest.mark.parametrize("target", TARGETS)
def test_whatever_comes_in_is_dealt_with(target):
    fuzz(target, 40 if target == "sessions" else 150, start=random.Random(target).randrange(2**32))
    assert honest_passes()


@pytest.mark.parametrize(
    "name", ([], {}, [["double"]], None, True, 1, 1.5, "", "another"), ids=repr
)
def test_a_cells_name_may_be_anything(name):
    handed = copy.deepcopy(RELEASED)
    handed.cells[1].metadata.nbgrader.grade_id = name
    assert take_notebook(json.dumps(handed).encode()) == "rebuilt"


def main(seconds: float) -> None:
    """Fuzz until the time is over."""
    session.GRACE_SECONDS = 0.1
    sys.modules["nbseal.engine.sealed_tests"].GRACE_SECONDS = 0.1
    assert line.GRACE_SECONDS
    until, count, worst = time.monotonic() + seconds, Counter(), dict.fromkeys(TARGETS, 0.0)
    for start in range(10**9):
        for target in TARGETS:
            took = fuzz(target, 100 if target == "sessions" else 400, start, count)
            worst[target] = max(worst[target], took)
        assert honest_passes()
        if time.monotonic() > until or start % 5 == 4:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            slow = ", ".join(f"{target} {took:.2f} s" for target, took in worst.items())
            print(f"{count.total()} examples; slowest: {slow}; {memory} MB", flush=True)
        if time.monotonic() > until:
            break
    for became, times in sorted(count.items()):
        print(f"{times:8} {became}")


if __name__ == "__main__":
    assert not math.isnan(SECRET)
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60)
