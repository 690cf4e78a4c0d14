"""Try every boundary on this host and print the findings as JSON: `nbseal.confine.probing
[FOLDER]`.

A process of its own plays the worker, so nothing that an attempt reaches matters.
"""

import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from nbseal.confine.attempts import ATTEMPTS
from nbseal.confine.boundaries import Boundary, Finding
from nbseal.confine.confined import Confined
from nbseal.confine.overusing import cpu, memory_together, outliving, stubborn
from nbseal.confine.reaching import leave_shared, modes, shared_memory, signals, udp, writing
from nbseal.confine.spawning import enter_worker, spawn_confined
from nbseal.confine.spec import Confinement
from nbseal.confine.world import Stopped, World, decoy, made_world
from nbseal.errors import CourseError
from nbseal.records import Limits
from nbseal.view import course_view

# Small, so that crossing them takes no time.
LIMITS = Limits(
    cpu_seconds=1,
    memory_bytes=256 << 20,
    processes=16,
    file_bytes=4 << 20,
    scratch_bytes=16 << 20,
    scratch_files=200,
)
_PATIENCE, _SOON = 60.0, 1.0
Attempt = Callable[[World], str | None]


class Probe:
    """Runs attempts in confined sessions of one world."""

    def __init__(self, world: World, scratch: Path):
        self.world = world
        self._scratch = scratch

    def start(self, attempt: Attempt) -> tuple[Confined, int]:
        """A confined session that makes one attempt, and the descriptor it reports through."""
        read, write = os.pipe()
        view = course_view(self.world.course, ("utils.py", "data"), map(Path, self.world.secrets))
        confinement = Confinement.for_course(
            view,
            Path(tempfile.mkdtemp(dir=self._scratch)),
            limits=LIMITS,
            accept_open=frozenset(Boundary),
        )  # what the host refuses is to show in the findings
        try:
            return spawn_confined(
                confinement, lambda: _report(attempt, replace(self.world, kept=write)), [write]
            ), read
        finally:
            os.close(write)

    def outcome(self, attempt: Attempt) -> tuple[bool, str]:
        """Make an attempt; whether it succeeded, and how or why not."""
        return self.finish(attempt, *self.start(attempt))

    def finish(self, attempt: Attempt, session: Confined, read: int) -> tuple[bool, str]:
        """The outcome of an attempt that was started."""
        excess = _watch(session, read) if attempt is memory_together else None
        said = None if excess else _hear(read)
        code = session.end()
        os.close(read)
        if said:
            return tuple(json.loads(said))
        if excess or said is None:
            return not excess, excess or f"nothing stopped it for {_PATIENCE:g} s"
        if code < 0:
            return False, f"killed by {signal.Signals(-code).name}"
        return True, f"the attempt itself failed (exit code {code}), so nothing is known"


def _report(attempt: Attempt, world: World) -> None:
    """Inside the session: make an attempt and write down [reached, how]."""
    try:
        how = attempt(world)
    except (Stopped, OSError, MemoryError) as error:
        reached, how = False, getattr(error, "strerror", None) or str(error) or type(error).__name__
    else:
        reached, how = how is not None, how or "nothing arrived"
    os.write(world.kept, json.dumps([reached, how]).encode())


def _hear(read: int) -> str | None:
    """What a session writes, "" where it ends before it has written anything, None where it takes
    too long."""
    ready, _, _ = select.select([read], [], [], _PATIENCE)
    return os.read(read, 1 << 16).decode() if ready else None


def _watch(session: Confined, read: int) -> str | None:
    """What a worker does while a session runs: look now and then whether it uses too much."""
    while not select.select([read], [], [], 0.02)[0]:
        if excess := session.excess(LIMITS):
            return f"ended by the worker: it {excess}"
    return None


