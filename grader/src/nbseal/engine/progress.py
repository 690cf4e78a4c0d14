"""Where a session stands: the cell it is at, until when it may run, and how its end is told.

A session that has seen a hidden test may choose how it ends. So what a student reads of an end is
the cell, what this program measured itself, and nothing that the session chose: no exit status, no
signal, no number out of a frame.
"""

from __future__ import annotations

import signal
import time

from nbseal import wire
from nbseal.records import OUT_OF_CPU, CellOrder, Limits


class Stop(Exception):
    """The session cannot go on; the text is the problem to report."""


class Progress:
    """The cell that a session is at, and the time it has. `end` is on the monotonic clock."""

    def __init__(self, limits: Limits, spent: float = 0.0):
        """spent: seconds that earlier attempts at the same submission have used."""
        self.limits = limits
        self.cell: CellOrder | None = None
        self.started = time.monotonic()
        self.end = self.started + max(0.0, limits.session_seconds - spent)

    def turn_to(self, cell: CellOrder) -> None:
        """Go on to a cell. Raises Stop when the time is over."""
        if time.monotonic() > self.end:
            raise Stop(f"The notebook took longer than {self.limits.session_seconds:g} s")
        self.cell = cell

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float:
        return max(0.1, self.end - time.monotonic())

    def place(self) -> str:
        return f"in cell {self.cell.index + 1}" if self.cell else "at its end"

    def problem(self, error: wire.WireError) -> str:
        """What a broken line means, in a sentence."""
        if isinstance(error, wire.Late):
            return f"The notebook stopped answering {self.place()}."
        return f"The notebook's process broke off its report {self.place()}."


def how_it_ended(usage: dict, limits: Limits) -> str:
    """How a session's first process ended, from what the worker saw."""
    if usage["excess"]:
        return str(usage["excess"])
    if out_of_cpu(usage, limits):
        return OUT_OF_CPU
    if usage["status"] == -signal.SIGKILL:
        return "was killed, as a machine does that runs out of memory"
    return "exited or crashed"


def killed_from_outside(usage: dict, limits: Limits) -> bool:
    """Whether somebody or something else on this machine killed the session."""
    killed = usage["status"] == -signal.SIGKILL
    return killed and not usage["excess"] and not out_of_cpu(usage, limits)


def out_of_cpu(usage: dict, limits: Limits) -> bool:
    """The kernel kills a process that has used up its processor time like any other."""
    return usage["status"] in (-signal.SIGKILL, -signal.SIGXCPU) and (
        usage["cpu"] >= limits.cpu_seconds
    )
