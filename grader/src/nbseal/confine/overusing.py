"""What a hostile submission would try in order to use more than it may, or to outlive its end; run
inside a confined session. As in reaching.py, each returns what it reached.
"""

import ctypes
import mmap
import os
import platform
import signal
import time
from contextlib import suppress

from nbseal.confine.world import STAY_SECONDS, World


def memory(world: World) -> str:
    bytearray(2 * world.limits.memory_bytes)
    return "got twice the memory allowed"


def memory_together(world: World) -> str:
    """Several processes, each within its own limit; the trusted side has to notice."""
    share = world.limits.memory_bytes // 2
    read, write = os.pipe()
    for _ in range(4):
        if os.fork() == 0:
            hold = mmap.mmap(-1, share)
            for offset in range(0, share, mmap.PAGESIZE):
                hold[offset] = 1
            os.write(write, b".")
            time.sleep(60)
    for _ in range(4):  # however slow the machine is: the time counts from when all of it is held
        os.read(read, 1)
    time.sleep(3)
    return "held twice the memory allowed for 3 s"


def processes(world: World) -> str:
    for _ in range(world.limits.processes + 1):
        if os.fork() == 0:
            time.sleep(60)
    return f"started {world.limits.processes + 1} processes"


def file_size(world: World) -> str:
    with open("large", "wb") as file:
        file.truncate(2 * world.limits.file_bytes)
    return "made a file of twice the size allowed"


def disk(world: World) -> str:
    for number in range(world.limits.scratch_bytes // world.limits.file_bytes + 2):
        with open(f"large{number}", "wb") as file:
            file.write(bytes(world.limits.file_bytes))
    return "wrote more than the scratch may hold"


def file_count(world: World) -> str:
    for number in range(world.limits.scratch_files + 1):
        os.mkdir(f"small{number}")
    return f"made {world.limits.scratch_files + 1} files"


def counters(world: World) -> str | None:
    """Asynchronous events are counted for the machine, inotify's instances for the user."""
    libc, event = ctypes.CDLL(None, use_errno=True), ctypes.c_ulong()
    number = {"x86_64": 206, "aarch64": 0}.get(platform.machine())
    if number is not None and libc.syscall(number, 1, ctypes.byref(event)) == 0:
        return "set up asynchronous events"
    return "made an inotify instance" if libc.inotify_init() >= 0 else None


def cpu(world: World) -> str:
    os.nice(19)  # it is to burn what nobody needs
    until = time.process_time() + world.limits.cpu_seconds + 1
    while time.process_time() < until:
        pass
    return "used a second more than allowed"


def stubborn(world: World) -> None:
    """Ignore all that can be ignored, have a child in a session of its own that does the same, and
    stay."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError, ValueError):  # two signals belong to the C library
            signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        os.write(world.kept, b".")
    time.sleep(STAY_SECONDS)


def outliving(world: World) -> None:
    """Leave a process that holds the kept pipe open, in the way daemons do."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(world.kept, b".")
            time.sleep(STAY_SECONDS)
        os._exit(0)
    os.wait()
    os._exit(0)
