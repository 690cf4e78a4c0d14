"""The near end of `nbseal serve`: a command that lets a process which is warm already do its work.

What this module imports is all that a person waits for beside the grading itself, so it imports
little.

The command connects to a socket named after its course's folder, in a folder that only its user
may enter, and sends what it was started with: arguments, environment, standard streams and the
folder it is in. It then passes signals on, and ends as the other one ends. A server that cannot do
the same as the command would says so, and the command does it itself.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import struct
import sys
from types import FrameType
from typing import Any

from nbseal.interrupts import ENDING, on_signals

CONFIG = "nbgrader_config.py"
LENGTH = struct.Struct(">I")
LARGEST = 16 << 20  # bytes of one message
ANSWER_SECONDS = 10.0  # for saying whether it takes the command
STREAMS = 3
DECLINED = 75  # how this module ends as a program, where no server does what it is asked
# What Python and the libraries read when they start, so that it cannot be taken over later
_EARLY = ("PYTHON", "LC_", "LD_", "LANG", "TZ", "TMP", "TEMP", "HOME")


def ask(arguments: list[str]) -> None:
    """Have a server do what the command line says, and end this process as the server's ended.
    Returns where there is none, or where it declines."""
    course, rest = _course(arguments)
    if rest[:1] != ["autograde"] or course is None or (connected := connect(course)) is None:
        return
    with connected as connection:
        try:
            _send_command(connection, arguments, course)
            connection.settimeout(ANSWER_SECONDS)
            if not receive(connection).get("taken"):
                return
            send(connection, {"begin": True})
        except (OSError, ValueError, EOFError):
            return  # it has not begun, and does not without our word
        sys.exit(_wait(connection))


def _wait(connection: socket.socket) -> int:
    """Pass signals on until the command has ended; its exit status."""

    def pass_on(number: int, _: FrameType | None) -> None:
        try:
            send(connection, {"signal": number})
        except OSError:
            pass  # it has just ended

    on_signals(pass_on)
    connection.settimeout(None)
    try:
        code = int(receive(connection)["ended"])
    except (OSError, ValueError, EOFError):
        print(
            "nbseal: the server of this course has ended. What is graded is saved: the same "
            "command goes on.",
            file=sys.stderr,
        )
        return 1
    return code if code >= 0 else 128 - code


def _send_command(connection: socket.socket, arguments: list[str], course: str) -> None:
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    os.umask(umask := os.umask(0o077))
    command = {
        "arguments": arguments,
        "course": course,
        "origin": origin(),
        "environment": dict(os.environ),
        "umask": umask,
        "open_files": open_files(),
        "first": [] if sys.flags.safe_path else sys.path[:1],
        "ignored": [number for number in ENDING if signal.getsignal(number) is signal.SIG_IGN],
    }
    try:
        send(connection, command, (*range(STREAMS), here))
    finally:
        os.close(here)


def _course(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The folder of the course that a command line is about, and what follows of it."""
    match arguments:
        case ["--course", given, *rest]:
            return os.path.realpath(given), rest
        case [first, *rest] if first.startswith("--course="):
            return os.path.realpath(first.removeprefix("--course=")), rest
    folder = os.getcwd()
    while not os.path.isfile(os.path.join(folder, CONFIG)):
        if folder == (folder := os.path.dirname(folder)):
            return None, arguments
    return folder, arguments


# ---- What both ends know -------------------------------------------------------------------------


def origin() -> list[Any]:
    """What a process has been given by its start, and cannot be given later. One in whose place
    another works must have been given the same."""
    import resource

    limits = sorted(value for name, value in vars(resource).items() if name.startswith("RLIMIT_"))
    return [
        sys.version,
        sys.prefix,
        [sys.flags.isolated, sys.flags.no_user_site, sys.flags.optimize, sys.flags.utf8_mode],
        sys.path[not sys.flags.safe_path :],
        [*os.getresuid(), *os.getresgid(), *sorted(os.getgroups())],
        sorted(os.sched_getaffinity(0)),
        # Jupyter raises its own soft limit of open files
        [list(resource.getrlimit(one))[one == resource.RLIMIT_NOFILE :] for one in limits],
        sorted([name, value] for name, value in os.environ.items() if name.startswith(_EARLY)),
    ]


def open_files(most: int | None = None) -> int:
    """How many files this process may have open, after `most` was made the limit, if given."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft := most, hard))
    return soft


def place() -> str:
    """The folder of this user's sockets."""
    user = os.getuid()
    own = f"/run/user/{user}"
    return f"{own}/nbseal" if is_private(own) else f"/tmp/nbseal-serve-{user}"


def is_private(folder: str) -> bool:
    """Whether it is a folder that nobody but this user may enter."""
    try:
        about = os.lstat(folder)
    except OSError:
        return False
    own = about.st_uid == os.getuid() and not stat.S_IMODE(about.st_mode) & 0o077
    return own and stat.S_ISDIR(about.st_mode)


def socket_of(course: str) -> str:
    """Where the server of a course listens. Raises OSError where there is no such folder."""
    about = os.stat(course)
    return os.path.join(place(), f"{about.st_dev:x}-{about.st_ino:x}")


def connect(course: str) -> socket.socket | None:
    """A connection to the server of a course; None where none runs. The socket that a dead one has
    left is removed."""
    if sys.platform != "linux" or not is_private(place()):
        return None
    connection = socket.socket(socket.AF_UNIX)
    path = ""
    try:
        path = socket_of(course)
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(path)
        return connection
    except ConnectionRefusedError:
        if (lock := take_lock(path)) is not None:
            os.unlink(path)
            os.close(lock)
    except OSError:
        pass
    connection.close()
    return None


def take_lock(path: str) -> int | None:
    """A descriptor that holds a socket's name for as long as it is open; None where a server that
    lives has it."""
    import fcntl

    lock = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def send(to: socket.socket, message: dict, descriptors: tuple[int, ...] = ()) -> None:
    """Send a message, and open files with it."""
    data = json.dumps(message).encode()
    data = LENGTH.pack(len(data)) + data
    sent = socket.send_fds(to, [data], list(descriptors)) if descriptors else 0
    to.sendall(data[sent:])


def receive(of: socket.socket, descriptors: list[int] | None = None) -> dict:
    """The next message; open files that come with it are added to `descriptors`. Raises EOFError,
    OSError, and ValueError for what is no message."""
    head, more, _, _ = socket.recv_fds(of, LENGTH.size, STREAMS + 1)
    if descriptors is not None:
        descriptors += more
    (length,) = LENGTH.unpack(head + _exactly(of, LENGTH.size - len(head), bool(head)))
    if length > LARGEST:
        raise ValueError("a message is too large")
    message = json.loads(_exactly(of, length))
    if not isinstance(message, dict):
        raise ValueError("a message is no object")
    return message


def _exactly(of: socket.socket, length: int, begun: bool = True) -> bytes:
    data = b""
    while len(data) < length:
        if not begun or not (part := of.recv(min(length - len(data), 1 << 20))):
            raise EOFError("the other side is gone")
        data += part
    return data


if __name__ == "__main__":
    ask(sys.argv[1:])
    sys.exit(DECLINED)
