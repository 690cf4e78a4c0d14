"""The far end of `nbseal serve`: one process for a course, from which those that grade are forked.

It imports everything once, runs nobody's code and not even the course's configuration, and holds no
key. What it forks for a run is in spare.py; one such process is kept ready for each assignment, and
made while nothing else is done. It ends when nobody has asked for a while, and starts anew when a
file changes that it, or its zygote, has loaded.
"""

from __future__ import annotations

import gc
import json
import os
import select
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nbseal import asking
from nbseal.autograde.peer import is_one_of_us, own_name
from nbseal.autograde.spare import serve_one
from nbseal.engine.zygote import Zygote, likely
from nbseal.files import loaded_files, stamps
from nbseal.interrupts import held_back

LOOK_SECONDS = 5.0  # between two looks at the files that have been loaded
RETRY_SECONDS = 30.0  # after a process has died while it got ready
END_SECONDS = 30.0  # for a process to end by itself
REQUEST_SECONDS = 5.0  # for a command to say what it wants
READ = selectors.EVENT_READ
Stamps = Mapping[str, "tuple[int, ...] | list[int] | None"]


@dataclass(eq=False)
class Job:
    """A process that was forked for one run."""

    assignment: str
    pid: int
    ended: int  # a descriptor that tells
    line: socket.socket
    client: socket.socket | None = None  # the command in whose place it works
    made_from: Stamps | None = None  # files, once it is ready
    depends: Stamps = field(default_factory=dict)  # more files


