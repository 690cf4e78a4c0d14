"""What a hostile submission would try in order to reach what is not its own; run inside a confined
session.

Each returns what it reached, or raises what stopped it, or returns None where only the trusted side
can tell. None does harm where it succeeds.
"""

import ctypes
import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from nbseal.confine import kernel
from nbseal.confine.world import STAY_SECONDS, Stopped, World, make_all

_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17


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
    return make_all((f"read {path}", partial(_read, path)) for path in world.home)


def solutions(world: World) -> str:
    roads = ["", "/proc/self/root"] + [f"/proc/{pid}/root" for pid in world.worker_pids]
    return make_all(
        (f"read {road}{path}", partial(_read, road + path))
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
            (f"changed the {name} of {path.name}", partial(function, path, *arguments))
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
        (f"signalled process {pid}", partial(os.kill, pid, signal.SIGURG)) for pid in _others(world)
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
            (f"{what} process {pid}", partial(attempt, pid))
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
            (f"set {what} of process {pid}", partial(attempt, pid))
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
        (f"used descriptor {fd}", partial(os.fstat, fd))
        for fd in range(3, 1024)
        if fd != world.kept
    )


def shared_memory(world: World) -> str:
    return make_all(
        (f"read /dev/shm/{name}", partial(_read, f"/dev/shm/{name}"))
        for name in (world.neighbour, world.shared)
    )


def leave_shared(world: World) -> None:
    """The other session: leave something in /dev/shm and stay for a while."""
    Path("/dev/shm", world.neighbour).write_text("of another session")
    os.write(world.kept, b".")
    time.sleep(STAY_SECONDS)
