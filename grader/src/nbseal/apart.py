"""Reading what a student wrote, apart: in a process with limits of time and memory.

What reads is ours and runs nothing of what it reads; but it reads what somebody may have written to
keep it busy, to fill its memory, or to crash Python's parser. So it works in a process that was
forked for it, does one thing after another there, and has a fresh one made in its place where it
broke a limit. A request costs a message each way, some tenths of a millisecond.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from nbseal import wire
from nbseal.interrupts import held_back

SECONDS = 10  # of processor time for one request
PATIENCE = 60.0  # seconds in all, on a machine that has other things to do
MEMORY = 2 << 30  # bytes, beyond what the process has when it is forked
KEPT = 256 << 20  # of these, so many may be left from earlier requests: what one has filled is not
# to be missing for the next
LARGEST = 64 << 20  # bytes of JSON that come back
# How somebody or something else ends a process. The kernel ends one that has used its seconds by
# SIGXCPU.
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

Task = Callable[[dict], dict]


class TooMuch(Exception):
    """What was to be read takes more time or memory than reading may."""


class Raised(Exception):
    """What a task raised; the text begins with the name of its type."""


class Apart:
    """Tasks that are done in a process of their own. Where none can be forked, they are done
    here."""

    def __init__(self, tasks: Mapping[str, Task], largest: int = LARGEST):
        """largest: bytes of JSON that one of them may return."""
        self._tasks, self._largest = dict(tasks), largest
        self._asking = threading.Lock()
        self._channel: wire.Channel | None = None
        self._child = 0

    def ask(self, task: str, request: dict) -> dict:
        """What a task says to a request; both are plain data. Raises TooMuch, Raised, or OSError
        with the number of the task's own."""
        if sys.platform != "linux":
            return self._tasks[task](request)
        with self._asking:
            try:
                reply = self._exchange({"task": task, "request": request})
            except BaseException:  # Ctrl-C: a reply may still come, and belongs to nobody
                self._end()
                raise
            if reply["worn"]:
                self._end()
        if "errno" in reply:
            raise OSError(reply["errno"], reply["raised"], reply["file"])
        if "raised" in reply:
            raise Raised(reply["raised"])
        done: dict = reply["done"]
        return done

    def close(self) -> None:
        """End the process."""
        with self._asking:
            self._end()

    def _exchange(self, request: dict) -> dict:
        """One request and its reply; once more where something else killed the process, as when
        memory is short or a person does it. Raises TooMuch."""
        for again in (True, False):
            if self._channel is None:
                self._begin()
            assert self._channel is not None
            deadline = time.monotonic() + PATIENCE
            try:
                self._channel.send(request, deadline=deadline)
                return self._channel.receive(deadline=deadline)[0]
            except wire.WireError as error:
                # late: it is this process that kills it
                status = self._end()
                if not again or isinstance(error, wire.Late) or status not in FROM_OUTSIDE:
                    break
        raise TooMuch(f"it cannot be read in {SECONDS} s and {MEMORY >> 30} GB of memory")

    def _begin(self) -> None:
        self._channel, theirs = wire.Channel.pair()
        self._channel.max_json = self._largest
        with held_back():  # or an interrupt is lost in what logging does around a fork
            self._child = os.fork()
            if self._child == 0:
                with suppress(BaseException):  # this process is a copy, and ends here
                    _become(theirs.detach(), self._tasks, self._largest)
                os._exit(1)
        theirs.close()

    def _end(self) -> int:
        """End the process, unless it has ended. Returns the signal that it ended by, 0 for none."""
        if self._channel is None:
            return 0
        self._channel.close()
        self._channel = None
        # it closes its end of the line as it dies: that may be a moment before it is dead
        time.sleep(0.01)
        with suppress(ProcessLookupError, ChildProcessError):
            done, status = os.waitpid(self._child, os.WNOHANG)
            if not done:
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
            return os.WTERMSIG(status) if done and os.WIFSIGNALED(status) else 0
        return 0


# --------------------------------------------------------------------------------------------------
# The process's side
# --------------------------------------------------------------------------------------------------


def _become(descriptor: int, tasks: dict[str, Task], largest: int) -> None:
    """What the forked process does: it lets go of all that was its parent's, and serves until the
    other end is closed."""
    import socket

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    most = _bound_memory() - MEMORY + KEPT
    gc.freeze()
    channel = wire.Channel(socket.socket(fileno=descriptor), max_json=largest)
    while True:
        message, _ = channel.receive()
        _allow_seconds()
        reply = _done(tasks[message["task"]], message["request"])
        channel.send(reply | {"worn": _size() > most})


def _done(task: Task, request: dict) -> dict:
    try:
        return {"done": task(request)}
    except (MemoryError, RecursionError):
        raise  # this process has come to a limit, and ends
    except OSError as error:
        return {"errno": error.errno, "raised": error.strerror, "file": error.filename}
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"[:2000]}


def _bound_memory() -> int:
    """Returns the bytes of memory that this process may have from now on."""
    limit = _size() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def _size() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _allow_seconds() -> None:
    """Begin to count: the kernel ends this process when the time is over."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
