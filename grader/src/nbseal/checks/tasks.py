"""by_hand, and what its watch has seen."""

from __future__ import annotations

import atexit
import sys
import types
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from .answers import kind_of
from .failing import CheckFailed
from .operations import OPERATIONS, Finding, unknown
from .watching import Watch

_by_hand = Watch()


def by_hand(target: Any, *, without: str | Sequence[str]) -> None:
    """Until the cell ends, fail when what the notebook defines calls a ready-made operation.

    target   the function, class or object that is to be written by hand
    without  a group of operations ("normalisation", "autograd", "attention", "convolution",
             "pooling", "softmax", "loss", "recurrence"), or a list of groups and of names, dotted
             where they are not Python's own: "sorted", "np.std", "list.sort", "scipy.stats"

    by_hand(layer_norm, without="normalisation")
    by_hand(softmax, without=["softmax", "log_softmax"])

    It counts whoever in the notebook calls the operation: the target, a helper, another cell's
    class. What the lines of the test cell themselves spell out, `F.layer_norm(x, (3,))` say, and
    what an `answer_key` block does, is the test's and does not count.
    """
    if not callable(target):
        raise CheckFailed(
            f"expected a function or class to check, got {kind_of(target)}: "
            "run the cell that defines it"
        )
    watch(target, [without] if isinstance(without, str) else list(without), sys._getframe(1))


def watch(target: Any, words: Sequence[str], frame: types.FrameType) -> None:
    """Watch a target from now on, as by_hand does; frame: of the test cell."""
    refuse_unknown(words)
    _by_hand.watch(target, words, frame)


def refuse_unknown(words: Sequence[str]) -> None:
    """Raise CheckFailed for a word that names no operation: nothing would be watched."""
    if (word := unknown(words)) is not None:
        raise CheckFailed(
            f"by_hand knows no {word!r}: write a group ({', '.join(OPERATIONS)}), a function of "
            "Python, or a dotted name like 'np.std', 'list.sort' or 'statistics.mean'"
        )


def paused(frame: types.FrameType | None) -> AbstractContextManager[None]:
    """While the test cell that a frame belongs to computes expected values."""
    return _by_hand.pause(frame)


def by_hand_findings() -> list[Finding]:
    """What the watch of by_hand has seen in this cell so far."""
    return _by_hand.findings()


def raise_violation(label: str) -> None:
    """Raise CheckFailed where the notebook's code called what a task must do without."""
    _by_hand.raise_violation(label)


def stop_watching() -> None:
    """End what by_hand began; in a notebook the end of the cell does."""
    _by_hand.release()


# What was watched without a notebook's shell, as in a script, ends with the script.
atexit.register(stop_watching)
