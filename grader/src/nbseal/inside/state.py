"""The global state of a session: names, random generators; put aside, and put back."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def seed_everything(seed: int) -> None:
    """Seed the global random generators that are loaded."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        _seed_torch(sys.modules["torch"], seed)


def _seed_torch(torch: Any, seed: int) -> None:
    """As torch.manual_seed, which first formats the whole stack for each kind of device that is not
    there: 0.4 ms."""
    accelerator = getattr(torch, "accelerator", None)
    if accelerator and not accelerator.is_available():
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)


def leave_no_debugging_aid() -> None:
    """Switch torch's search for anomalies off, which a cell of the student's may have left on for
    good reasons: it is slow, and a test asks whether a *function* has switched it on."""
    if "torch" in sys.modules:
        with suppress(Exception):  # the student's code has replaced a part of it
            sys.modules["torch"].autograd.set_detect_anomaly(False)


def remember(names: dict[str, Any]) -> Callable[[], None]:
    """Returns what puts a session's names, and the global random generators, back to what they are
    now.

    In a forked child, too: Python seeds `random` anew there.
    """
    before, states = dict(names), []
    for module, getter, setter in (
        ("random", "getstate", "setstate"),
        ("numpy.random", "get_state", "set_state"),
        ("torch.random", "get_rng_state", "set_rng_state"),
    ):
        if module in sys.modules:
            with suppress(Exception):  # the student's code has replaced a part of it
                states.append(
                    (getattr(sys.modules[module], setter), getattr(sys.modules[module], getter)())
                )

    def put_back() -> None:
        names.clear()
        names.update(before)
        for put, state in states:
            with suppress(Exception):
                put(state)

    return put_back
