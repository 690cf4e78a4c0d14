"""What Ctrl-C and its kin do: while a command is being loaded it ends at once and says nothing, and
afterwards it ends as one that was interrupted.

A signal that was ignored when the command began, as `nohup` has it, stays ignored.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # what shells report for a process that Ctrl-C has ended
# Ctrl-C, a batch system that ends us, a terminal that is closed, and Ctrl-\
ENDING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
    if hasattr(signal, name)
)


def leave_quietly(first: Callable[[], object] = lambda: None) -> None:
    """From here on these signals end the process: nothing has begun that would have to be tidied up
    but what `first` does. An exception could come up anywhere in an import, and be shown."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        try:
            first()
        finally:
            os._exit(INTERRUPTED)

    on_signals(leave)


def raise_interrupt() -> None:
    """From here on these signals raise KeyboardInterrupt in the main thread."""
    on_signals(signal.default_int_handler)


@contextmanager
def held_back() -> Iterator[None]:
    """Have an interrupt wait until this is done: so that what is saved is also said to be, and so
    that no fork is in its way. There logging and others take their locks in functions that Python
    calls; an exception in one of these is dropped, and its lock stays taken for ever. The second
    one does not wait: it comes from somebody who has lost patience."""
    waiting: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        if waiting:
            signal.default_int_handler(number, frame)
        waiting.append(number)

    raising = [one for one in ENDING if signal.getsignal(one) is signal.default_int_handler]
    if threading.current_thread() is not threading.main_thread():
        raising = []  # no other is interrupted
    for number in raising:
        signal.signal(number, remember)
    try:
        yield
    finally:
        for number in raising:
            signal.signal(number, signal.default_int_handler)
        if waiting:
            raise KeyboardInterrupt


def on_signals(handler: Callable[[int, FrameType | None], object]) -> None:
    """From here on these signals do this, unless they were ignored."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
