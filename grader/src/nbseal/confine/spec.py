"""What one session is confined to: plain data, decided by the trusted side."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from nbseal.confine.packages import import_environment, packages_beside
from nbseal.errors import CourseError
from nbseal.records import Limits
from nbseal.view import CourseView

# Programs, libraries and the devices' names that any Python program expects; what is absent on a
# host is skipped.
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/sys/devices/system/cpu",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

# A worker's environment is readable by its sessions (/proc/self/environ), so a worker is started
# with no more than this.
_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "PYTHONHASHSEED",
)


class ConfinementError(CourseError):
    """A session could not be confined; the text says which step failed and why."""


@dataclass(frozen=True)
class Confinement:
    """The bounds of one session.

    scratch: the session's working folder, an absolute path. Where the host grants namespaces, a
    bounded tmpfs appears
        there for the session alone and the path need not exist; where it does not, this must be an
        empty folder that
        the caller made and removes afterwards.
    readable: files and folders that the session may read, beside the system's and Python's own.
    folder: what was handed in; copied into scratch, links as links.
    packages: where modules are imported from beside Python's own folders; readable where this
        host lets the session's user read them.
    hidden: folders that stay invisible even where they lie inside a readable one.
    accept_open: names of boundaries that the instructor accepts as open (see `Boundary`).
    """

    scratch: Path
    readable: tuple[Path, ...] = ()
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None
    packages: tuple[str, ...] = ()
    hidden: tuple[Path, ...] = ()
    accept_open: frozenset[str] = frozenset()

    def __post_init__(self):
        for path in (str(self.scratch), *self.visible):
            if os.path.normpath(path) != path or not os.path.isabs(path) or path == "/":
                raise ConfinementError(
                    f"a session cannot be confined to {path!r}: name a folder below / in full."
                )

    @property
    def visible(self) -> tuple[str, ...]:
        """All that the session may read: the system, Python, packages and `readable`."""
        return tuple(
            dict.fromkeys(
                [*SYSTEM, sys.base_prefix, sys.prefix, *map(str, self.readable), *self.packages]
            )
        )

    @classmethod
    def for_course(cls, course: CourseView, scratch: Path, **fields) -> "Confinement":
        """The confinement of a submission: of the course it sees the files that every notebook may
        read, and of this host the packages that can be imported here."""
        return cls(
            scratch=scratch,
            readable=tuple(Path(course.root, name) for name in course.files),
            packages=packages_beside(tuple(sys.path), course.root, course.hidden),
            hidden=tuple(map(Path, (course.root, *course.hidden))),
            **fields,
        )


def worker_environment() -> dict[str, str]:
    """The environment to start a worker with: nothing of the instructor's that a submission could
    read.

    It asks glibc for large pages: a fork then copies fewer page tables, and costs a third less.
    """
    given = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    given |= import_environment()
    return given | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
