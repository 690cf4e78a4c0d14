"""The warm workers of one machine, and how often a submission may run on them.

The one place that decides it. A submission runs once. Where this side saw that something else ended
it - its worker died, or its session was killed from outside - it runs once more, with no other
session beside it. And each test that used up its time while threads of the student's own were alive
runs once more without the fork that may have left a lock held. All of that takes place within the
time of one session, and a session's own word is a reason for none of it.

From a repetition that may know the tests nothing is shown that it printed (Execution.repeated).
"""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from dataclasses import replace

from nbseal.engine import session
from nbseal.engine.turns import Turns
from nbseal.engine.worker import WarmWorker, WorkerDied
from nbseal.engine.zygote import Zygote, ZygoteDied
from nbseal.leftovers import OwnFolder
from nbseal.records import Execution, Order

LEAST_SECONDS = 1.0  # with less than this left, nothing is run again
WORKERS_TRIED = 3  # for one attempt


class WorkerPool:
    """Warm workers of this machine; as many at once as there are threads that call `run`."""

    def __init__(self, zygote: Zygote | None = None):
        self.zygote = zygote or Zygote()
        self._idle: queue.LifoQueue[WarmWorker] = queue.LifoQueue()
        self._all: set[WarmWorker] = set()
        self._lock = threading.Lock()
        self._turns = Turns()
        self._folder = OwnFolder()
        self._closed = False

    def run(self, order: Order) -> Execution:
        """Execute an order, as often as this module's first lines say. What goes wrong is in the
        result; only session.Refused is raised, where this host lets nothing be confined."""
        with self._turns.beside_others():
            execution = self._attempt(order)
        if execution.killed and _left(order, execution) >= LEAST_SECONDS:
            with self._turns.alone():
                again = self._attempt(_with_the_rest(order, execution), spent=execution.seconds)
            repeated = execution.shown or execution.repeated
            execution = _together(execution, replace(again, repeated=repeated))
        return self._without_fork(order, execution)

    def _without_fork(self, order: Order, execution: Execution) -> Execution:
        """Run tests again whose forked process may have waited for a lock that a thread held when
        it was forked. Only the answers of such a test are taken over, and nothing that is shown."""
        for index, record in execution.tests.items():
            stuck = record.outcome == "timed out" and record.threads and not order.last_test_here
            if stuck and _left(order, execution) >= LEAST_SECONDS:
                with self._turns.beside_others():
                    rest = _with_the_rest(_up_to(order, index), execution)
                    again = self._attempt(rest, spent=execution.seconds)
                tests = {index: again.tests[index]} if index in again.tests else {}
                kept = replace(execution, tests=execution.tests | tests)
                execution = _together(again, kept)
        return execution

    def _attempt(self, order: Order, spent: float = 0.0) -> Execution:
        """Run an order once. A worker that was dead before anything ran counts for nothing: with
        the zygote all its workers die, also those that wait for work."""
        for others_left in reversed(range(WORKERS_TRIED)):
            try:
                return self._on_a_worker(order, spent)
            except (WorkerDied, ZygoteDied) as death:
                begun = getattr(death, "begun", False)
                if begun or not others_left:
                    problem = f"This submission could not be run: {death}."
                    seconds, shown = getattr(death, "seconds", 0.0), getattr(death, "shown", False)
                    return Execution({}, {}, seconds, 0.0, 0, problem, killed=True, shown=shown)
        raise AssertionError("the last of them returns")

    def _on_a_worker(self, order: Order, spent: float) -> Execution:
        """Run an order on a worker, which is replaced if it dies meanwhile. Raises WorkerDied and
        ZygoteDied."""
        worker = None
        try:
            self.zygote.warm(order.modules, order.course)
            worker = self._take()
            with self._folder.make("session-") as scratch:
                execution = session.execute(order, worker, scratch, spent)
            self._idle.put(worker)
            return execution
        except BaseException:
            self._discard(worker)
            raise

    def close(self) -> None:
        """End all workers, and what everything is forked from."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.kill()
            self._all.clear()
        self.zygote.close()
        self._folder.close()

    def _take(self) -> WarmWorker:
        with suppress(queue.Empty):
            return self._idle.get_nowait()
        with self._lock:
            if self._closed:
                raise RuntimeError("this engine is closed")
            worker = WarmWorker(self.zygote)
            self._all.add(worker)
        return worker

    def _discard(self, worker: WarmWorker | None) -> None:
        if worker is not None:
            worker.kill()
            with self._lock:
                self._all.discard(worker)


def _left(order: Order, execution: Execution) -> float:
    """Seconds that a submission still has for attempts to come."""
    return order.limits.session_seconds - execution.seconds


def _with_the_rest(order: Order, execution: Execution) -> Order:
    """An order with the processor time that earlier attempts have left of it."""
    seconds = max(1, order.limits.cpu_seconds - int(execution.cpu_seconds))
    return replace(order, limits=replace(order.limits, cpu_seconds=seconds))


def _up_to(order: Order, index: int) -> Order:
    """An order that ends with one test, run without a fork, and leaves out the others."""
    cells = tuple(cell for cell in order.cells if cell.index < index and not cell.test)
    test = next(cell for cell in order.cells if cell.index == index)
    return replace(order, cells=(*cells, test), steps=(), last_test_here=True)


def _together(earlier: Execution, last: Execution) -> Execution:
    """The last of two attempts, with what both have used."""
    return replace(
        last,
        seconds=earlier.seconds + last.seconds,
        cpu_seconds=earlier.cpu_seconds + last.cpu_seconds,
        peak_memory=max(earlier.peak_memory, last.peak_memory),
    )
