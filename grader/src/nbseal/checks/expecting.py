"""expect: one answer against one expected value, in a notebook; and its recording for graders."""

from __future__ import annotations

import contextlib
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .answers import NotAnAnswer, kind_of, snapshot
from .criteria import Criterion
from .failing import CheckFailed
from .judging import judge
from .tasks import paused, raise_violation


@dataclass(frozen=True)
class Expectation:
    """One call of expect, as recorded by record_expectations."""

    label: str
    answer: Any
    expected: Any
    of: Callable | None
    tolerance: float | None
    mistakes: Mapping[str, Any]


_recorders: list[list[Expectation]] = []


def expect(
    label: str,
    answer: Any,
    expected: Any,
    *,
    of: Callable | None = None,
    tolerance: float | None = None,
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """Check one answer: print a tick, or raise an AssertionError that says what differs and, where
    known, why.

    label      what is being checked, in your words
    answer     what your code returned: tensor, number, bool, string, None, or tuples, lists, dicts
    of them
    expected   the right value, or a criterion (at_most, at_least, between, where, loss_at_most)
    of         a function applied to the answer before it is compared, e.g. `second`
    tolerance  largest relative error (see `distance`); 1e-4 unless told, and none for whole numbers
    mistakes   message -> the value that a known mistake gives
    """
    raise_violation(label)
    try:
        answer = snapshot(answer)
    except NotAnAnswer as error:
        raise CheckFailed(f"{label}\n  got {error}, wanted {_wanted(expected)}") from None
    expected = snapshot_expected(expected)
    mistakes = {message: snapshot_expected(value) for message, value in (mistakes or {}).items()}
    for recorder in _recorders:
        recorder.append(Expectation(label, answer, expected, of, tolerance, mistakes))
    verdict = judge(answer, expected, of=of, tolerance=tolerance, mistakes=mistakes)
    if not verdict.ok:
        explained = f"\n  → {verdict.mistake}" if verdict.mistake else ""
        raise CheckFailed(f"{label}\n  {verdict.reason}{explained}")
    print(f"✓ {label}")


def snapshot_expected(expected: Any) -> Any:
    """A copy of an expected value; criteria, also inside tuples, lists and dicts, are kept as they
    are."""
    if isinstance(expected, Criterion):
        return expected
    if isinstance(expected, (tuple, list)):
        items = [snapshot_expected(item) for item in expected]
        return items if isinstance(expected, list) else tuple(items)
    if isinstance(expected, Mapping):
        return OrderedDict((key, snapshot_expected(value)) for key, value in expected.items())
    return snapshot(expected)


def _wanted(expected: Any) -> str:
    return expected.describes if isinstance(expected, Criterion) else kind_of(expected)


@contextlib.contextmanager
def answer_key() -> Iterator[None]:
    """Marks code that computes expected values. When notebooks are graded it runs apart from the
    student's code."""
    with paused(sys._getframe(1)):
        yield


@contextlib.contextmanager
def record_expectations(into: list[Expectation]) -> Iterator[list[Expectation]]:
    """While active, every call of expect is appended to the list before it is judged."""
    _recorders.append(into)
    try:
        yield into
    finally:
        _recorders.remove(into)