class Server:
    """Serves assignments of one course, until it is idle for too long."""

    def __init__(
        self,
        course: Path,
        assignments: list[str],
        idle: float,
        origin: list,
        main: Callable[[], object],
    ):
        """idle: seconds; origin: of this process, from before anything was loaded; main: does what
        sys.argv says. Raises CourseError where the course is served already, or the sockets' folder
        is another's."""
        self._course, self._assignments = course, assignments
        self._idle, self._origin, self._main = idle, origin, main
        self._path, self._lock = own_name(str(course))
        self._owner = os.getpid()
        self._zygote = Zygote()
        self._jobs: list[Job] = []
        self._lessons: list[str] = []  # what those that got ready had to have imported
        self._loaded: Stamps = {}
        self._is_old = False  # something that was loaded has changed
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        self._asked = self._looked = self._not_before = time.monotonic()

    def serve(self) -> bool:
        """Answer commands. Returns whether it has to start anew."""
        self._zygote.warm(likely(self._course), None)
        self._loaded = self._all_loaded()
        self._listen()
        gc.freeze()  # what is loaded stays, and is not to be copied for being looked at
        while self._served() or not (self._is_old or self._is_idle()):
            self._make_ready()
            for key, _ in self._selector.select(LOOK_SECONDS):
                if self._selector.get_map().get(key.fd) is key:  # it may be closed meanwhile
                    key.data()
            if time.monotonic() - self._looked > LOOK_SECONDS:
                self._look()
        return self._is_old

    def close(self) -> None:
        """End everything that was forked; commands at work are interrupted, and waited for. In a
        forked process nothing happens."""
        if os.getpid() != self._owner:
            return
        with suppress(OSError):
            os.unlink(self._path)
        for job in self._jobs:
            _signal(job, signal.SIGTERM)
        while self._jobs:
            self._let_end(self._jobs[0])
        self._zygote.close()
        os.close(self._lock)

    def _listen(self) -> None:
        # under another name until it listens: who finds it deaf may remove it
        new = f"{self._path}.new"
        with suppress(FileNotFoundError):
            os.unlink(new)
        self._listener.bind(new)
        os.chmod(new, 0o600)
        self._listener.listen(64)
        os.rename(new, self._path)
        self._selector.register(self._listener, READ, self._admit)

    # ---- A command -------------------------------------------------------------------------------

    def _admit(self) -> None:
        """Let a command be done by a process that is ready, or by a fresh one."""
        connection, _ = self._listener.accept()
        descriptors: list[int] = []
        try:
            if is_one_of_us(connection):
                connection.settimeout(REQUEST_SECONDS)
                order = asking.receive(connection, descriptors)
                assignment = self._assignment_of(order, len(descriptors))
                asking.send(connection, {"taken": assignment is not None})
                if assignment is not None and asking.receive(connection).get("begin"):
                    self._hand_over(assignment, connection, order, descriptors)
                    return
        except (OSError, ValueError, EOFError, KeyError):
            pass  # it has gone, or speaks another language: it does without
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        connection.close()

    def _assignment_of(self, order: dict, descriptors: int) -> str | None:
        """What it wants graded; None where it has to do that itself."""
        self._look()
        same = order["origin"] == self._origin and order["course"] == str(self._course)
        if self._is_old or not same or descriptors != asking.STREAMS + 1:
            return None
        return next((word for word in order["arguments"] if word in self._assignments), None)

    def _hand_over(
        self, assignment: str, connection: socket.socket, order: dict, descriptors: list[int]
    ) -> None:
        job = self._spare(assignment) or self._fork(assignment, connection, descriptors)
        self._asked = time.monotonic()
        job.client = connection
        self._selector.register(connection, READ, lambda: self._pass_on(job))
        with suppress(OSError):  # it has just died, which is noticed in its turn
            asking.send(job.line, order, tuple(descriptors))

    def _pass_on(self, job: Job) -> None:
        """A signal that a command was sent; where the command itself is gone, the one to end."""
        assert job.client is not None
        try:
            _signal(job, int(asking.receive(job.client)["signal"]))
        except (OSError, ValueError, EOFError, KeyError):
            self._selector.unregister(job.client)
            _signal(job, signal.SIGTERM)

    # ---- Processes -------------------------------------------------------------------------------

    def _make_ready(self) -> None:
        """See that one process is ready for each assignment, one after the other, and not while a
        command needs the processors."""
        busy = self._served() or any(job.made_from is None for job in self._jobs)
        if busy or self._is_old or time.monotonic() < self._not_before:
            return
        self._learn()
        for assignment in self._assignments:
            if self._spare(assignment) is None:
                self._fork(assignment)
                return

    def _learn(self) -> None:
        """Have the zygote import what those that got ready needed, so that the next need not."""
        if set(self._lessons) <= set(self._zygote.asked):
            return
        courses = [json.loads(text)["course"] for text in self._lessons]
        read = [Path(one["root"], name) for one in courses if one for name in one["files"]]
        before = _same(stamps(read))
        self._zygote.learn(self._lessons)
        # what was known before stays as it was then: a file may have changed since
        self._loaded = {**self._all_loaded(), **before, **self._loaded}

    def _all_loaded(self) -> Stamps:
        return _same(stamps([*loaded_files(), *self._zygote.files]))

    def _spare(self, assignment: str) -> Job | None:
        spares = (one for one in self._jobs if one.client is None and one.assignment == assignment)
        return next((one for one in spares if not select.select([one.ended], [], [], 0)[0]), None)

    def _served(self) -> bool:
        return any(job.client for job in self._jobs)

    def _fork(
        self, assignment: str, client: socket.socket | None = None, opened: list[int] | None = None
    ) -> Job:
        """A process for one run. client: the command that waits for it, and what came with it."""
        zygote = self._zygote.twin()
        ours, theirs = socket.socketpair()
        with held_back():  # or an interrupt is lost in what logging does around a fork
            if (pid := os.fork()) == 0:
                ours.close()
                self._forget(client, opened or [])
                serve_one(theirs, self._course, assignment, zygote, self._main)
        theirs.close()
        zygote.let_go()
        job = Job(assignment, pid, os.pidfd_open(pid), ours)
        self._jobs.append(job)
        self._selector.register(job.ended, READ, lambda: self._ended(job))
        self._selector.register(job.line, READ, lambda: self._got_ready(job))
        return job

    def _forget(self, client: socket.socket | None, opened: list[int]) -> None:
        """In a forked process: close all that is the server's."""
        lines = [job.line for job in self._jobs], [job.client for job in self._jobs]
        for one in [self._listener, client, *lines[0], *lines[1]]:
            if one is not None:
                one.close()
        while opened:  # so that the server's frames, which are left at the end, find nothing
            os.close(opened.pop())
        for descriptor in [self._lock, *(job.ended for job in self._jobs)]:
            os.close(descriptor)
        self._selector.close()
        self._zygote.let_go()

    def _got_ready(self, job: Job) -> None:
        """Hear what a process was made from, and what it had to have imported for it."""
        self._selector.unregister(job.line)
        try:
            told = asking.receive(job.line)
        except ValueError:  # of more files than can be told: it waits for somebody to listen
            return _signal(job, signal.SIGKILL)
        except (OSError, EOFError):
            return  # it is about to end
        job.made_from, job.depends = told["made_from"], told["depends"]
        if told["problem"] is None:
            self._lessons = [*dict.fromkeys([*self._lessons, *told["asked"]])]
            print(f"nbseal: {job.assignment} is ready.", file=sys.stderr)
        else:
            last = (told["problem"].strip().splitlines() or ["it does not say why"])[-1]
            print(f"nbseal: {job.assignment} cannot be made ready: {last}", file=sys.stderr)

    def _let_end(self, job: Job) -> None:
        """Wait for a process that was told to end, if not for ever."""
        if not select.select([job.ended], [], [], END_SECONDS)[0]:
            _signal(job, signal.SIGKILL)
        self._ended(job)

    def _ended(self, job: Job) -> None:
        """Tell its command how it ended."""
        self._jobs.remove(job)
        _, status = os.waitpid(job.pid, 0)
        if job.made_from is None and job.client is None:
            self._not_before = time.monotonic() + RETRY_SECONDS
        for one in (job.ended, job.line, job.client):
            with suppress(KeyError, ValueError):
                self._selector.unregister(one)  # type: ignore[arg-type]
        if job.client is not None:
            self._asked = time.monotonic()
            with suppress(OSError):
                asking.send(job.client, {"ended": os.waitstatus_to_exitcode(status)})
            job.client.close()
        job.line.close()
        os.close(job.ended)

    # ---- What has changed ------------------------------------------------------------------------

    def _look(self) -> None:
        """Look whether what was loaded, here or by those that are ready, is still what it was."""
        self._looked = time.monotonic()
        self._is_old |= _same(stamps(self._loaded)) != self._loaded
        for job in [one for one in self._jobs if one.client is None and one.made_from is not None]:
            needed = {**job.depends, **(job.made_from or {})}
            if _same(stamps(needed)) != needed:
                _signal(job, signal.SIGTERM)
                self._let_end(job)

    def _is_idle(self) -> bool:
        return time.monotonic() - self._asked > self._idle


def _same(stamps: Stamps) -> Stamps:
    """As it is told from one process to another."""
    return {path: stamp and list(stamp) for path, stamp in stamps.items()}


def _signal(job: Job, number: int) -> None:
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(job.ended, number)
