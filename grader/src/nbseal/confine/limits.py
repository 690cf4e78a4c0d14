"""What a session may use: limits that the kernel enforces on each process, and a reading of what
all use together."""

import os
import resource
from contextlib import suppress
from dataclasses import dataclass

from nbseal.records import Limits

_PAGE, _TICK = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
# open files; enough for any notebook, and it bounds the kernel memory that sockets can hold
_DESCRIPTORS = 256


def apply(limits: Limits, others: int = 0) -> None:
    """Bound this process and its descendants: each on its own, but the number of processes
    together.

    That number is counted for all processes of the user, of whom `others` are not the session's.
    """
    data, mapped = _own_size()
    bounds = {
        # Private memory beyond what the warm worker already holds. Address space is looser: torch
        # and threads reserve far more of it than they use; it is what stops shared mappings, which
        # RLIMIT_DATA does not count.
        resource.RLIMIT_DATA: data + limits.memory_bytes,
        resource.RLIMIT_AS: mapped + 2 * limits.memory_bytes + (1 << 30),
        resource.RLIMIT_CPU: limits.cpu_seconds,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NPROC: limits.processes + others,
        resource.RLIMIT_NOFILE: _DESCRIPTORS,
        resource.RLIMIT_CORE: 1,  # unlike 0 it also stops hosts that pipe cores into a program
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_MEMLOCK: 1 << 16,
    }
    for kind, bound in bounds.items():
        _, hard = resource.getrlimit(kind)
        bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (bound, bound))


def allow_descriptors() -> None:
    """Let this process have, and have on their way to others, as many descriptors as it may."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def processes_of(user: int) -> int:
    """How many processes and threads a user has on this host."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(FileNotFoundError, ProcessLookupError):
            if os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _own_size() -> tuple[int, int]:
    """Bytes of private writable memory and of address space of this process."""
    with open("/proc/self/statm") as file:
        mapped, *_, data, _ = map(int, file.read().split())
    return data * _PAGE, mapped * _PAGE


@dataclass(frozen=True)
class Usage:
    """What the processes of a session use at this moment; cpu_seconds counts children that have
    ended, too."""

    processes: int
    cpu_seconds: float
    memory_bytes: int


def usage(proc: int, processes: list[str], enough: int) -> Usage:
    """Read the usage of processes in the /proc behind a descriptor.

    Memory that a fork shares with its parent is first counted twice, which is quick to read; only
    if that comes to more
    than `enough` is each process's share read, which takes milliseconds.
    """
    memory = sum(_private_memory(proc, name) for name in processes)
    if memory > enough:
        memory = sum(_shared_out_memory(proc, name) for name in processes)
    return Usage(len(processes), sum(_cpu_seconds(proc, name) for name in processes), memory)


def _read(proc: int, name: str) -> str:
    """A file of /proc; empty where the process has ended in the meantime."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except (FileNotFoundError, ProcessLookupError):
        return ""
    try:
        return os.read(fd, 1 << 16).decode(errors="replace")
    except ProcessLookupError:
        return ""
    finally:
        os.close(fd)


def _kibibytes(text: str, *names: str) -> int:
    fields = (line.split() for line in text.splitlines())
    return 1024 * sum(int(field[1]) for field in fields if field and field[0].rstrip(":") in names)


def _private_memory(proc: int, process: str) -> int:
    return _kibibytes(_read(proc, f"{process}/status"), "RssAnon", "RssShmem", "VmSwap")


def _shared_out_memory(proc: int, process: str) -> int:
    return _kibibytes(_read(proc, f"{process}/smaps_rollup"), "Pss_Anon", "Pss_Shmem", "SwapPss")


def _cpu_seconds(proc: int, process: str) -> float:
    # The command's name stands in brackets and may hold anything, so fields are counted from the
    # last bracket.
    fields = _read(proc, f"{process}/stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICK if fields else 0.0