def _after_the_end(probe: Probe, attempt: Attempt, ends_itself: bool = False) -> tuple[bool, str]:
    """Start, wait for the sign that it has prepared itself, end it: is any process left that could
    hold the pipe?"""
    session, read = probe.start(attempt)
    sign = os.read(read, 1)  # nothing where all processes have already ended with the first
    if ends_itself:
        os.waitid(os.P_PID, session.pid, os.WEXITED | os.WNOWAIT)
    session.end()
    left = not _closes(read)
    os.close(read)
    if sign not in (b"", b"."):
        return True, "the attempt itself failed, so nothing is known"
    return left, "a process ran on" if left else "all its processes ended with it"


def _closes(read: int) -> bool:
    """Whether the last process that could write to a pipe is gone, or soon is."""
    until = time.monotonic() + _SOON
    while select.select([read], [], [], max(0.0, until - time.monotonic()))[0]:
        if not os.read(read, 1 << 16):
            return True
    return False


def _shared_memory(probe: Probe) -> tuple[bool, str]:
    neighbour, read = probe.start(leave_shared)
    _hear(read)
    found = probe.outcome(shared_memory)
    neighbour.end()
    os.close(read)
    return found


def _unchanged(probe: Probe, attempt: Attempt) -> tuple[bool, str]:
    """Does an attempt change the course? What it changes inside the session may be the session's
    own."""
    before = _snapshot(probe.world.course)
    reached, how = probe.outcome(attempt)
    changed = _snapshot(probe.world.course) != before
    shutil.rmtree(probe.world.course)
    decoy(probe.world.course)
    return changed, how if changed or not reached else "what it changed was the session's own"


def _snapshot(course: Path) -> list[tuple]:
    states = ((path, path.lstat()) for path in sorted(course.rglob("*")))
    return [
        (
            path,
            state.st_mode,
            state.st_uid,
            state.st_nlink,
            state.st_mtime,
            state.st_ctime,
            state.st_size,
            tuple(os.listxattr(path)),
        )
        for path, state in states
    ]


def _signals(probe: Probe) -> tuple[bool, str]:
    arrived = []
    before = signal.signal(
        signal.SIGURG, lambda *_: arrived.append("a signal to its process group arrived")
    )
    reached, how = probe.outcome(signals)
    signal.signal(signal.SIGURG, before)
    return reached or bool(arrived), how if reached or not arrived else arrived[0]


def _udp(probe: Probe, server: socket.socket) -> tuple[bool, str]:
    sent = probe.outcome(udp)
    try:
        return True, f"a packet of {len(server.recv(64))} bytes arrived"
    except BlockingIOError:
        return sent


def findings(solutions: Path | None = None) -> list[Finding]:
    """Try all boundaries. The process must be a worker (enter_worker)."""
    with made_world(solutions, LIMITS) as (world, server):
        probe = Probe(world, world.course.parent)
        burning = probe.start(cpu)  # takes its seconds while the others are tried
        special = {
            Boundary.CPU: lambda: probe.finish(cpu, *burning),
            Boundary.WRITING: lambda: _unchanged(probe, writing),
            Boundary.MODES: lambda: _unchanged(probe, modes),
            Boundary.SIGNALS: lambda: _signals(probe),
            Boundary.UDP: lambda: _udp(probe, server),
            Boundary.SHARED_MEMORY: lambda: _shared_memory(probe),
            Boundary.WALL_TIME: lambda: _after_the_end(probe, stubborn),
            Boundary.OUTLIVING: lambda: _after_the_end(probe, outliving, ends_itself=True),
        }
        found = []
        for boundary in Boundary:
            outcomes = (
                [special[boundary]()]
                if boundary in special
                else [probe.outcome(attempt) for attempt in ATTEMPTS[boundary]]
            )
            worst = max(outcomes, key=lambda outcome: outcome[0])
            found.append(Finding(boundary, *worst))
        return found


def main() -> None:
    host = enter_worker()
    try:
        found = findings(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    except (CourseError, OSError) as error:
        sys.exit(str(error))
    rows = [(finding.boundary, finding.open, finding.how) for finding in found]
    print(json.dumps({"findings": rows, "refusals": host.refusals}))


if __name__ == "__main__":
    main()
