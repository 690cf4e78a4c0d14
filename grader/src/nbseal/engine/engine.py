"""The engine: executes submissions in sealed, confined sessions and judges their answers.

    engine = Engine(course, workers=2)
    engine.prepare(source_notebook, tests, name="layer_norm")    # seals, draws the key, runs the
    reference
    future = engine.submit(Work("ada", "layer_norm", notebook_json, folder))
    future.result()                                              # a GradedExecution

A submission travels as an Order through an Executor, which only routes: by default to threads that
each drive a warm worker of this machine. What comes back are outputs and packed answers; they are
judged here, on the trusted side, by the process that holds the answer key.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from nbseal.cells import sealing
from nbseal.cells.python import escaping_names, imported_modules
from nbseal.cells.vocabulary import speaks
from nbseal.engine.answer_key import AnswerKey, AnswerKeyError, furnish
from nbseal.engine.pool import WorkerPool, run_here
from nbseal.engine.prepared import Prepared
from nbseal.engine.reference import Skipped, reference_cells, shortfall, with_tests
from nbseal.engine.verdicts import write_notebook
from nbseal.engine.zygote import take_zygote
from nbseal.errors import CourseError
from nbseal.notebook import files
from nbseal.notebook.marks import grade_id, is_test
from nbseal.records import CellOrder, Execution, GradedExecution, Limits, Order, ReferenceCell, Work
from nbseal.view import CourseView


class EngineError(CourseError):
    """Nothing can be graded, and no submission is to blame; the text says why and what to do."""


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
    ):
        """executor: where orders are routed to, for example a Dask cluster's
        `Client.get_executor()`; each of its processes
        then keeps warm workers of its own, and the folders handed in must be where it can read
        them."""
        self.course, self.limits, self.accept_open = course, limits, accept_open
        self.workers = workers
        self._zygote = take_zygote()
        self._pool = WorkerPool(self._zygote)
        self._executor = executor or ThreadPoolExecutor(workers, thread_name_prefix="session")
        self._run = run_here if executor else self._pool.run
        self._judges = ThreadPoolExecutor(workers, thread_name_prefix="judge")
        self._prepared: dict[str, Prepared] = {}

    # -- preparing
    # ----------------------------------------------------------------------------------------------

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
        sources = [
            cell.source
            for nb in (source_notebook, tests)
            if nb
            for cell in nb.cells
            if cell.cell_type == "code"
        ]
        sealed = self._seal(tests, name) if speaks(sources, folder, self.course) else {}
        if sealed and source_notebook is None:
            raise EngineError(
                f"{_in(name)}the test cell {next(iter(sealed))!r} uses `expect`, and there is no reference "
                "solution to compute its expected values: put the instructor's notebook into the source folder."
            )
        reference = reference_cells(source_notebook, tests, frozenset(sealed)) if sealed else []
        self._refuse_escapes(reference, name)
        modules = imported_modules(sources)
        draws_with = self._zygote.warm(modules, self.course)
        prepared = Prepared(
            sealed,
            key or secrets.token_hex(16),
            modules,
            draws_with,
            Skipped.of(source_notebook or tests),
            reference,
            frozenset(sources),
            folder,
        )
        if sealed:
            self._make_answer_key(prepared, name, seed)
        if self_test and source_notebook is not None and (sealed or full_marks):
            self._refuse_failing_reference(prepared, source_notebook, tests, name, full_marks)
        old, self._prepared[name] = self._prepared.get(name), prepared
        if old:
            old.release(retire=True)
        return prepared

    def _seal(self, tests: NotebookNode, name: str) -> dict[str, sealing.Sealed]:
        sealed = {}
        for cell in tests.cells:
            if is_test(cell) and sealing.uses_expect(cell.source):
                try:
                    sealed[grade_id(cell)] = sealing.seal(cell.source)
                except sealing.SealingError as error:
                    raise EngineError(
                        f"{_in(name)}the test cell {grade_id(cell)!r} cannot be sealed: {error}."
                    ) from None
        return sealed

    @staticmethod
    def _refuse_escapes(reference: list[ReferenceCell], name: str) -> None:
        cells = [
            (cell.test or f"code cell {number}", cell.source, bool(cell.test))
            for number, cell in enumerate(reference, start=1)
        ]
        for test, variable, reader in escaping_names(cells):
            raise EngineError(
                f"{_in(name)}{reader!r} reads `{variable}`, which the test cell {test!r} binds, and what a sealed "
                "cell binds ends with it: bind it in both cells, or in a cell of its own."
            )

    def _make_answer_key(self, prepared: Prepared, name: str, seed: int | None = None) -> None:
        prepared.answer_key = AnswerKey(
            self.course,
            prepared.reference,
            prepared.key,
            folder=prepared.folder,
            seed=seed,
            draws_with=prepared.draws_with,
            zygote=self._zygote,
        )
        try:
            prepared.answer_key.run()
        except AnswerKeyError as error:
            prepared.answer_key.close()
            raise EngineError(f"{_in(name)}{error}") from None
        for test in prepared.sealed:
            if not prepared.answer_key.checks.get(test):
                prepared.answer_key.close()
                raise EngineError(
                    f"{_in(name)}the test cell {test!r} never reaches an `expect` when the reference solution "
                    "runs: call it unconditionally."
                )
        prepared.modules = tuple(dict.fromkeys([*prepared.modules, *prepared.answer_key.modules]))
        self._zygote.warm(prepared.modules, self.course)

    def _refuse_failing_reference(
        self,
        prepared: Prepared,
        source: NotebookNode,
        tests: NotebookNode,
        name: str,
        full_marks: bool,
    ) -> None:
        with tempfile.TemporaryDirectory(prefix="reference-") as folder:
            beside = Path(folder)
            furnish(beside, self.course, prepared.folder)
            work = Work("the reference", name, nbformat.writes(with_tests(source, tests)), beside)
            result = self._submit(
                work, prepared, watch=lambda execution: self._warm_more(prepared, execution)
            ).result()
        for verdict in result.verdicts:
            if not verdict.passed:
                failed = next((check for check in verdict.checks if not check.ok), None)
                why = f"check {failed.label!r}: {failed.detail}" if failed else ""
                prepared.close()
                raise EngineError(
                    f"{_in(name)}the reference solution does not pass its own test {verdict.grade_id!r} once it "
                    f"is sealed ({why or verdict.problem or result.problem}): `nbseal check` says more."
                )
        if result.problem:
            prepared.close()
            raise EngineError(
                f"{_in(name)}the reference solution cannot be executed: {result.problem}"
            )
        if full_marks and (found := shortfall(files.loads(result.notebook_json), prepared.sealed)):
            prepared.close()
            raise EngineError(
                f"{_in(name)}the instructor's own solution {found}: mend the test or the solution; "
                "nobody was graded (c.SealedExecute.require_full_marks = False grades all the same)."
            )

    def _warm_more(self, prepared: Prepared, execution: Execution) -> None:
        """Have imported what the reference's sealed tests had to import themselves, so that no
        student's need to."""
        imported = {name for record in execution.tests.values() for name in record.imported}
        if imported and prepared.answer_key:
            needed = [name for name in prepared.answer_key.imported if name in imported]
            prepared.modules = tuple(dict.fromkeys([*prepared.modules, *needed]))
            self._zygote.warm(prepared.modules, self.course)

    # -- grading
    # ----------------------------------------------------------------------------------------------

    def submit(self, work: Work) -> Future[GradedExecution]:
        """Have a submission executed and judged. What is wrong with it is in the result; only
        EngineError is raised."""
        return self.grade(work)

    def grade(
        self,
        work: Work,
        *,
        seed: int | None = None,
        watch: Callable[[Execution], object] | None = None,
    ) -> Future[GradedExecution]:
        """As submit, with a seed for the global random state, and showing what came back before it
        is judged."""
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
    ) -> Future[GradedExecution]:
        result: Future[GradedExecution] = Future()
        prepared.acquire()
        result.add_done_callback(lambda _: prepared.release())
        try:
            notebook = files.loads(work.notebook_json)
            order = self._order(notebook, work, prepared, seed)
        # a damaged notebook is the student's, and must not stop the others
        except Exception as error:
            problem = f"This is not a notebook that can be executed ({type(error).__name__})."
            result.set_result(GradedExecution(work.notebook_json, (), 0.0, 0.0, 0, problem))
            return result
        result.set_running_or_notify_cancel()
        running = self._executor.submit(self._run, order)
        if watch:
            running.add_done_callback(
                lambda done: watch(done.result()) if not done.exception() else None
            )
        running.add_done_callback(
            lambda done: self._judge_later(done, notebook, order, prepared, result)
        )
        return result

    def _order(
        self, notebook: NotebookNode, work: Work, prepared: Prepared, seed: int | None
    ) -> Order:
        cells, seen = [], set()
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or not cell.source.strip() or cell in prepared.skipped:
                continue
            name = grade_id(cell)
            sealed = prepared.sealed.get(name) if name and is_test(cell) else None
            if sealed and name not in seen:
                cells.append(CellOrder(index, sealed.source, name, True, prepared.checks(name)))
                seen.add(name)
            elif not sealed:
                cells.append(
                    CellOrder(index, cell.source, name, own=cell.source in prepared.sources)
                )
        return Order(
            tuple(cells),
            self.course,
            prepared.key,
            self.limits,
            work.folder and str(work.folder),
            prepared.modules,
            self.accept_open,
            seed,
            prepared.draws_with,
        )

    def _judge_later(
        self,
        done: Future[Execution],
        notebook: NotebookNode,
        order: Order,
        prepared: Prepared,
        result: Future[GradedExecution],
    ) -> None:
        def judge() -> None:
            try:
                result.set_result(self._judge(done.result(), notebook, order, prepared))
            except BaseException as error:
                result.set_exception(error)

        try:
            self._judges.submit(judge)
        except RuntimeError:  # the engine was closed meanwhile
            result.set_exception(
                EngineError("the engine was closed while this submission was running")
            )

    def _judge(
        self, execution: Execution, notebook: NotebookNode, order: Order, prepared: Prepared
    ) -> GradedExecution:
        judged: dict[str, Any] = {}
        if prepared.answer_key:
            records = list(execution.tests.values())
            with prepared.lock:
                try:
                    judged = prepared.answer_key.judge(records)
                except AnswerKeyError:  # the process died: make it again, under the same key
                    self._make_answer_key(prepared, "")
                    judged = prepared.answer_key.judge(records)
        by_hand = {name: cell.by_hand for name, cell in prepared.sealed.items()}
        return write_notebook(notebook, order, execution, judged, by_hand)

    def close(self) -> None:
        """End all processes."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._pool.close()
        self._judges.shutdown(wait=True)
        for prepared in self._prepared.values():
            if prepared.answer_key:
                prepared.answer_key.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _in(name: str) -> str:
    return f"{name}: " if name else ""
