"""A warm worker's process, as the engine sees it."""

from __future__ import annotations

import time
from dataclasses import asdict

from nbseal import wire
from nbseal.engine.zygote import Zygote, ZygoteDied
from nbseal.view import CourseView

WARM_SECONDS = 300.0  # for a worker to import what the zygote had not when it was forked
CONTROL_SECONDS = 20.0


class WorkerDied(Exception):
    """A warm worker ended or does not answer; what it was doing can be tried on another one.

    seconds: how long the submission had run on it; begun: whether any of its cells had; shown:
    whether it had been sent a test.
    """

    seconds = 0.0
    begun = False
    shown = False


class WarmWorker:
    """A warm worker's process, seen from outside."""

    def __init__(self, zygote: Zygote):
        self.control, theirs = wire.Channel.pair()
        try:
            self.process = zygote.fork("worker", theirs)
        except ZygoteDied as death:
            raise WorkerDied(str(death)) from None
        finally:
            theirs.close()
        self._warmed: set[tuple] = set()

    def ask(
        self, request: dict, seconds: float = CONTROL_SECONDS, fds: tuple[int, ...] = ()
    ) -> dict:
        """One request and its reply. Raises WorkerDied."""
        deadline = time.monotonic() + seconds
        try:
            self.control.send(request, deadline=deadline, fds=fds)
            return self.control.receive(deadline=deadline)[0]
        except wire.WireError as error:
            self.kill()
            raise WorkerDied(f"the worker does not answer ({error})") from None

    def warm(self, modules: tuple[str, ...], course: CourseView) -> None:
        """Import what the reference run imported, once."""
        if (modules, course) not in self._warmed:
            self.ask(
                {"do": "warm", "modules": list(modules), "course": asdict(course)}, WARM_SECONDS
            )
            self._warmed.add((modules, course))

    def kill(self) -> None:
        self.control.close()
        self.process.kill()
