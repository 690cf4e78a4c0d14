"""What a hostile submission would try, one function for each boundary; they run inside a confined
session.

Each returns what it reached, or raises what stopped it, or returns None where only the trusted side
can tell. None does harm where it succeeds.
"""

import ctypes
import mmap
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nbseal.confine import kernel
from nbseal.confine.boundaries import Boundary
from nbseal.records import Limits

_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17
# Where nothing stops them, processes end by themselves soon after the probe has seen them.
_SHORT = 5
_MOST_SAID = 3
_MISSED = (OSError, ValueError)


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


def tcp(world: World) -> str:
    with socket.socket() as client:
        client.connect(("127.0.0.1", world.tcp_port))
        return "connected to a server"


def udp(world: World) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"secret", ("127.0.0.1", world.udp_port))
    time.sleep(0.05)


def abstract_sockets(world: World) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + world.abstract)
        return "connected to a socket"


def home(world: World) -> str:
    return make_all((f"read {path}", lambda path=path: _read(path)) for path in world.home)


def solutions(world: World) -> str:
    roads = ["", "/proc/self/root"] + [f"/proc/{pid}/root" for pid in world.worker_pids]
    return make_all(
        (f"read {road}{path}", lambda path=road + path: _read(path))
        for road in roads
        for path in world.secrets
    )


def _read(path: str) -> None:
    if os.path.isdir(path):
        os.listdir(path)
    else:
        with open(path, "rb") as file:
            file.read(1)


def writing(world: World) -> str:
    course = world.course
    mine = Path("mine")
    mine.write_text("from a session")
    return make_all(
        [
            (
                "appended to the gradebook",
                lambda: (course / "gradebook.db").open("a").write("full marks"),
            ),
            ("made a file in the course", lambda: (course / "planted").write_text("")),
            ("made a file in data/", lambda: (course / "data" / "planted").write_text("")),
            ("truncated utils.py", lambda: os.truncate(course / "utils.py", 0)),
            ("deleted utils.py", lambda: (course / "utils.py").unlink()),
            ("renamed solutions/", lambda: (course / "solutions").rename(course / "answers")),
            ("linked a file of the course", lambda: os.link(course / "utils.py", "utils.py")),
            ("moved a file into the course", lambda: mine.rename(course / "mine")),
            ("linked a file of the course", lambda: os.link(course / "utils.py", "utils.py")),
        ]
    )


def modes(world: World) -> str:
    def change(name: str, function: Callable, *arguments):
        return [
            (f"changed the {name} of {path.name}", lambda path=path: function(path, *arguments))
            for path in (
                world.course / "gradebook.db",
                world.course / "utils.py",
                world.course / "data",
            )
        ]

    return make_all(
        change("mode", os.chmod, 0o777)
        + change("times", os.utime, (0, 0))
        + change("owner", os.chown, os.getuid(), os.getgid())
        + change("attributes", os.setxattr, "user.mark", b"1")
    )


def signals(world: World) -> str:
    os.killpg(0, signal.SIGURG)  # succeeds in any case, since it reaches the session itself
    return make_all(
        (f"signalled process {pid}", lambda pid=pid: os.kill(pid, signal.SIGURG))
        for pid in _others(world)
    )


def tracing(world: World) -> str:
    libc = ctypes.CDLL(None, use_errno=True)

    def checked(result: int) -> None:
        if result == -1:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def trace(pid: int) -> None:
        checked(libc.ptrace(_PTRACE_SEIZE, pid, None, None))
        libc.ptrace(_PTRACE_DETACH, pid, None, None)

    def read_memory(pid: int) -> None:
        # A null pointer is checked after the permission to read: EFAULT would mean that it was
        # given.
        vector = (ctypes.c_size_t * 2)(0, 8)
        result = libc.process_vm_readv(pid, ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0)
        if result == -1 and ctypes.get_errno() != 14:
            checked(result)

    return make_all(
        [
            (f"{what} process {pid}", lambda pid=pid, attempt=attempt: attempt(pid))
            for pid in _others(world)
            for what, attempt in (
                ("traced", trace),
                ("read the memory of", read_memory),
                (
                    "opened the memory of",
                    lambda pid: os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR)),
                ),
            )
        ]
    )


