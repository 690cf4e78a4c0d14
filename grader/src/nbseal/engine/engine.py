"""The engine: executes submissions in sealed, confined sessions and judges their answers.

    engine = Engine(course, workers=2)
    # seals, draws the key, runs the reference
    engine.prepare(source_notebook, tests, name="layer_norm")
    future = engine.submit(Work("ada", "layer_norm", notebook, folder))
    future.result()  # a GradedExecution

A submission travels as an Order through an Executor, which only routes: by default to threads that
each drive a warm worker of this machine. What comes back are outputs and packed answers; they are
judged here, on the trusted side, by the process that holds the answer key.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from nbseal.apart import TooMuch
from nbseal.cells.python import imported_modules
from nbseal.cells.vocabulary import speaks
from nbseal.engine import memory
from nbseal.engine.answer_key import AnswerKey, AnswerKeyError, furnish
from nbseal.engine.orders import Elsewhere
from nbseal.engine.pool import WorkerPool, run_here
from nbseal.engine.prepared import EngineError, Prepared, in_, refuse_escapes, seal_tests
from nbseal.engine.reading import Plan, Reader
from nbseal.engine.reference import Skipped, reference_cells, shortfall, with_tests
from nbseal.engine.verdicts import Judged, graded_execution
from nbseal.engine.zygote import Zygote
from nbseal.leftovers import OwnFolder
from nbseal.records import Answers, Execution, GradedExecution, Limits, Order, Work
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
        executor: Executor | None = None,
        elsewhere: Elsewhere | None = None,
        zygote: Zygote | None = None,
    ):
        """executor: where orders are routed to; each of its processes then keeps warm workers of
        its own, and the folders handed in must be where it can read them. It is its owner's to shut
        down, as is elsewhere: where orders are executed that carry all they need.
        zygote: one that was started ahead; the engine closes it.
        """
        self.course, self.limits, self.accept_open = course, limits, accept_open
        self.workers, fewer = memory.fitting(workers, limits.memory_bytes)
        if fewer and not executor and not elsewhere:
            print(fewer, file=sys.stderr)
        elif executor or elsewhere:  # whose machines are others
            self.workers = workers
        self._zygote = zygote or Zygote()
        self._pool = WorkerPool(self._zygote)
        self._reader = Reader()
        self._owns_executor = executor is None
        self._executor = executor or ThreadPoolExecutor(self.workers, thread_name_prefix="session")
        self._running: set[Future[Execution]] = set()
        self._closed = False
        self._run = run_here if executor else self._pool.run
        self._elsewhere = elsewhere
        self._judges = ThreadPoolExecutor(workers, thread_name_prefix="judge")
        self._prepared: dict[str, Prepared] = {}

    # -- preparing ---------------------------------------------------------------------------------

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
    ) -> Prepared:
        """Seal a notebook's test cells, draw its key, run the reference solution, and let it pass
        its own tests; with full_marks also those that are not sealed.

        tests: the instructor's locked cells, from nbgrader's gradebook; source_notebook: the
        instructor's version, None
        where the course keeps none; folder: files that lie beside the notebook. Raises EngineError
        where the notebook cannot be graded as it is written.
        """
        sources = _sources(source_notebook, tests)
        modules = imported_modules(sources)
        warmed = self._judges.submit(self._zygote.warm, modules, self.course)  # while we read
        # Without the instructor's notebook its imports are not known: rather refuse than not seal.
        unknown = source_notebook is None
        ours = speaks(sources, folder, self.course, unknown)
        sealed = seal_tests(tests, name) if ours else {}
        if sealed and source_notebook is None:
            raise EngineError(
                f"{in_(name)}the test cell {next(iter(sealed))!r} uses `expect`, and there is no "
                "reference solution to compute its expected values: put the instructor's notebook "
                "into the source folder."
            )
        written = source_notebook or tests
        reference = reference_cells(written, tests, frozenset(sealed)) if sealed else []
        refuse_escapes(reference, name)
        draws_with = warmed.result()
        prepared = Prepared(
            sealed,
            key or secrets.token_hex(16),
            modules,
            draws_with,
            Skipped.of(written),
            reference,
            frozenset(sources),
            folder,
        )
        if sealed:
            self._make_answer_key(prepared, name, seed)
        if self_test and source_notebook is not None and (sealed or full_marks):
            self._refuse_failing_reference(prepared, with_tests(written, tests), name, full_marks)
        old, self._prepared[name] = self._prepared.get(name), prepared
        if old:
            old.release(retire=True)
        return prepared

    def _make_answer_key(self, prepared: Prepared, name: str, seed: int | None = None) -> None:
        answer_key = AnswerKey(
            self.course,
            prepared.reference,
            prepared.key,
            folder=prepared.folder,
            seed=seed,
            draws_with=prepared.draws_with,
            zygote=self._zygote,
        )
        try:
            answer_key.run()
        except AnswerKeyError as error:
            answer_key.close()
            raise EngineError(f"{in_(name)}{error}") from None
        for test in prepared.sealed:
            if not answer_key.checks.get(test):
                answer_key.close()
                raise EngineError(
                    f"{in_(name)}the test cell {test!r} never reaches an `expect` when the "
                    "reference solution runs: call it unconditionally."
                )
        prepared.modules = tuple(dict.fromkeys([*prepared.modules, *answer_key.modules]))
        self._zygote.warm(prepared.modules, self.course)
        prepared.answer_key = answer_key

    def _refuse_failing_reference(
        self, prepared: Prepared, nb: NotebookNode, name: str, full_marks: bool
    ) -> None:
        """Raise EngineError where the instructor's own solution does not pass."""
        with OwnFolder().make("reference-") as folder:
            furnish(folder, self.course, prepared.folder)
            work = Work("the reference", name, nb, folder)
            result = self._submit(
                work,
                prepared,
                watch=lambda execution: self._warm_more(prepared, execution),
                here=self._elsewhere is not None and not self._elsewhere.takes_reference,
            ).result()
        if said := self._what_failed(prepared, nb, result, full_marks):
            prepared.close()
            raise EngineError(in_(name) + said)

    @staticmethod
    def _what_failed(
        prepared: Prepared, nb: NotebookNode, result: GradedExecution, full_marks: bool
    ) -> str | None:
        wrong = next((verdict for verdict in result.verdicts if not verdict.passed), None)
        if wrong:
            failed = next(iter(wrong.failed), None)
            why = f"check {failed.label!r}: {failed.detail}" if failed else wrong.problem
            return (
                f"the reference solution does not pass its own test {wrong.grade_id!r} once it is "
                f"sealed ({why or result.problem}): `nbseal check` says more."
            )
        if result.problem:
            return f"the reference solution cannot be executed: {result.problem}"
        if full_marks and (found := shortfall(nb, result.cells, prepared.sealed)):
            return (
                f"the instructor's own solution {found}: mend the test or the solution; nobody was "
                "graded (c.SealedExecute.require_full_marks = False grades all the same)."
            )
        return None

    def _warm_more(self, prepared: Prepared, execution: Execution) -> None:
        """Have imported what the reference's sealed tests had to import themselves, so that no
        student's need to."""
        imported = {name for record in execution.tests.values() for name in record.imported}
        if imported and prepared.answer_key:
            needed = [name for name in prepared.answer_key.imported if name in imported]
            prepared.modules = tuple(dict.fromkeys([*prepared.modules, *needed]))
            self._zygote.warm(prepared.modules, self.course)

    # -- grading -----------------------------------------------------------------------------------

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
        return self._submit(work, prepared, seed, watch)

    def _submit(
        self,
        work: Work,
        prepared: Prepared,
        seed: int | None = None,
        watch: Callable[[Execution], object] | None = None,
        here: bool = False,
    ) -> Future[GradedExecution]:
        if self._closed:
            raise EngineError("the engine is closed")
        result: Future[GradedExecution] = Future()
        prepared.acquire()
        result.add_done_callback(lambda _: prepared.release())
        try:
            order = prepared.order(work, self.course, self.limits, self.accept_open, seed)
            plan = self._reader.plan(order, work.notebook, prepared.sealed)
            order = replace(order, steps=plan.steps)
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
        if self._elsewhere is not None and not here:
            running = self._elsewhere.send(order, prepared.folder)
        else:
            running = self._executor.submit(self._run, order)
        self._running.add(running)
        if watch:
            running.add_done_callback(
                lambda done: None if done.cancelled() or done.exception() else watch(done.result())
            )
        running.add_done_callback(
            lambda done: self._judge_later(done, work.notebook, order, plan, prepared, result)
        )
        return result

    def _judge_later(
        self,
        done: Future[Execution],
        notebook: NotebookNode,
        order: Order,
        plan: Plan,
        prepared: Prepared,
        result: Future[GradedExecution],
    ) -> None:
        def judge() -> None:
            try:
                result.set_result(self._judge(done.result(), notebook, order, plan, prepared))
            except BaseException as error:
                result.set_exception(error)

        self._running.discard(done)
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
                    self._replace(prepared, answer_key)
        by_hand = {name: cell.by_hand for name, cell in prepared.sealed.items()}
        graded = graded_execution(notebook, order, execution, judged, by_hand, plan.doubts)
        answers = Answers(prepared.key, prepared.draws_with, tuple(execution.tests.values()))
        return replace(graded, answers=answers)

    def judge_again(self, work: Work, answers: Answers, problem: str | None) -> GradedExecution:
        """Judge what a submission answered in an earlier run, which had this problem; nothing of it
        is executed. The notebook must have been prepared with the key of that run. Only sealed
        tests have outputs in what comes back."""
        prepared = self._prepared[work.notebook_name]
        order = prepared.order(work, self.course, self.limits, self.accept_open)
        try:
            plan = self._reader.plan(order, work.notebook, prepared.sealed)
        except TooMuch as error:
            return _unread(error)
        order = replace(order, cells=tuple(cell for cell in order.cells if cell.test))
        given = {record.grade_id: record for record in answers.tests}
        tests = {cell.index: given[cell.grade_id] for cell in order.cells if cell.grade_id in given}
        execution = Execution({}, tests, 0.0, 0.0, 0, problem)
        return self._judge(execution, work.notebook, order, plan, prepared)

    def _replace(self, prepared: Prepared, dead: AnswerKey) -> None:
        """Make an answer key whose process has died again, under the same key, once for all that
        need it."""
        with prepared.making:
            if prepared.answer_key is dead:
                dead.close()
                self._make_answer_key(prepared, "")

    def close(self) -> None:
        """End all processes; an executor that was given is left what it has begun, and no more."""
        self._closed = True
        for order in list(self._running):
            order.cancel()
        if self._owns_executor:
            self._executor.shutdown(wait=False)
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


def _sources(*notebooks: NotebookNode | None) -> list[str]:
    """The different code cells of an assignment's notebooks."""
    cells = [cell for nb in notebooks if nb for cell in nb.cells]
    return list(dict.fromkeys(cell.source for cell in cells if cell.cell_type == "code"))


def _unread(error: TooMuch) -> GradedExecution:
    """What becomes of a submission whose source takes too much to be read."""
    problem = f"What the cells of this notebook say cannot be told: {error}."
    return GradedExecution({}, (), 0.0, 0.0, 0, problem)
