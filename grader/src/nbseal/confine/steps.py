"""What a freshly forked process does to itself before the first line of a submission runs in it.

The order matters. Namespaces and the read-only root need privileges, so they come first; then the
privileges are given up; then Landlock, limits and the filter of system calls, which need none and
cannot be undone.
"""

import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress

from nbseal.confine import kernel, landlock, limits
from nbseal.confine.copying import copy_tree
from nbseal.confine.root import USER, USER_ID, enter_root
from nbseal.confine.seccomp import filter_program
from nbseal.confine.spec import DEVICES, Confinement, ConfinementError

NOBODY = 65534
_NAMESPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
# Without namespaces /proc is the host's; these tell about the machine, not about other processes.
_HARMLESS = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
# where memory runs out on the host, the kernel ends a session before anything else
_FIRST_VICTIM = b"1000"


def confine(
    confinement: Confinement,
    namespaces: bool,
    with_landlock: bool,
    with_seccomp: bool,
    hand_over: Callable[[int], object],
) -> None:
    """Confine this process by the measures that the host grants; it is the first of its PID
    namespace if there is one.

    hand_over: is given a descriptor of the /proc in which the session's processes are seen. Raises
    OSError naming the
    step that failed, or ConfinementError.
    """
    os.umask(0o022)
    os.setsid()  # kill(0) reaches the whole process group, through PID namespaces too
    program = filter_program(namespaces) if with_seccomp else None
    _isolate(confinement, hand_over) if namespaces else _separate(confinement, hand_over)
    # In namespaces of its own a session's user is counted apart from all others.
    limits.apply(confinement.limits, others=0 if namespaces else limits.processes_of(os.geteuid()))
    _give_up_privileges(confinement, namespaces)
    if with_landlock:
        _restrict_files(confinement, namespaces)
    if program:
        kernel.install_filter(program)


def _isolate(confinement: Confinement, hand_over: Callable[[int], object]) -> None:
    """Own mounts, network, IPC, host name and users; a read-only root with a bounded scratch."""
    kernel.unshare(_NAMESPACES)
    kernel.sethostname("nbseal")
    owner = _session_owner()
    proc = enter_root(confinement, owner)
    # How many descriptors may be on their way is counted for all processes of a user, and a session
    # can use it up. Root may send more at any time, others while their own limit on descriptors is
    # still high.
    hand_over(proc)
    _write(proc, "self/oom_score_adj", _FIRST_VICTIM)
    if os.geteuid() == 0:
        _become(owner)
        # Some hosts refuse this to a process that is no longer root. Then the limit on processes
        # counts all sessions.
        with suppress(PermissionError):
            _own_users(proc, owner)
    else:
        _own_users(proc, owner)
    os.close(proc)


def _separate(confinement: Confinement, hand_over: Callable[[int], object]) -> None:
    """What can be had where namespaces are refused: a user of its own if the worker is root, and a
    scratch on disk."""
    owner = _session_owner()
    if confinement.folder is not None:
        folder = os.open(confinement.folder, os.O_RDONLY | os.O_DIRECTORY)
        copy_tree(folder, confinement.scratch, owner)
        os.close(folder)
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    hand_over(proc)
    _write(proc, "self/oom_score_adj", _FIRST_VICTIM)
    if os.geteuid() == 0:
        os.chown(confinement.scratch, *owner)
        _become(owner)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.close(proc)


def _session_owner() -> tuple[int, int]:
    return (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())


def _become(owner: tuple[int, int]) -> None:
    user, group = owner
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # a change of user hides /proc/self from its owner


def _own_users(proc: int, owner: tuple[int, int]) -> None:
    """A user namespace with one user, who has no power over the other namespaces and whose
    processes are counted alone."""
    user, group = owner
    kernel.unshare(kernel.CLONE_NEWUSER)
    _write(proc, "self/setgroups", b"deny")
    _write(proc, "self/uid_map", f"{USER_ID} {user} 1".encode())
    _write(proc, "self/gid_map", f"{USER_ID} {group} 1".encode())


def _write(folder: int, name: str, text: bytes) -> None:
    fd = os.open(name, os.O_WRONLY, dir_fd=folder)
    try:
        os.write(fd, text)
    finally:
        os.close(fd)


def _give_up_privileges(confinement: Confinement, namespaces: bool) -> None:
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    os.chdir(confinement.scratch)
    for path in confinement.readable:
        if not os.access(path, os.R_OK):
            raise ConfinementError(
                f"{path} cannot be read by a session's user: make it readable with `chmod -R o+rX "
                f"{path}`."
            )
    temporary = "/tmp" if namespaces else str(confinement.scratch)
    os.environ.update(HOME=temporary, TMPDIR=temporary, USER=USER, LOGNAME=USER)


def _restrict_files(confinement: Confinement, namespaces: bool) -> None:
    if namespaces:
        landlock.restrict(["/"], ["/tmp", "/dev/shm", confinement.scratch])
    else:
        readable = [
            path for path in (*confinement.visible, *_HARMLESS, *DEVICES) if os.path.exists(path)
        ]
        landlock.restrict(readable, [confinement.scratch])


def close_all_but(keep: Iterable[int]) -> None:
    """Close all descriptors but these and the three standard ones."""
    low = 3
    for fd in sorted(fd for fd in set(keep) if fd > 2):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def silence_all_but(keep: Iterable[int]) -> None:
    """Make standard input, output and error /dev/null, but for those that are kept."""
    null = os.open("/dev/null", os.O_RDWR)
    for standard in set(range(3)) - set(keep) - {null}:
        os.dup2(null, standard, inheritable=True)
    if null > 2:
        os.close(null)
