"""What the engine's tests share: a course small enough to start in a second, and notebooks from lists of cells."""

from pathlib import Path

import nbformat

UTILS = '''\
"""A course without torch."""
import contextlib
import random
from dataclasses import dataclass

_key = "notebook"
_recorders = []

class NotAnAnswer(TypeError):
    pass

class CheckFailed(AssertionError):
    pass

@dataclass
class Verdict:
    ok: bool
    reason: str = ""
    mistake: str = None
    flag: str = None

@dataclass
class Expectation:
    label: str
    answer: object
    expected: object
    of: object
    tolerance: float
    mistakes: dict

def set_key(key):
    global _key
    _key = key

def sample(*shape, seed):
    numbers = random.Random(f"{_key} {shape} {seed}")
    return [numbers.randrange(1000) for _ in range(shape[0])]

def snapshot(answer):
    if isinstance(answer, (list, tuple)):
        return [snapshot(item) for item in answer]
    if type(answer) not in (int, float, str, bool, type(None)):
        raise NotAnAnswer(f"a {type(answer).__name__}")
    return answer

def raises(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return type(error).__name__

def judge(answer, expected, *, of=None, tolerance=None, mistakes=None):
    if of is not None:
        answer = of(answer)
    if callable(expected):
        return Verdict(bool(expected(answer)), "the predicate says no")
    if answer == expected:
        return Verdict(True)
    found = [message for message, value in (mistakes or {}).items() if value == answer]
    return Verdict(False, f"got {answer}, wanted {expected}", found[0] if found else None)

def expect(label, answer, expected, *, of=None, tolerance=None, mistakes=None):
    answer = snapshot(answer)
    for recorder in _recorders:
        recorder.append(Expectation(label, answer, expected, of, tolerance, mistakes or {}))
    verdict = judge(answer, expected, of=of, tolerance=tolerance, mistakes=mistakes)
    if not verdict.ok:
        raise CheckFailed(f"{label}: {verdict.reason}")
    print("✓", label)

@contextlib.contextmanager
def record_expectations(into):
    _recorders.append(into)
    try:
        yield into
    finally:
        _recorders.remove(into)

@contextlib.contextmanager
def answer_key():
    yield
'''


def make_course(folder: Path) -> Path:
    """A course of one file."""
    (folder / "utils.py").write_text(UTILS)
    return folder


def code(source: str, grade_id: str | None = None, *, test: bool = False, solution: bool = False, tags: list | None = None,
         points: float = 1):
    """A code cell, marked for nbgrader where it has a name."""
    cell = nbformat.v4.new_code_cell(source)
    if grade_id:
        cell.metadata["nbgrader"] = {"grade_id": grade_id, "grade": test, "solution": solution, "locked": test,
                                     "schema_version": 3, "task": False} | ({"points": points} if test else {})
    if tags:
        cell.metadata["tags"] = tags
    return cell


def notebook(*cells):
    """A notebook of copies of these cells, each with an id of its own; texts become code cells."""
    copies = [code(cell) if isinstance(cell, str) else nbformat.from_dict(dict(cell, id=f"cell-{number}"))
              for number, cell in enumerate(cells)]
    return nbformat.v4.new_notebook(cells=copies)


def text_of(cell) -> str:
    """All that a cell printed to stdout."""
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")


def error_of(cell):
    """The cell's error output, None if there is none."""
    return next((output for output in cell.outputs if output.output_type == "error"), None)
