"""The engines of a run, or of several: what a course configures of one, and when it is started."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from nbseal.confine import require_closed
from nbseal.engine.cluster import Cluster
from nbseal.engine.engine import Engine
from nbseal.engine.zygote import Zygote
from nbseal.records import Limits
from nbseal.view import CourseView


@dataclass(frozen=True)
class EngineSettings:
    """What a course configures of its engine; see SealedExecute."""

    limits: Limits = field(default_factory=Limits)
    accept_open: frozenset[str] = frozenset()
    course_files: tuple[str, ...] = ()  # what every notebook may read of the course's folder
    full_marks: bool = True  # whether the instructor's own solution must get them
    cluster: str | None = None  # the address of one; None for workers of this machine


def limits_of(timeout: int | None, others: dict | None = None) -> Limits:
    """The limits of a session, from nbgrader's timeout for a cell (None or negative: only the
    session's own limit)."""
    limits = replace(Limits(), **(others or {}))
    cell = float(timeout) if timeout is not None and timeout >= 0 else limits.session_seconds
    if cell > limits.session_seconds and "session_seconds" not in (others or {}):
        # Someone who allows a cell an hour did not mean to stop the session after five minutes.
        limits = replace(
            limits, session_seconds=2 * cell, cpu_seconds=max(limits.cpu_seconds, int(2 * cell))
        )
    return replace(limits, cell_seconds=cell)


class StartedEngine:
    """An engine, and the trial of this host's boundaries, which goes on while it warms up. With a
    cluster no submission runs here: its machines try theirs."""

    def __init__(
        self,
        course: CourseView,
        settings: EngineSettings,
        workers: int,
        zygote: Zygote | None = None,
    ):
        self.cluster = Cluster(settings.cluster) if settings.cluster else None
        self._trial: Future[None] = Future()
        if self.cluster:
            self._trial.set_result(None)
        else:
            threading.Thread(target=self._try, args=(settings.accept_open,), daemon=True).start()
        self.engine = Engine(
            course,
            workers=workers,
            limits=settings.limits,
            accept_open=settings.accept_open,
            cluster=self.cluster,
            zygote=zygote,
        )

    def _try(self, accept_open: frozenset[str]) -> None:
        try:
            require_closed(accept_open)
            self._trial.set_result(None)
        except BaseException as error:
            self._trial.set_exception(error)

    def require_closed(self) -> None:
        """Raise CourseError if this host leaves a boundary open that is not accepted."""
        self._trial.result()

    def close(self) -> None:
        self.engine.close()
        if self.cluster is not None:
            self.cluster.close()


class Engines:
    """The engines of one process or one run, each started when it is first needed. Whoever makes
    this closes it."""

    def __init__(self, workers: int, zygote: Zygote | None = None):
        """zygote: one that was started ahead, for the first engine."""
        self._workers, self._zygote = workers, zygote
        self._started: dict[tuple[CourseView, EngineSettings], StartedEngine] = {}

    def of(self, course: CourseView, settings: EngineSettings) -> StartedEngine:
        """The engine of a course, warm if there is one; a new one where its cluster was lost."""
        old = self._started.get((course, settings))
        if old is not None and old.cluster is not None and old.cluster.gone is not None:
            self._started.pop((course, settings)).close()
        if (course, settings) not in self._started:
            zygote, self._zygote = self._zygote, None
            engine = StartedEngine(course, settings, self._workers, zygote)
            self._started[course, settings] = engine
        return self._started[course, settings]

    @property
    def workers(self) -> int:
        """How many submissions are executed at the same time, as far as is known now."""
        return max([self._workers, *(one.workers for one in self._clusters())])

    @property
    def machines(self) -> str:
        """What a cluster has now, in words; nothing where there is none."""
        return ", ".join(one.said for one in self._clusters() if one.said)

    def _clusters(self) -> list[Cluster]:
        return [one.cluster for one in self._started.values() if one.cluster is not None]

    def close(self) -> None:
        while self._started:
            self._started.popitem()[1].close()
        if self._zygote is not None:
            self._zygote.abandon()

    def __enter__(self) -> Engines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
