"""A warm worker: a process of its own that has imported everything and forks a session per
submission.

It is forked from the zygote, knows no secret - no key, no test, no other student's work, no
environment of the instructor's - and can be killed and replaced at any moment. It never runs a
student's code and stays single-threaded: a process forked beside a running thread inherits that
thread's locks, held forever.

Its control socket takes one request at a time: ``warm``, ``session`` (with the session's socket),
``interrupt``, ``threads``, ``end``. What it says of a session is what the kernel says of it: a
session's own word decides neither whether a submission is run again nor what it has used.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import time
from pathlib import Path

from nbseal import wire
from nbseal.confine import Confined, Confinement, ConfinementError, enter_worker, spawn_confined
from nbseal.inside import session
from nbseal.inside.warming import Warm, warm_up
from nbseal.records import Limits
from nbseal.view import CourseView

WATCH_SECONDS = 0.2
DYING_SECONDS = 2.0  # from the end of a process's files to its own
NOTHING = {"status": 0, "cpu": 0.0, "memory": 0, "excess": None, "short": False}


class Worker:
    """The process's side of the control socket."""

    def __init__(self, control: wire.Channel, warm: Warm):
        self.control, self.warm = control, warm
        self.confined: Confined | None = None
        self.limits = Limits()
        self.excess: str | None = None

    def serve(self) -> None:
        """Answer requests until the engine closes the socket; then take every session along."""
        handlers = {
            "warm": self._warm,
            "session": self._session,
            "interrupt": self._interrupt,
            "threads": self._threads,
            "end": self._end,
        }
        try:
            while True:
                while self.confined and not self.control.ready(WATCH_SECONDS):
                    self._watch()
                request, _ = self.control.receive(with_fds=1)
                self.control.send({"did": request["do"], **handlers[request["do"]](request)})
        except wire.Closed:
            self._end({})

    def _watch(self) -> None:
        """End a session whose processes use too much together; what one process may use, the kernel
        bounds."""
        if self.excess is None and self.confined is not None:
            self.excess = self.confined.excess(self.limits)
            if self.excess:
                os.kill(self.confined.pid, signal.SIGKILL)

    def _warm(self, request: dict) -> dict:
        missing = warm_up(self.warm, request["modules"], CourseView.of_json(request["course"]))
        return {"missing": missing}

    def _session(self, request: dict) -> dict:
        (descriptor,) = self.control.received_fds
        self.limits = Limits(**request["limits"])
        self.warm.recorder.max_bytes = self.limits.output_bytes
        scratch = Path(request["scratch"])
        confinement = Confinement.for_course(
            CourseView.of_json(request["course"]),
            scratch,
            limits=self.limits,
            folder=request["folder"] and Path(request["folder"]),
            accept_open=frozenset(request["accept_open"]),
        )

        def main() -> None:
            session.start(
                self.warm, socket.socket(fileno=descriptor), self.limits, scratch, request["links"]
            )

        self.excess, self.usage_before = None, resource.getrusage(resource.RUSAGE_CHILDREN)
        self.victims_before = _victims()
        try:
            self.confined = spawn_confined(confinement, main, keep_fds=[descriptor])
        except ConfinementError as error:
            return {"problem": str(error)}
        finally:
            os.close(descriptor)
        return {}

    def _interrupt(self, _: dict) -> dict:
        if self.confined:
            os.kill(self.confined.pid, signal.SIGINT)
        return {}

    def _threads(self, _: dict) -> dict:
        """How many threads the session's first process has, beside its main one."""
        return {"threads": max(0, _status(self.confined, "Threads") - 1) if self.confined else 0}

    def _end(self, request: dict) -> dict:
        """Kill the session with all its descendants; says how it had ended and what it used.

        Where its line is closed it should have ended (`dead`), and is given a moment to; a session
        that only closed its line is killed here, and by nobody else.
        """
        if self.confined is None:
            return NOTHING
        confined, self.confined = self.confined, None
        ended = _ends(confined, DYING_SECONDS if request.get("dead") else 0.0)
        memory = _status(confined, "VmHWM") * 1024
        status = confined.end()
        before, after = self.usage_before, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        short = _victims() > self.victims_before
        return {
            "status": status if ended else 0,
            "cpu": cpu,
            "memory": memory,
            "excess": self.excess,
            "short": short,
        }


def _ends(confined: Confined, seconds: float) -> bool:
    """Whether the session's first process has ended, or does so soon."""
    until = time.monotonic() + seconds
    while True:
        if os.waitid(os.P_PID, confined.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(0.005)


def _status(confined: Confined, field: str) -> int:
    """A number in what the kernel says of the session's first process; 0 once it has ended."""
    name = "1/status" if confined.isolated else f"{confined.pid}/status"
    try:
        with open(os.open(name, os.O_RDONLY, dir_fd=confined.proc)) as file:
            lines = file.read().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)


def _victims() -> int:
    """How many processes of this machine were killed because memory was short."""
    try:
        fields = Path("/proc/vmstat").read_text().split()
        return int(fields[fields.index("oom_kill") + 1])
    except (OSError, ValueError):
        return 0


def main(sock: socket.socket, warm: Warm) -> None:
    """What a process forked from the zygote does as a worker, until its socket closes."""
    enter_worker()
    Worker(wire.Channel(sock), warm).serve()
