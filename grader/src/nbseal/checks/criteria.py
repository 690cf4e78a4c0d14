"""Criteria: what may stand in place of an expected value."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .answers import kind_of, shown_number
from .arrays import family_of, is_array, is_tensor

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Criterion:
    """A condition on an answer: `reason(answer)` returns None when it holds, else one sentence why
    it does not.

    secret: what an answer is scored against, where one that was invented without it cannot meet the
    condition; number: what the condition compares, None where it compares no number.
    """

    describes: str
    reason: Callable[[Any], str | None]
    flag: Callable[[Any], str | None] = lambda answer: None
    secret: Any = None
    number: Callable[[Any], float | None] = lambda answer: None


def _scalar(answer: Any) -> float | None:
    """The number an answer stands for (a number or a tensor of one element), or None."""
    if is_array(answer) and math.prod(answer.shape) == 1 and family_of(answer) != "complex":
        return float(answer.reshape(()))
    return (
        float(answer) if isinstance(answer, (int, float)) and not isinstance(answer, bool) else None
    )


def between(low: float, high: float) -> Criterion:
    """A number from low to high, both included."""
    if low == -math.inf:
        describes = f"at most {shown_number(high)}"
    else:
        describes = (
            f"at least {shown_number(low)}"
            if high == math.inf
            else f"between {shown_number(low)} and {shown_number(high)}"
        )

    def reason(answer: Any) -> str | None:
        number = _scalar(answer)
        if number is None:
            return f"got {kind_of(answer)}, wanted one number {describes}"
        return None if low <= number <= high else f"got {shown_number(number)}, wanted {describes}"

    return Criterion(describes, reason, number=_scalar)


def at_most(high: float) -> Criterion:
    """A number that is not above high."""
    return between(-math.inf, high)


def at_least(low: float) -> Criterion:
    """A number that is not below low."""
    return between(low, math.inf)


def where(message: str, predicate: Callable[[Any], bool]) -> Criterion:
    """Any answer for which the predicate is true; `message` completes 'wanted ...'. The predicate
    runs where answers are judged."""
    return Criterion(
        message,
        lambda answer: (
            None if bool(predicate(answer)) else f"got {kind_of(answer)}, wanted {message}"
        ),
    )


def loss_at_most(targets: Tensor, bound: float, implausible: float = -math.inf) -> Criterion:
    """Logits (N, classes) whose mean cross-entropy (nats) against targets (N,) is at most `bound`.

    A loss below `implausible` is accepted, and flagged for a person to look at.
    """

    def loss(logits: Tensor) -> float:
        functional = sys.modules["torch"].nn.functional
        return float(functional.cross_entropy(logits.double(), targets))

    def unfit(logits: Any) -> str | None:
        if (
            not is_tensor(logits)
            or logits.dim() != 2
            or len(logits) != len(targets)
            or not logits.is_floating_point()
        ):
            return f"got {kind_of(logits)}, wanted logits of shape ({len(targets)}, classes)"
        if int(targets.max()) >= logits.shape[1]:
            wanted = int(targets.max()) + 1
            return f"got logits over {logits.shape[1]} classes, wanted at least {wanted}"
        return None

    def reason(logits: Any) -> str | None:
        if said := unfit(logits):
            return said
        value = loss(logits)
        return None if value <= bound else f"the loss is {value:.3f}, wanted at most {bound:.3f}"

    def flag(logits: Any) -> str | None:
        return (
            f"the loss {loss(logits):.3f} is below the plausible {implausible:.3f}"
            if loss(logits) < implausible
            else None
        )

    def number(logits: Any) -> float | None:
        return None if unfit(logits) else loss(logits)

    return Criterion(f"a loss of at most {bound:.3f}", reason, flag, secret=targets, number=number)
