"""Judging an answer: right or not, why not, and which known mistake explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .answers import kind_of, snapshot
from .comparing import mismatch
from .criteria import Criterion

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right; if not, why (reason) and which known mistake explains it; flag:
    for a person to look at; number: what a criterion compared."""

    ok: bool
    reason: str = ""
    mistake: str | None = None
    flag: str | None = None
    number: float | None = None


def judge(
    answer: Any,
    expected: Any,
    *,
    of: Callable | None = None,
    tolerance: float | None = None,
    mistakes: Mapping[str, Any] | None = None,
) -> Verdict:
    """Compare an answer (a snapshot) with what was expected. Pure: runs nothing of the
    student's."""
    exact, tolerance = tolerance is None, TOLERANCE if tolerance is None else tolerance
    if of is not None:
        if answer is None:
            return Verdict(False, "got None: is there a `return`?")
        try:
            answer = snapshot(of(answer))
        # any failure to read the part means that the answer is not of the form asked for
        except Exception:
            return Verdict(False, f"got {kind_of(answer)}, which is not of the form asked for")
    try:
        reason = mismatch(answer, expected, tolerance, exact=exact)
    # a predicate may fail on an answer of a form its author did not think of
    except Exception as error:
        return Verdict(
            False, f"got {kind_of(answer)}, which could not be checked ({type(error).__name__})"
        )
    number = expected.number(answer) if isinstance(expected, Criterion) else None
    if reason is None:
        flag = expected.flag(answer) if isinstance(expected, Criterion) else None
        return Verdict(True, flag=flag, number=number)
    found = (
        message
        for message, value in (mistakes or {}).items()
        if _is_mistake(answer, value, tolerance, exact)
    )
    mistake = next(found, None)
    # a None that nobody expected is most often a function without a return; one that has a name
    # (no gradient, no error raised) is not
    if answer is None and mistake is None and not isinstance(expected, (str, Criterion)):
        reason = "got None: is there a `return`?"
    return Verdict(False, reason, mistake, number=number)


def _is_mistake(answer: Any, value: Any, tolerance: float, exact: bool) -> bool:
    try:
        return mismatch(answer, value, tolerance, exact=exact) is None
    except Exception:  # as in judge: a criterion that cannot read this answer does not describe it
        return False
