"""The nursery: one process that imports everything once, and forks warm workers and answer keys.

Importing torch, matplotlib and what else a course needs takes seconds of CPU; forking a process that has them takes
milliseconds. The nursery is exec'd with an environment of its own, never runs a student's code, and never hears a secret:
what it forks gets a socket to the engine, and everything else through that.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path

from grading import wire

# One thread everywhere, decided before the libraries are loaded: a child forked after a threaded matmul hangs.
ONE_THREAD = {name: "1" for name in ("OMP_THREAD_LIMIT", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                     "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS")}
ENVIRONMENT = ONE_THREAD | {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # as ipykernel sets it
    "PYTHONDONTWRITEBYTECODE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "NBGRADER_EXECUTION": "autograde",  # how a notebook tells grading from validating
    # As ZMQInteractiveShell.init_environment, which a kernel has run before the first cell.
    "TERM": "xterm-color", "CLICOLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "PAGER": "cat", "GIT_PAGER": "cat",
}

WARM_SECONDS = 600.0  # to import everything
FORK_SECONDS = 30.0


class NurseryDied(Exception):
    """The nursery ended or does not answer, and cannot be started again."""


class Child:
    """A process that the nursery forked, as the engine sees it: its parent is another, so it is known by a descriptor."""

    def __init__(self, pid: int):
        self.pid = pid
        self._descriptor = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def kill(self) -> None:
        """End it; returns once it has ended, or after a second."""
        try:
            if self._descriptor is None:
                os.kill(self.pid, signal.SIGKILL)
                return
            signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
            select.select([self._descriptor], [], [], 1.0)
        except ProcessLookupError:
            return
        finally:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


class Nursery:
    """The engine's hold on the nursery. Started when it is first needed, and again if it has died."""

    def __init__(self):
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._control: wire.Channel | None = None
        self._warmed: list[dict] = []
        self._abandoned = False

    def warm(self, modules: tuple[str, ...], course: str | None) -> None:
        """Have these modules imported, and the course's utils.py, before anything more is forked."""
        with self._lock:
            request = {"do": "warm", "modules": list(modules), "course": course}
            if request not in self._warmed:
                self._ask(request, WARM_SECONDS)
                self._warmed.append(request)

    def fork(self, role: str, sock: socket.socket) -> Child:
        """Fork a process that does `main(sock, warm)` of the module `role`. Raises NurseryDied."""
        with self._lock:
            reply = self._ask({"do": "fork", "role": role}, FORK_SECONDS, (sock.fileno(),))
            return Child(reply["pid"])

    def close(self) -> None:
        """End the nursery and all that it forked."""
        with self._lock:
            self._stop()

    def abandon(self) -> None:
        """End it without waiting for what it is doing. It can be asked nothing any more."""
        self._abandoned = True
        process = self._process
        if process is not None:
            process.kill()

    def _ask(self, request: dict, seconds: float, fds: tuple[int, ...] = ()) -> dict:
        for attempt in (1, 2):
            if self._abandoned:
                raise NurseryDied("this run has ended")
            if self._process is None:
                self._start()
            try:
                return self._exchange(request, seconds, fds)
            except wire.WireError as error:
                self._stop()
                reason = error
        raise NurseryDied(f"the process that everything is forked from does not answer ({reason})")

    def _exchange(self, request: dict, seconds: float, fds: tuple[int, ...] = ()) -> dict:
        deadline = time.monotonic() + seconds
        self._control.send(request, deadline=deadline, fds=fds)
        return self._control.receive(deadline=deadline)[0]

    def _start(self) -> None:
        self._control, theirs = wire.Channel.pair()
        self._process = _launch(theirs)
        theirs.close()
        for request in self._warmed:
            self._exchange(request, WARM_SECONDS)

    def _stop(self) -> None:
        if self._process is not None:
            self._control.close()
            self._process.kill()
            self._process.wait()
            self._process = None


_ahead: Nursery | None = None


def start_ahead(course: Path) -> None:
    """Start the nursery that this process will take, in the background, while the command itself is still being imported.

    It imports what the course's utils.py imports; a failure is left to be met, and reported, by those who need it.
    """
    global _ahead
    import grading.confinement  # noqa: F401 - here, not in the thread: two threads that import one package can see half of it

    _ahead = nursery = Nursery()
    atexit.register(nursery.abandon)

    def begin() -> None:
        with suppress(NurseryDied, OSError):
            utils = course / "utils.py"
            text = utils.read_text(encoding="utf-8", errors="replace") if utils.is_file() else ""
            nursery.warm(tuple(dict.fromkeys(re.findall(r"^(?:import|from) ([A-Za-z_][\w.]*)", text, re.MULTILINE))), None)

    threading.Thread(target=begin, daemon=True).start()


def take_nursery() -> Nursery:
    """The nursery that was started ahead, once; else a new one."""
    global _ahead
    nursery, _ahead = _ahead or Nursery(), None
    return nursery


def _launch(control: socket.socket) -> subprocess.Popen:
    """Start the nursery. It starts in /, and its import path does not lead to the folder of this package."""
    from grading.confinement import worker_environment

    engine = str(Path(__file__).resolve().parent.parent)
    code = (f"import sys; sys.path[0] = {engine!r}; from grading.nursery import main; del sys.path[0]; "
            "sys.path.insert(0, ''); main()")
    return subprocess.Popen([sys.executable, "-c", code, str(control.fileno())], pass_fds=(control.fileno(),), cwd="/",
                            env=worker_environment() | ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            start_new_session=True)


# ---------------------------------------------------------------------------------------------------------------------
# The process's side
# ---------------------------------------------------------------------------------------------------------------------


def _serve(control: wire.Channel) -> None:
    from grading import reference, worker
    from grading.recording import Recorder, make_shell
    from grading.warming import Warm, join_pages, warm_up

    roles = {"worker": worker.main, "answer key": reference.main}
    recorder = Recorder(1 << 20)
    warm = Warm(make_shell(recorder), recorder)
    while True:
        request, _ = control.receive(with_fds=1)
        _reap()
        if request["do"] == "warm":
            control.send({"missing": warm_up(warm, request["modules"], request["course"])})
            continue
        (descriptor,) = control.received_fds
        if request["role"] == "worker":
            join_pages(warm)
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            control.close()
            _become(roles[request["role"]], socket.socket(fileno=descriptor), warm, parent)
        os.close(descriptor)
        control.send({"pid": pid})
        join_pages(warm)  # for the workers to come, while the answer key is at work


def _become(role, sock: socket.socket, warm, parent: int) -> None:
    """What a forked process does from here on. Does not return."""
    code = 1
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with the nursery
        if os.getppid() == parent:
            role(sock, warm)
            code = 0
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)  # sys.stderr is the recorder's
    finally:
        os._exit(code)


def _reap() -> None:
    """Let go of children that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def main() -> None:
    """The process, from exec to exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the engine's to handle
    sys.excepthook = lambda *error: traceback.print_exception(*error, file=sys.__stderr__)
    try:
        _serve(wire.Channel(socket.socket(fileno=int(sys.argv[1]))))
    except wire.Closed:
        pass  # the engine has ended
