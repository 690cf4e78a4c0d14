"""What Ctrl-C and its kin do: while a command is being loaded it ends at once and says nothing, and
afterwards it ends as one that was interrupted.

A signal that was ignored when the command began, as `nohup` has it, stays ignored.
"""

import os
import signal
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 130  # what shells report for a process that Ctrl-C has ended
# Ctrl-C, a batch system that ends us, a terminal that is closed, and Ctrl-\
_ENDING = tuple(
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

    _on_signals(leave)


def raise_interrupt() -> None:
    """From here on these signals raise KeyboardInterrupt in the main thread."""
    _on_signals(signal.default_int_handler)


def _on_signals(handler: Callable[[int, FrameType | None], object]) -> None:
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
