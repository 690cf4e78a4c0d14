"""The warm workers of one machine."""

from __future__ import annotations

import atexit
import queue
import threading
from functools import cache

from nbseal.engine import session
from nbseal.engine.worker import WarmWorker, WorkerDied
from nbseal.engine.zygote import Zygote, ZygoteDied
from nbseal.records import Execution, Order


class WorkerPool:
    """Warm workers of this machine; as many at once as there are threads that call `run`."""

    def __init__(self, zygote: Zygote | None = None):
        self.zygote = zygote or Zygote()
        self._idle: queue.LifoQueue[WarmWorker] = queue.LifoQueue()
        self._all: set[WarmWorker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def run(self, order: Order) -> Execution:
        """Execute an order. A worker that dies is replaced and its order tried once more; the
        second time is reported."""
        for attempt in (1, 2):
            try:
                self.zygote.warm(order.modules, order.course)
                worker = self._take()
            except (WorkerDied, ZygoteDied) as death:
                reason = str(death)
                continue
            try:
                execution = session.execute(order, worker)
                self._idle.put(worker)
                return execution
            except WorkerDied as death:
                self._discard(worker)
                reason = str(death)
            except BaseException:
                self._discard(worker)
                raise
        return Execution(
            {}, {}, 0.0, 0.0, 0, problem=f"This submission could not be run: {reason}, twice."
        )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.kill()
            self._all.clear()
        self.zygote.close()

    def _take(self) -> WarmWorker:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            with self._lock:
                if self._closed:
                    raise RuntimeError("this engine is closed")
                worker = WarmWorker(self.zygote)
                self._all.add(worker)
            return worker

    def _discard(self, worker: WarmWorker) -> None:
        worker.kill()
        with self._lock:
            self._all.discard(worker)


@cache
def _pool_of_this_process() -> WorkerPool:
    pool = WorkerPool()
    atexit.register(pool.close)
    return pool


def run_here(order: Order) -> Execution:
    """Execute an order with the warm workers of whichever process this is called in: what to route
    to other machines.

    Orders and executions are plain data made by trusted code, so an Executor may pickle them.
    """
    return _pool_of_this_process().run(order)
