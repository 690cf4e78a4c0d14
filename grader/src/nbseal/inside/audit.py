"""Facts about the expectations of a reference run, for `nbseal check`. Runs in the answer key's
process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nbseal import checks, packing
from nbseal.packing import digest


def audit(reference: Any) -> dict[str, list[dict]]:
    """Test -> for each of its checks what can be said without showing a value:

    label, hidden; answer: digest of the reference's answer; expected: digest of what is wanted, for
    a criterion of the
    secret that it scores against, None where there is none;
    tolerance; off: how far the reference is from what is wanted, in tolerances;
    mistakes: (message, whether it is rejected, its distance from the right value in tolerances).
    """
    return {
        test: [
            _about(expectation, hidden)
            for expectation, hidden in zip(expectations, reference.hidden[test])
        ]
        for test, expectations in reference.expectations.items()
        if all(isinstance(one, checks.Expectation) for one in expectations)  # no declared task
    }


def _about(expectation: checks.Expectation, hidden: bool) -> dict:
    tolerance = expectation.tolerance if expectation.tolerance is not None else checks.TOLERANCE
    return {
        "label": expectation.label,
        "hidden": hidden,
        "answer": digest(*packing.pack(expectation.answer)),
        "expected": _wanted(expectation.expected),
        "tolerance": tolerance,
        "off": _off(expectation, tolerance),
        "mistakes": [
            [message, *_mistake(value, expectation, tolerance)]
            for message, value in (expectation.mistakes or {}).items()
        ],
    }


def _wanted(expected: Any) -> str | None:
    if _has_criterion(expected):
        expected = getattr(expected, "secret", None)
    return None if expected is None else digest(*packing.pack(expected))


def _off(expectation: checks.Expectation, tolerance: float) -> float:
    """How far the reference's answer lies from the right value, in tolerances."""
    if not tolerance or _has_criterion(expectation.expected):
        return 0.0
    answer = expectation.answer
    picked = expectation.of(answer) if expectation.of else answer
    return separation(picked, expectation.expected) / tolerance


def _has_criterion(expected: Any) -> bool:
    if isinstance(expected, (tuple, list)):
        return any(_has_criterion(item) for item in expected)
    if isinstance(expected, Mapping):
        return any(_has_criterion(item) for item in expected.values())
    return isinstance(expected, checks.Criterion)


def _mistake(value: Any, expectation: checks.Expectation, tolerance: float) -> tuple[bool, float]:
    """Whether a mistake's value is rejected, and how many tolerances it lies from the right one
    (inf: of another form)."""
    if _has_criterion(value):
        if _has_criterion(expectation.expected):
            # two conditions: nothing to compare, the reference does not meet the wrong one
            return True, math.inf
        return not checks.judge(expectation.expected, value).ok, math.inf
    rejected = not checks.judge(value, expectation.expected, tolerance=expectation.tolerance).ok
    if _has_criterion(expectation.expected):
        return rejected, math.inf
    far = separation(value, expectation.expected)
    return rejected, far / tolerance if tolerance else (math.inf if far else 0.0)


def separation(value: Any, expected: Any) -> float:
    """How far two values are apart, on the scale on which tolerances are stated; inf where their
    forms differ."""
    if isinstance(expected, (tuple, list)):
        if not isinstance(value, (tuple, list)) or len(value) != len(expected):
            return math.inf
        return max((separation(v, e) for v, e in zip(value, expected)), default=0.0)
    if isinstance(expected, Mapping):
        if not isinstance(value, Mapping) or set(value) != set(expected):
            return math.inf
        return max((separation(value[key], expected[key]) for key in expected), default=0.0)
    if (
        expected is None
        or isinstance(expected, (str, bool))
        or value is None
        or isinstance(value, (str, bool))
    ):
        return 0.0 if type(value) is type(expected) and value == expected else math.inf
    if isinstance(value, (tuple, list, Mapping)):
        return math.inf
    return checks.distance(value, expected)
