"""How many sessions fit into the memory that this machine has to give.

A session whose neighbour uses up the machine is killed by the kernel, and has to be run again, with
none beside it. So only as many run at once as can all use what they may.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

NO_LIMIT = 1 << 60  # version 1 of control groups writes "no limit" as a number near 2 ** 63


def fitting(workers: int, memory_bytes: int, root: Path = Path("/")) -> tuple[int, str | None]:
    """How many of so many workers can each have a session of so much memory, at least one; and a
    sentence where that is fewer."""
    free = available(root)
    if free is None:
        return workers, None
    fit = max(1, min(workers, free // memory_bytes))
    if fit == workers:
        return workers, None
    return fit, (
        f"{fit} of {workers} workers {'is' if fit == 1 else 'are'} used: a session may take "
        f"{_gigabytes(memory_bytes)} of memory, and {_gigabytes(free)} are free "
        "(memory_bytes in c.SealedExecute.limits says what a session may take)."
    )


def available(root: Path = Path("/")) -> int | None:
    """Bytes of memory that new processes can have: of the machine, and of every control group that
    this process is in. None where neither is told."""
    found = [_of_machine(root), *_of_groups_2(root), *_of_groups_1(root)]
    return min((size for size in found if size is not None), default=None)


def _of_machine(root: Path) -> int | None:
    for line in _read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def _of_groups_2(root: Path) -> Iterator[int | None]:
    for folder in _groups(root, "", "sys/fs/cgroup"):
        limit = _number(folder / "memory.max")
        yield _room(limit, _number(folder / "memory.current"), folder, "inactive_file")


def _of_groups_1(root: Path) -> Iterator[int | None]:
    for folder in _groups(root, "memory", "sys/fs/cgroup/memory"):
        limit = _number(folder / "memory.limit_in_bytes")
        usage = _number(folder / "memory.usage_in_bytes")
        yield _room(limit, usage, folder, "total_inactive_file")


def _room(limit: int | None, usage: int | None, folder: Path, reclaimable: str) -> int | None:
    """What a group has left, counting as free what it holds only until somebody needs it."""
    if limit is None or limit >= NO_LIMIT:
        return None
    statistics = dict(line.split(" ", 1) for line in _read(folder / "memory.stat").splitlines())
    given_back = int(statistics.get(reclaimable, 0))
    return max(0, limit - max(0, (usage or 0) - given_back))


def _groups(root: Path, controller: str, mounted: str) -> Iterator[Path]:
    """The folders of the control group that this process is in, and of all that it lies in. Inside
    a container the group's own folder is the mounted one."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controller not in controllers.split(",") or "/.." in path:
            continue
        inside = Path(path.lstrip("/"))
        for part in dict.fromkeys((inside, *inside.parents)):
            yield root / mounted / part


def _number(path: Path) -> int | None:
    text = _read(path).strip()
    return int(text) if text.isdigit() else None


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _gigabytes(size: int) -> str:
    return f"{size / (1 << 30):.1f} GB"
