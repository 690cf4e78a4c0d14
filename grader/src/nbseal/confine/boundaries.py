"""The boundaries around a session, by name, and the refusal to grade where one is open."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from nbseal.confine.packages import import_environment
from nbseal.errors import CourseError

_PROBE_SECONDS = 120
_ROOT = Path(__file__).resolve().parents[2]  # what `import nbseal` needs on sys.path


class Boundary(StrEnum):
    """What a submission must not be able to do; the values are the names that --accept-open
    takes."""

    TCP = "tcp"
    UDP = "udp"
    ABSTRACT_SOCKETS = "abstract-sockets"
    HOME = "home"
    SOLUTIONS = "solutions"
    WRITING = "writing"
    MODES = "modes"
    SIGNALS = "signals"
    TRACING = "tracing"
    PRLIMIT = "prlimit"
    SEEING_PROCESSES = "seeing-processes"
    REMOUNTING = "remounting"
    PRIVILEGES = "privileges"
    DESCRIPTORS = "descriptors"
    SHARED_MEMORY = "shared-memory"
    MEMORY = "memory"
    PROCESSES = "processes"
    FILE_SIZE = "file-size"
    DISK = "disk"
    FILE_COUNT = "file-count"
    COUNTERS = "counters"
    CPU = "cpu"
    WALL_TIME = "wall-time"
    OUTLIVING = "outliving"

    @property
    def attempt(self) -> str:
        """What a session tries, to cross this boundary."""
        return _ATTEMPTS[self]


_ATTEMPTS = {
    Boundary.TCP: "connect to a TCP server of this host",
    Boundary.UDP: "send a UDP packet to this host",
    Boundary.ABSTRACT_SOCKETS: "connect to an abstract Unix socket of this host",
    Boundary.HOME: "read the instructor's home folder",
    Boundary.SOLUTIONS: "read solutions/ and the gradebook",
    Boundary.WRITING: "write, rename or delete outside its scratch",
    Boundary.MODES: "change modes, times or owners outside its scratch",
    Boundary.SIGNALS: "send a signal to the worker",
    Boundary.TRACING: "trace the worker or read its memory",
    Boundary.PRLIMIT: "change limits or priority of the worker",
    Boundary.SEEING_PROCESSES: "see processes that are not its own",
    Boundary.REMOUNTING: "mount, unmount, or enter new namespaces",
    Boundary.PRIVILEGES: "become root or gain a capability",
    Boundary.DESCRIPTORS: "use a file that the worker had open",
    Boundary.SHARED_MEMORY: "read another session's shared memory",
    Boundary.MEMORY: "use more memory than allowed, alone or by several processes",
    Boundary.PROCESSES: "start more processes than allowed",
    Boundary.FILE_SIZE: "write a larger file than allowed",
    Boundary.DISK: "fill the disk with large files",
    Boundary.FILE_COUNT: "fill the disk with small files",
    Boundary.COUNTERS: "use up what the kernel counts for the whole machine or user",
    Boundary.CPU: "use more processor time than allowed",
    Boundary.WALL_TIME: "run on when its time is over",
    Boundary.OUTLIVING: "leave a process behind",
}


@dataclass(frozen=True)
class Finding:
    """What came of the attempt to cross one boundary: `how` says what stopped it, or what it
    reached."""

    boundary: Boundary
    open: bool
    how: str


@dataclass(frozen=True)
class Report:
    """What was found on a host: a Finding for every boundary, and which measures it refuses
    (measure -> why)."""

    findings: tuple[Finding, ...]
    refusals: dict[str, str]

    @property
    def open(self) -> tuple[Boundary, ...]:
        return tuple(finding.boundary for finding in self.findings if finding.open)


def probe(solutions: Path | None = None) -> Report:
    """Let confined sessions attempt to cross every boundary on this host, and say what came of it.
    Takes 2-3 seconds.

    They are forked from a process of its own, since the caller may have threads. `solutions` is a
    folder that must not be
    readable, beside the probe's own decoy. Raises CourseError where the host cannot be probed at
    all.
    """
    if sys.platform != "linux":
        raise CourseError(wrong_platform())
    command = [
        sys.executable,
        "-P",  # its import path is that of a session's worker, without the folder it is started in
        "-m",
        "nbseal.confine.probing",
        *([str(solutions.resolve())] if solutions else []),
    ]
    path = [str(_ROOT), *filter(None, [import_environment().get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_PROBE_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise CourseError(
            f"the boundaries of this host could not be tried within {_PROBE_SECONDS} s; try "
            "`nbseal doctor` when it is less busy."
        ) from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["it did not say why"]
        raise CourseError(f"the boundaries of this host could not be tried: {said[-1]}.")
    said = json.loads(done.stdout)
    return Report(
        tuple(Finding(Boundary(name), opened, how) for name, opened, how in said["findings"]),
        said["refusals"],
    )


def accepted(names: Iterable[str]) -> frozenset[Boundary]:
    """The boundaries of these names. Raises CourseError for a name that is none."""
    known = {boundary.value for boundary in Boundary}
    for name in names:
        if name not in known:
            raise CourseError(
                f"--accept-open: there is no boundary {name!r}; there are: "
                f"{', '.join(sorted(known))}."
            )
    return frozenset(map(Boundary, names))


def require_closed(accept_open: Iterable[str] = (), solutions: Path | None = None) -> Report:
    """Raise CourseError, naming them, if boundaries are open that the instructor did not accept;
    else what was found."""
    accept = accepted(accept_open)
    report = probe(solutions)
    refused = [boundary.value for boundary in report.open if boundary not in accept]
    if refused:
        flag = ",".join(
            boundary.value for boundary in Boundary if boundary in accept or boundary in report.open
        )
        raise CourseError(
            f"this host would let a submission cross {len(refused)} "
            f"{'boundary' if len(refused) == 1 else 'boundaries'} ({', '.join(refused)}): see "
            "`nbseal doctor` "
            f"for what to do, or accept that with --accept-open={flag}."
        )
    return report


def wrong_platform() -> str:
    """What to do on a system that cannot confine anything."""
    system = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
    return (
        f"{system} cannot confine a submission: grade in a Linux virtual machine or container "
        "(docs/security.md says "
        "how to start one); everything else of the course works here."
    )