def prlimit(world: World) -> str:
    def unchanged(pid: int) -> None:
        resource.prlimit(pid, resource.RLIMIT_CORE, resource.prlimit(pid, resource.RLIMIT_CORE))

    return make_all(
        [
            (f"set {what} of process {pid}", lambda pid=pid, attempt=attempt: attempt(pid))
            for pid in _others(world)
            for what, attempt in (
                ("limits", unchanged),
                ("the priority", lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 0)),
                (
                    "the processors",
                    lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
                ),
            )
        ]
    )


def _others(world: World) -> list[int]:
    return sorted(set(world.worker_pids) - {0, os.getpid()})


def seeing_processes(world: World) -> str:
    seen = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    if not seen:
        raise Stopped("only its own processes are there")
    return f"saw {len(seen)} other processes"


def remounting(world: World) -> str:
    return make_all(
        [
            ("mounted a file system", lambda: kernel.mount("x", ".", "tmpfs")),
            ("made / writable", lambda: kernel.mount("x", "/", flags=0x20 | kernel.MS_BIND)),
            ("made a new mount", lambda: kernel.mount_new("tmpfs", 0)),
            ("unmounted /usr", lambda: kernel.umount("/usr", kernel.MNT_DETACH)),
            ("entered a user namespace", lambda: kernel.unshare(kernel.CLONE_NEWUSER)),
            ("entered a mount namespace", lambda: kernel.unshare(kernel.CLONE_NEWNS)),
            ("changed its root", lambda: os.chroot(".")),
        ]
    )


def privileges(world: World) -> str:
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    held = {name for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(status[name], 16)}
    if held or status["NoNewPrivs"].strip() != "1":
        return f"holds privileges ({', '.join(sorted(held)) or 'may gain new ones'})"
    return make_all(
        [("became root", lambda: os.setuid(0)), ("joined root's group", lambda: os.setgid(0))]
    )


def descriptors(world: World) -> str:
    return make_all(
        (f"used descriptor {fd}", lambda fd=fd: os.fstat(fd))
        for fd in range(3, 1024)
        if fd != world.kept
    )


def shared_memory(world: World) -> str:
    return make_all(
        (f"read /dev/shm/{name}", lambda name=name: _read(f"/dev/shm/{name}"))
        for name in (world.neighbour, world.shared)
    )


def leave_shared(world: World) -> None:
    """The other session: leave something in /dev/shm and stay for a while."""
    Path("/dev/shm", world.neighbour).write_text("of another session")
    os.write(world.kept, b".")
    time.sleep(_SHORT)


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
    time.sleep(_SHORT)


def outliving(world: World) -> None:
    """Leave a process that holds the kept pipe open, in the way daemons do."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(world.kept, b".")
            time.sleep(_SHORT)
        os._exit(0)
    os.wait()
    os._exit(0)


# Those whose outcome is what the session reports, or its death. probing.py looks at the others from
# outside.
ATTEMPTS: dict[Boundary, tuple[Callable[[World], str | None], ...]] = {
    Boundary.TCP: (tcp,),
    Boundary.ABSTRACT_SOCKETS: (abstract_sockets,),
    Boundary.HOME: (home,),
    Boundary.SOLUTIONS: (solutions,),
    Boundary.TRACING: (tracing,),
    Boundary.PRLIMIT: (prlimit,),
    Boundary.SEEING_PROCESSES: (seeing_processes,),
    Boundary.REMOUNTING: (remounting,),
    Boundary.PRIVILEGES: (privileges,),
    Boundary.DESCRIPTORS: (descriptors,),
    Boundary.MEMORY: (memory, memory_together),
    Boundary.PROCESSES: (processes,),
    Boundary.FILE_SIZE: (file_size,),
    Boundary.DISK: (disk,),
    Boundary.FILE_COUNT: (file_count,),
}
