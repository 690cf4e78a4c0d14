"""The same work on many things, on all processors."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

WORTH_ONE = 100  # things to do, for which a further process is begun
AT_ONCE = 25  # things that a process is handed

Thing = TypeVar("Thing")
Done = TypeVar("Done")
_work: Callable[[Any], Any]  # in a process of ours: what it is here for


def in_processes(work: Callable[[Thing], Done], things: list[Thing]) -> list[Done]:
    """`work` of each thing, in their order; raises what it raises. What it returns is pickled,
    where there is enough to do and processes can be forked; `work` itself is not."""
    processors = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    count = min(processors, len(things) // WORTH_ONE)
    if count < 2:
        return [work(thing) for thing in things]
    with ProcessPoolExecutor(
        count, multiprocessing.get_context("fork"), initializer=_begin, initargs=(work,)
    ) as pool:
        return list(pool.map(_do, things, chunksize=AT_ONCE))


def _begin(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
    gc.freeze()  # what was there before stays as it is


def _do(thing: Any) -> Any:
    return _work(thing)
