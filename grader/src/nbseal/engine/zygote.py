"""The zygote: one process that imports everything once, and forks warm workers and answer keys.

Importing torch, matplotlib and what else a course needs takes seconds of CPU; forking a process
that has them takes milliseconds. The zygote is exec'd with an environment of its own, never runs a
student's code, and never hears a secret: what it forks gets a socket to the engine, and everything
else through that.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from nbseal import wire
from nbseal.view import CourseView

# One thread everywhere, decided before the libraries are loaded: a child forked after a threaded
# matmul hangs.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_THREAD_LIMIT",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "BLIS_NUM_THREADS",
    ),
    "1",
)
ENVIRONMENT = ONE_THREAD | {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # as ipykernel sets it
    "PYTHONDONTWRITEBYTECODE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "NBGRADER_EXECUTION": "autograde",  # how a notebook tells grading from validating
    # As ZMQInteractiveShell.init_environment, which a kernel has run before the first cell.
    "TERM": "xterm-color",
    "CLICOLOR": "1",
    "FORCE_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
}

WARM_SECONDS = 600.0  # to import everything
FORK_SECONDS = 30.0


class ZygoteDied(Exception):
    """The zygote ended or does not answer, and cannot be started again."""


class Child:
    """A process that the zygote forked, as the engine sees it: its parent is another, so it is
    known by a descriptor."""

    def __init__(self, pid: int):
        self.pid = pid
        self._killed = False
        self._descriptor = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def kill(self) -> None:
        """End it; returns once it has ended, or after a second. Asked again, it does nothing: the
        number may be another process's by then."""
        if self._killed:
            return
        self._killed = True
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


class Zygote:
    """The engine's hold on the zygote. Started when it is first needed, and again if it has
    died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._control: wire.Channel | None = None
        # what was asked, as text -> it, and the reply
        self._warmed: dict[str, tuple[dict, dict]] = {}
        self._abandoned = False

    def warm(self, modules: tuple[str, ...], course: CourseView | None) -> str:
        """Have these modules imported, and the course's own, before anything more is forked.

        Returns the library that inputs are drawn with where these are imported (see
        nbseal.checks.draw_with).
        """
        with self._lock:
            request = {"do": "warm", "modules": list(modules), "course": course and asdict(course)}
            text = json.dumps(request)
            if text not in self._warmed:
                self._warmed[text] = request, self._ask(request, WARM_SECONDS)
            return str(self._warmed[text][1]["draws_with"])

    def fork(self, role: str, sock: socket.socket) -> Child:
        """Fork a process that does `main(sock, warm)` of the module `role`. Raises ZygoteDied."""
        with self._lock:
            reply = self._ask({"do": "fork", "role": role}, FORK_SECONDS, (sock.fileno(),))
            return Child(reply["pid"])

    def close(self) -> None:
        """End the zygote and all that it forked."""
        with self._lock:
            self._stop()

    def abandon(self) -> None:
        """End it without waiting for what it is doing. It can be asked nothing any more."""
        self._abandoned = True
        process = self._process
        if process is not None:
            process.kill()

    def _ask(self, request: dict, seconds: float, fds: tuple[int, ...] = ()) -> dict:
        for _ in (1, 2):
            if self._abandoned:
                raise ZygoteDied("this run has ended")
            if self._process is None:
                self._start()
            try:
                return self._exchange(request, seconds, fds)
            except wire.WireError as error:
                self._stop()
                reason = error
        raise ZygoteDied(f"the process that everything is forked from does not answer ({reason})")

    def _exchange(self, request: dict, seconds: float, fds: tuple[int, ...] = ()) -> dict:
        deadline = time.monotonic() + seconds
        if self._control is None:
            raise wire.Closed("there is no zygote")
        self._control.send(request, deadline=deadline, fds=fds)
        return self._control.receive(deadline=deadline)[0]

    def _start(self) -> None:
        self._control, theirs = wire.Channel.pair()
        self._process = _launch(theirs)
        theirs.close()
        for request, _ in self._warmed.values():
            self._exchange(request, WARM_SECONDS)

    def _stop(self) -> None:
        if self._process is not None:
            if self._control is not None:
                self._control.close()
            self._process.kill()
            self._process.wait()
            self._process = None


def start_ahead(course: Path) -> Zygote:
    """A zygote that starts in the background, while the command itself is still being imported.

    It imports what the course's own modules import, as far as nbgrader_config.py tells which these
    are; a failure is left to be met, and reported, by those who need it. Whoever asked for it hands
    it to an engine, or closes it; at the latest it ends with this process.
    """
    import nbseal.confine  # noqa: F401 - here, not in the thread: two threads that import one package can see half of it

    zygote = Zygote()
    atexit.register(zygote.abandon)

    def begin() -> None:
        with suppress(ZygoteDied, OSError):
            zygote.warm(likely(course), None)

    threading.Thread(target=begin, daemon=True).start()
    return zygote


def likely(course: Path) -> tuple[str, ...]:
    """What the modules among the course's files import at their top, without reading the
    configuration as nbgrader does, which takes a second."""
    config = course / "nbgrader_config.py"
    listed = re.search(r"course_files=\[([^\]]*)\]", _text(config))
    names = re.findall(r"""["']([^"'/]+)["']""", listed.group(1)) if listed else []
    found: dict[str, None] = {}
    for name in names:
        found |= dict.fromkeys(
            re.findall(r"^(?:import|from) ([A-Za-z_][\w.]*)", _text(course / name), re.MULTILINE)
        )
    ours = {name.removesuffix(".py") for name in names}
    return tuple(module for module in found if module.split(".")[0] not in ours)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def _launch(control: socket.socket) -> subprocess.Popen:
    """Start the zygote. It starts in /, and its import path does not lead to the folder of this
    package."""
    from nbseal.confine import worker_environment

    engine = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys; sys.path[0] = {engine!r}; from nbseal.inside.zygote import main; del "
        "sys.path[0]; "
        "sys.path.insert(0, ''); main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, str(control.fileno())],
        pass_fds=(control.fileno(),),
        cwd="/",
        env=worker_environment() | ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
