"""Waiting for something to be so, and never for a number of seconds."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
SECONDS = 60.0  # for anything, on a busy machine


def wait_until(
    found: Callable[[], Found],
    what: str | Callable[[], str],
    *,
    seconds: float = SECONDS,
    every: float = 0.02,
) -> Found:
    """Ask `found` again and again until what it returns is true, and return that. Raises
    TimeoutError with `what` was waited for when the seconds are over."""
    deadline = time.monotonic() + seconds
    while not (result := found()):
        if time.monotonic() > deadline:
            said = what() if callable(what) else what
            raise TimeoutError(f"not within {seconds:g} s: {said}")
        time.sleep(every)
    return result
