"""Where is served, and who may be: processes of this user that are as free as the server itself.

The socket lies where no other user can come, and where no session sees it that has namespaces of
its own. A host that refuses namespaces may run sessions as the very user who grades; such a process
is told by its system call filter, which it cannot take off.
"""

from __future__ import annotations

import os
import select
import socket
import struct
from contextlib import suppress
from pathlib import Path

from nbseal import asking
from nbseal.errors import CourseError

SO_PEERPIDFD = 77  # Linux 6.5
NAMESPACES = ("mnt", "pid", "net", "ipc", "user")
# in what the kernel tells of a process
MARKS = ("Uid:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:")


def own_name(course: str) -> tuple[str, int]:
    """The socket's path, and a descriptor that holds it for this process."""
    folder = asking.place()
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    if not asking.is_private(folder):
        raise CourseError(
            f"{folder} is not a folder that only you can enter, and nothing is served there: "
            "remove it, or have its owner do so."
        )
    path = asking.socket_of(course)
    if (lock := asking.take_lock(path)) is None:
        raise CourseError(f"{course} is served already, by another `nbseal serve`.")
    return path, lock


def is_one_of_us(connection: socket.socket) -> bool:
    """Whether the process that connected is this user's, and confined by nothing that this one is
    not confined by."""
    pid, user, _ = struct.unpack("3i", _option(connection, socket.SO_PEERCRED, 12))
    if user != os.geteuid():
        return False
    with suppress(OSError):
        descriptor = _descriptor(connection, pid)
        try:
            alike = _freedom(pid) == _freedom(os.getpid())
            # still alive, so that its number was no other's meanwhile
            return alike and not select.select([descriptor], [], [], 0)[0]
        finally:
            os.close(descriptor)
    return False


def _freedom(pid: int) -> list[str]:
    about = Path("/proc", str(pid))
    status = (about / "status").read_text().splitlines()
    return [
        *(os.readlink(about / "ns" / name) for name in NAMESPACES),
        *(line for line in status if line.startswith(MARKS)),
    ]


def _descriptor(connection: socket.socket, pid: int) -> int:
    """Of the process that connected."""
    try:
        return int(struct.unpack("i", _option(connection, SO_PEERPIDFD, 4))[0])
    except OSError:  # an older kernel
        return os.pidfd_open(pid)


def _option(connection: socket.socket, name: int, size: int) -> bytes:
    return connection.getsockopt(socket.SOL_SOCKET, name, size)
