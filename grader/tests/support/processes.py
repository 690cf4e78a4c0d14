"""Processes of sessions, found from outside by a name that their code gives them."""

import os
from contextlib import suppress
from pathlib import Path

import psutil


def _whole(name: str) -> str:
    """With a number of this test run: another one beside it may use the same name."""
    return f"{name[:8]}{os.getpid() % 10_000_000}"


def named(name: str) -> str:
    """A line of code that gives its process a name, of at most 8 letters."""
    return f"import ctypes; ctypes.CDLL(None).prctl(15, {_whole(name).encode()!r}, 0, 0, 0)\n"


def process_named(name: str) -> psutil.Process | None:
    """The process that has that name now."""
    for path in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError, psutil.NoSuchProcess):
            if path.read_text().strip() == _whole(name):
                return psutil.Process(int(path.parent.name))
    return None


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or waits for nothing but its parent."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
