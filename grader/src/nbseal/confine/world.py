"""What lies around the sessions that attempt to cross boundaries, to be reached for."""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nbseal.confine.packages import packages_beside
from nbseal.leftovers import OwnFolder
from nbseal.records import Limits

# Where nothing stops them, processes end by themselves soon after the probe has seen them.
STAY_SECONDS = 5
_MOST_SAID = 3
_MOST_NAMES = 100
_MISSED = (OSError, ValueError)
SHARED = Path("/dev/shm")


@dataclass(frozen=True)
class World:
    """What the trusted side set up outside, to be reached for."""

    course: Path  # a decoy with utils.py, data/, solutions/ and a gradebook
    secrets: tuple[str, ...]  # files that must stay unreadable
    home: tuple[str, ...]  # what lies in the instructor's home
    worker_pids: tuple[int, ...]  # the worker under each number it may be known by
    tcp_port: int
    udp_port: int
    abstract: str
    shared: str  # a name in the host's /dev/shm
    neighbour: str  # a name in another session's /dev/shm
    limits: Limits
    kept: int  # the only descriptor a session should have


class Stopped(Exception):
    """An attempt that was stopped; the text is all the errors it met."""


def make_all(tries: Iterable[tuple[str, Callable[[], object]]]) -> str:
    """Make all tries; return what the successful ones reached, or raise Stopped with the errors
    that all met."""
    reached, met = [], []
    for what, attempt in tries:
        try:
            attempt()
        except _MISSED as error:
            met.append(_said(error))
        else:
            reached.append(what)
    if reached:
        return ", ".join(reached[:_MOST_SAID])
    raise Stopped(", ".join(dict.fromkeys(met)) or "there was nothing to reach")


def _said(error: Exception) -> str:
    code = getattr(error, "errno", None)
    return os.strerror(code) if code else str(error)


@contextmanager
def made_world(solutions: Path | None, limits: Limits) -> Iterator[tuple[World, socket.socket]]:
    """Servers, files and names outside the sessions; yields the World and what arrives at the UDP
    server."""
    with (
        OwnFolder().make("boundaries-") as folder,
        socket.socket() as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as abstract,
        OwnFolder(SHARED).make("boundaries-") as shared,
    ):
        folder.chmod(0o755)
        shared.chmod(0o755)
        (shared / "memory").touch(0o644)
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        name = f"boundaries-{os.getpid()}-{time.monotonic_ns()}"
        abstract.bind("\0" + name)
        tcp.listen()
        abstract.listen()
        course = decoy(folder.resolve() / "course")
        secrets = [course / "solutions" / "secret.ipynb", course / "gradebook.db"]
        secrets += sorted(solutions.rglob("*"))[:_MOST_NAMES] if solutions else []
        yield (
            World(
                course=course,
                secrets=tuple(map(str, secrets)),
                home=_home(),
                worker_pids=_worker_pids(),
                tcp_port=tcp.getsockname()[1],
                udp_port=udp.getsockname()[1],
                abstract=name,
                shared=str(shared.relative_to(SHARED) / "memory"),
                neighbour=name,
                limits=limits,
                kept=-1,
            ),
            udp,
        )


def decoy(course: Path) -> Path:
    for part in ("solutions", "data"):
        (course / part).mkdir(parents=True)
    for name in ("utils.py", "data/names.txt", "solutions/secret.ipynb", "gradebook.db"):
        (course / name).write_text("outside\n")
    return course


def _home() -> tuple[str, ...]:
    """What lies in the home folder, but for the way to Python itself and to packages."""
    home = Path(os.path.expanduser("~")).resolve()
    try:
        inside = sorted(home.iterdir())[:_MOST_NAMES] if home != Path("/") else []
    except OSError:  # an account without a home, such as nobody
        return ()
    python_itself = (os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix), sys.prefix)
    python: tuple[str, ...] = (*python_itself, *packages_beside(tuple(sys.path), "/", ()))
    return tuple(
        str(path) for path in inside if not any(place.startswith(str(path)) for place in python)
    )


def _worker_pids() -> tuple[int, ...]:
    """This worker and its parent, as it knows them and as the host does."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return os.getpid(), os.getppid(), int(status["Pid"]), int(status["PPid"])
