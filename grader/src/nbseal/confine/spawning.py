"""The worker's side: get ready to confine sessions once, then fork one after another."""

import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nbseal.confine import kernel, limits, steps
from nbseal.confine.confined import Confined
from nbseal.confine.landlock import landlock_version, rights
from nbseal.confine.root import plan
from nbseal.confine.seccomp import filter_program
from nbseal.confine.spec import Confinement, ConfinementError

_MESSAGE = 4096
_PROC, _READY = b"/", b"ready"  # a byte that a descriptor travels with; no sentence begins with it
_HANDLED = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGALRM,
    signal.SIGCHLD,
    signal.SIGUSR1,
    signal.SIGUSR2,
)


@dataclass(frozen=True)
class Host:
    """The measures that this worker can take: None where one is granted, else the reason why it is
    not."""

    namespaces: str | None
    landlock: str | None
    seccomp: str | None
    own_pids: int = field(default=-1, repr=False)  # descriptor of the worker's own PID namespace

    @property
    def refusals(self) -> dict[str, str]:
        """Measure -> why it cannot be taken; empty where all can."""
        reasons = {
            "namespaces": self.namespaces,
            "Landlock": self.landlock,
            "seccomp": self.seccomp,
        }
        return {measure: reason for measure, reason in reasons.items() if reason}


_host: Host | None = None


def enter_worker() -> Host:
    """Get this process ready to confine sessions. Call it first thing: with one thread, and before
    heavy imports.

    The process forks. The child lives on in a PID namespace of its own - and, where it is not root,
    in a user namespace,
    without which an ordinary user may make no other - and returns from here. Whatever it leaves
    behind ends with it.
    The parent only waits, ends as the child ends, and takes the child along when it is killed.
    """
    global _host
    if _host is None:
        _one_thread()
        namespaces = _try_namespaces()
        if namespaces is None:
            _enter_namespaces()
        own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        _host = Host(namespaces, _landlock_refusal(), _seccomp_refusal(), own_pids)
    return _host


def _try_namespaces() -> str | None:
    """Why sessions cannot be put into namespaces here, found by doing it in a child; None if they
    can."""

    def attempt() -> None:
        global _host
        _enter_namespaces()
        own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        _host = Host(None, "not tried", "not tried", own_pids)
        accept = frozenset({"this trial"})
        spawn_confined(Confinement(Path("/tmp/trial"), accept_open=accept), lambda: None).end()

    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        _run(lambda: _report(theirs, attempt))
    theirs.close()
    with ours:
        said = ours.recv(_MESSAGE).decode()
    os.waitpid(child, 0)
    return None if said == "ok" else said or "the trial ended without a word"


def _report(to: socket.socket, attempt: Callable[[], None]) -> None:
    try:
        attempt()
    except (OSError, ConfinementError) as error:
        to.send(_sentence(error))
    else:
        to.send(b"ok")


def _sentence(error: Exception) -> bytes:
    text = (
        f"{error.strerror}{f' ({error.filename})' if error.filename else ''}"
        if isinstance(error, OSError)
        else error
    )
    return str(text).encode()[:_MESSAGE]


def _enter_namespaces() -> None:
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        kernel.unshare(kernel.CLONE_NEWPID)
    else:
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    child = os.fork()
    if child:
        _end_like(child)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_like(child: int) -> None:
    """Hold nothing open, wait, and end as the child ended. Does not return."""
    # Ctrl-C reaches the child, too, and that is the one to decide
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    steps.close_all_but(())
    steps.silence_all_but(())
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code not in (
            signal.SIGKILL,
            signal.SIGSTOP,
        ) else None
        os.kill(os.getpid(), -code)
    os._exit(code)


def _landlock_refusal() -> str | None:
    if landlock_version() == 0:
        return "the kernel has none, or it is switched off"
    rights()
    return None


def _seccomp_refusal() -> str | None:
    try:
        filter_program(True), filter_program(False)
    except (OSError, RuntimeError) as error:
        return f"{error} (install libseccomp)"
    return None


def _one_thread() -> None:
    threads = len(os.listdir("/proc/self/task"))
    if threads > 1:
        raise RuntimeError(
            f"a process with {threads} threads cannot fork sessions: locks held by the others "
            "stay locked"
        )


def spawn_confined(
    confinement: Confinement, main: Callable[[], object], keep_fds: Iterable[int] = ()
) -> Confined:
    """Fork this worker and run `main` in the child, confined. The child ends when `main` does; it
    never returns here.

    `keep_fds` stay open in it, all other descriptors are closed, and standard input, output and
    error are /dev/null
    unless kept. Raises ConfinementError, in the worker, where the child could not be confined.
    """
    if _host is None:
        raise RuntimeError("call enter_worker() before spawn_confined()")
    if _host.refusals and not confinement.accept_open:
        raise ConfinementError(
            "this host does not allow a session to be confined: "
            + "; ".join(f"no {measure}: {reason}" for measure, reason in _host.refusals.items())
        )
    keep_fds = tuple(keep_fds)
    _one_thread()
    plan(confinement)  # so that the children need not
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or the child would print it again
    ours, theirs = socket.socketpair()
    with ours, theirs:
        pid = _fork()
        if pid == 0:
            _run(lambda: _session(confinement, main, keep_fds, theirs))
        theirs.close()
        said, descriptors, _, _ = socket.recv_fds(ours, len(_PROC), 1)
        said = (b"" if descriptors else said) + ours.recv(_MESSAGE)
    if said == _READY:
        return Confined(pid, descriptors[0], _host.namespaces is None)
    for descriptor in descriptors:
        os.close(descriptor)
    os.waitpid(pid, 0)
    raise ConfinementError(
        f"a session could not be confined: {said.decode() or 'it died on the way'}"
    )


def _entered() -> Host:
    """What this worker found when it got ready."""
    if _host is None:
        raise RuntimeError("call enter_worker() before spawn_confined()")
    return _host


def _fork() -> int:
    """Fork a child that is the first process of a new PID namespace, where namespaces are
    granted."""
    if _entered().namespaces is not None:
        return os.fork()
    kernel.unshare(kernel.CLONE_NEWPID)  # for children; the worker itself stays where it is
    pid = -1
    try:
        pid = os.fork()
    finally:
        if pid != 0:
            kernel.setns(_entered().own_pids, kernel.CLONE_NEWPID)
    return pid


def _session(
    confinement: Confinement, main: Callable[[], object], keep_fds: Iterable[int], to: socket.socket
) -> None:
    try:
        _forget_handlers()
        steps.close_all_but([*keep_fds, to.fileno()])
        limits.allow_descriptors()
        steps.confine(
            confinement,
            _entered().namespaces is None,
            _entered().landlock is None,
            _entered().seccomp is None,
            hand_over=lambda proc: socket.send_fds(to, [_PROC], [proc]),
        )
    except (OSError, ConfinementError) as error:
        to.send(_sentence(error))
        return
    to.send(_READY)
    to.close()
    steps.silence_all_but(keep_fds)
    main()


def _forget_handlers() -> None:
    """Signals mean in a session what they mean in a fresh Python, whatever the worker does with
    them."""
    signal.set_wakeup_fd(-1)
    for number in _HANDLED:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _run(function: Callable[[], object]) -> None:
    """Run a function as all that this process still does: neither exceptions nor `return` lead back
    into the worker."""
    code = 1
    try:
        function()
        code = 0
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else exit.code is not None
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code & 0xFF)
