"""The engine: executes submissions in sealed, confined sessions and judges their answers.

    engine = Engine(course, workers=2)
    # seals, draws the key, runs the reference
    engine.prepare(source_notebook, tests, name="layer_norm")
    future = engine.submit(Work("ada", "layer_norm", notebook, folder))
    future.result()  # a GradedExecution

A submission is executed as an Order: by threads that each drive a warm worker of this machine, or
by a cluster. What comes back are outputs and packed answers; they are judged here, on the trusted
side, by the process that holds the answer key.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from nbseal.apart import TooMuch
from nbseal.confine.limits import allow_descriptors
from nbseal.engine import memory
from nbseal.engine.answer_key import AnswerKeyError
from nbseal.engine.cluster import Cluster
from nbseal.engine.pool import WorkerPool
from nbseal.engine.preparation import Preparation, patient
from nbseal.engine.prepared import EngineError, Prepared
from nbseal.engine.reading import Plan, Reader
from nbseal.engine.reference import with_tests
from nbseal.engine.verdicts import Judged, graded_execution
from nbseal.engine.zygote import Zygote
from nbseal.records import Execution, GradedExecution, Limits, Order, Work
from nbseal.view import CourseView

__all__ = ["Engine", "EngineError"]


class Engine:
    """Executes and judges submissions of one course."""

    def __init__(
        self,
        course: CourseView,
        *,
        workers: int = 2,
        limits: Limits = Limits(),
        accept_open: frozenset[str] = frozenset(),
        cluster: Cluster | None = None,
        zygote: Zygote | None = None,
    ):
        """cluster: where submissions are executed if not here; its owner closes it. zygote: one
        that was started ahead; the engine closes it."""
        # or sessions of the same user could keep all that may be on their way in their queues
        allow_descriptors()
        self.course, self.limits, self.accept_open = course, limits, accept_open
        self.workers, fewer = memory.fitting(workers, limits.memory_bytes)
        if fewer and not cluster:
            print(fewer, file=sys.stderr)
        self._zygote = zygote or Zygote()
        self._pool = WorkerPool(self._zygote)
        self._reader = Reader()
        self._sessions = ThreadPoolExecutor(self.workers, thread_name_prefix="session")
        self._cluster = cluster
        self._running: set[Future[Execution]] = set()
        self._closed = False
        self._judges = ThreadPoolExecutor(workers, thread_name_prefix="judge")
        self._preparation = Preparation(course, self._zygote, self._judges)
        self._prepared: dict[str, Prepared] = {}

    def prepare(
        self,
        source_notebook: NotebookNode | None,
        tests: NotebookNode,
        *,
        name: str = "",
        folder: Path | None = None,
        key: str | None = None,
        seed: int | None = None,
        self_test: bool = True,
        full_marks: bool = True,
        wait: bool = True,
        watched: bool = False,
    ) -> Prepared:
        """Seal a notebook's test cells, draw its key, run the reference solution, and let it pass
        its own tests; with full_marks also those that are not sealed.

        tests: the instructor's locked cells, from nbgrader's gradebook; source_notebook: the
        instructor's version, None where the course keeps none; folder: files that lie beside the
        notebook; wait: until it has passed; else submissions are executed meanwhile, and judged
        once it has; watched: by_hand watches the run that computes the expected values, too, as
        where nbgrader runs the tests. Raises EngineError where the notebook cannot be graded as it
        is written.
        """
        prepared = self._preparation.make(source_notebook, tests, name, folder, key, seed, watched)
        if self_test and source_notebook is not None and (prepared.sealed or full_marks):
            prepared.tried = self._preparation.try_reference(
                prepared,
                with_tests(source_notebook, tests),
                name,
                full_marks,
                partial(self._submit, limits=patient(self.limits), apart=True),
                self.limits,
            )
            if wait:
                prepared.tried.result()
        old, self._prepared[name] = self._prepared.get(name), prepared
        if old:
            old.release(retire=True)
        return prepared

    def submit(
        self,
        work: Work,
        *,
        seed: int | None = None,
        watch: Callable[[Execution], object] | None = None,
    ) -> Future[GradedExecution]:
        """Have a submission executed and judged. What is wrong with it is in the result; only
        EngineError is raised.

        seed: for the global random state; watch: is shown what came back, before it is judged.
        """
        prepared = self._prepared.get(work.notebook_name) or self._prepared.get("")
        if prepared is None:
            raise EngineError(f"the notebook {work.notebook_name!r} was not prepared")
        return self._submit(work, prepared, watch, seed)

    def _submit(
        self,
        work: Work,
        prepared: Prepared,
        watch: Callable[[Execution], object] | None = None,
        seed: int | None = None,
        limits: Limits | None = None,
        apart: bool = False,
    ) -> Future[GradedExecution]:
        """apart: each test in a process of its own, as those of any student may be."""
        if self._closed:
            raise EngineError("the engine is closed")
        result: Future[GradedExecution] = Future()
        prepared.acquire()
        result.add_done_callback(lambda _: prepared.release())
        try:
            order = prepared.order(work, self.course, limits or self.limits, self.accept_open, seed)
            plan = self._reader.plan(order, work.notebook, prepared.sealed)
            order = replace(order, steps=() if apart else plan.steps)
        except TooMuch as error:
            result.set_result(_unread(error))
            return result
        except OSError:  # the machine's, not the student's
            raise
        # a damaged notebook is the student's, and must not stop the others
        except Exception as error:
            problem = f"This is not a notebook that can be executed ({type(error).__name__})."
            result.set_result(GradedExecution({}, (), 0.0, 0.0, 0, problem))
            return result
        result.set_running_or_notify_cancel()
        if self._cluster is not None:
            running = self._cluster.send(order, prepared.folder)
        else:
            running = self._sessions.submit(self._pool.run, order)
        self._running.add(running)
        if watch:
            running.add_done_callback(
                lambda done: None if done.cancelled() or done.exception() else watch(done.result())
            )
        tried = prepared.tried or _nothing_to_try()  # the reference itself waits for nothing

        def ended(done: Future[Execution]) -> None:
            self._running.discard(done)
            tried.add_done_callback(
                lambda tried: self._judge_later(
                    tried, done, work.notebook, order, plan, prepared, result
                )
            )

        running.add_done_callback(ended)
        return result

    def _judge_later(
        self,
        tried: Future[None],
        done: Future[Execution],
        notebook: NotebookNode,
        order: Order,
        plan: Plan,
        prepared: Prepared,
        result: Future[GradedExecution],
    ) -> None:
        def judge() -> None:
            try:
                tried.result()
                result.set_result(self._judge(done.result(), notebook, order, plan, prepared))
            except BaseException as error:
                result.set_exception(error)

        try:
            self._judges.submit(judge)
        except RuntimeError:  # the engine was closed meanwhile
            result.set_exception(
                EngineError("the engine was closed while this submission was running")
            )

    def _judge(
        self,
        execution: Execution,
        notebook: NotebookNode,
        order: Order,
        plan: Plan,
        prepared: Prepared,
    ) -> GradedExecution:
        judged: Judged = {}
        if prepared.answer_key:
            records = list(execution.tests.values())
            for attempt in (1, 2):
                answer_key = prepared.answer_key
                try:
                    judged = answer_key.judge(records)
                    break
                except AnswerKeyError:
                    if attempt == 2:
                        raise
                    self._preparation.make_answer_key_again(prepared, answer_key)
        by_hand = {name: cell.by_hand for name, cell in prepared.sealed.items()}
        return graded_execution(
            notebook, order, execution, judged, by_hand, plan.doubts, plan.unread
        )

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        for order in list(self._running):
            order.cancel()
        self._sessions.shutdown(wait=False)
        self._pool.close()
        self._reader.close()
        self._judges.shutdown(wait=True)
        for prepared in self._prepared.values():
            if prepared.answer_key:
                prepared.answer_key.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _nothing_to_try() -> Future[None]:
    passed: Future[None] = Future()
    passed.set_result(None)
    return passed


def _unread(error: TooMuch) -> GradedExecution:
    """What becomes of a submission whose source takes too much to be read."""
    problem = f"What the cells of this notebook say cannot be told: {error}."
    return GradedExecution({}, (), 0.0, 0.0, 0, problem)
