"""What is done for a notebook before anybody is graded: its tests sealed, its answer key made, and
the instructor's own solution tried by them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from nbseal.cells import declared
from nbseal.cells.python import imported_modules
from nbseal.cells.vocabulary import speaks
from nbseal.engine.answer_key import AnswerKey, AnswerKeyError, furnish
from nbseal.engine.outputs import TIMEOUT
from nbseal.engine.prepared import EngineError, Prepared, in_, refuse_escapes, seal_tests
from nbseal.engine.reference import Skipped, reference_cells, shortfall
from nbseal.engine.verdicts import TOO_LONG
from nbseal.engine.zygote import Zygote
from nbseal.leftovers import OwnFolder
from nbseal.notebook.marks import grade_id
from nbseal.records import CellVerdict, Execution, GradedExecution, Limits, Work
from nbseal.view import CourseView

PATIENCE = 3  # the instructor's own solution has so many times a student's seconds
# Has the instructor's notebook executed and judged; the last shows what came back before it is
# judged.
Submit = Callable[[Work, Prepared, Callable[[Execution], object]], Future[GradedExecution]]


class Preparation:
    """Makes notebooks of one course ready to be graded by."""

    def __init__(self, course: CourseView, zygote: Zygote, beside: Executor):
        """beside: does what can be done while a notebook is read."""
        self._course, self._zygote, self._beside = course, zygote, beside

    def make(
        self,
        source_notebook: NotebookNode | None,
        tests: NotebookNode,
        name: str,
        folder: Path | None,
        key: str | None,
        seed: int | None,
        watched: bool,
    ) -> Prepared:
        """Seal the tests and run the reference solution. Raises EngineError; Engine.prepare says
        what each argument is."""
        sources = _sources(source_notebook, tests)
        modules = tuple(one for one in imported_modules(sources) if not _is_beside(one, folder))
        warmed = self._beside.submit(self._zygote.warm, modules, self._course)  # while we read
        # Without the instructor's notebook its imports are not known: rather refuse than not seal.
        unknown = source_notebook is None
        ours = speaks(sources, folder, self._course, unknown)
        tasks = self._declared(source_notebook or tests, folder, name)
        sealed = seal_tests(tests, name, ours, tasks)
        if sealed and source_notebook is None:
            raise EngineError(
                f"{in_(name)}the test cell {next(iter(sealed))!r} is sealed, and there is no "
                "reference solution to compute its expected values: put the instructor's notebook "
                "into the source folder."
            )
        written = source_notebook or tests
        reference = reference_cells(written, tests, sealed) if sealed else []
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
            self._make_answer_key(prepared, name, seed, watched)
        return prepared

    def _declared(
        self, notebook: NotebookNode, folder: Path | None, name: str
    ) -> dict[str, declared.DeclaredTask]:
        try:
            return declared.of_notebook(notebook, folder, self._course)
        except ValueError as error:
            raise EngineError(f"{in_(name)}{error}.") from None

    def _make_answer_key(
        self, prepared: Prepared, name: str, seed: int | None = None, watched: bool = False
    ) -> None:
        answer_key = AnswerKey(
            self._course,
            prepared.reference,
            prepared.key,
            folder=prepared.folder,
            seed=seed,
            draws_with=prepared.draws_with,
            zygote=self._zygote,
            watched=watched,
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
                    f"{in_(name)}the test cell {test!r} asks nothing when the "
                    "reference solution runs: call `expect` unconditionally."
                )
        self._import_more(prepared, answer_key.modules)
        prepared.answer_key = answer_key

    def make_answer_key_again(self, prepared: Prepared, dead: AnswerKey) -> None:
        """Replace an answer key whose process has died, under the same key, once for all that need
        it."""
        with prepared.making:
            if prepared.answer_key is dead:
                dead.close()
                self._make_answer_key(prepared, "")

    def try_reference(
        self,
        prepared: Prepared,
        nb: NotebookNode,
        name: str,
        full_marks: bool,
        submit: Submit,
        limits: Limits,
    ) -> Future[None]:
        """Have the instructor's own solution graded; the future raises EngineError where it does
        not pass. limits: a student's."""
        tried: Future[None] = Future()
        with ExitStack() as stack:
            folder = stack.enter_context(OwnFolder().make("reference-"))
            furnish(folder, self._course, prepared.folder)
            work = Work("the reference", name, nb, folder)
            result = submit(work, prepared, lambda execution: self._warm_more(prepared, execution))
            until_then = stack.pop_all()

        def look(done: Future[GradedExecution]) -> None:
            try:
                with until_then:
                    said = _too_slow(nb, done.result(), limits)
                    if said := said or _what_failed(prepared, nb, done.result(), full_marks):
                        prepared.close()
                        raise EngineError(in_(name) + said)
                tried.set_result(None)
            except BaseException as error:
                tried.set_exception(error)

        result.add_done_callback(look)
        return tried

    def _warm_more(self, prepared: Prepared, execution: Execution) -> None:
        """Have imported what the reference's sealed tests had to import themselves, so that no
        student's need to."""
        imported = {name for record in execution.tests.values() for name in record.imported}
        if imported and prepared.answer_key:
            needed = [name for name in prepared.answer_key.imported if name in imported]
            self._import_more(prepared, needed)

    def _import_more(self, prepared: Prepared, modules: Iterable[str]) -> None:
        prepared.modules = tuple(dict.fromkeys([*prepared.modules, *modules]))
        self._zygote.warm(prepared.modules, self._course)


def patient(limits: Limits) -> Limits:
    """What the instructor's own solution may use: a busy machine is not to refuse a class."""
    return replace(
        limits,
        cell_seconds=PATIENCE * limits.cell_seconds,
        session_seconds=PATIENCE * limits.session_seconds,
        cpu_seconds=PATIENCE * limits.cpu_seconds,
    )


def _too_slow(nb: NotebookNode, result: GradedExecution, limits: Limits) -> str | None:
    """Which cell of the instructor's own solution ran out of time: neither it nor its test need be
    wrong."""
    slow = next((one for one in result.verdicts if _timed_out(one)), None)
    where = f"the test {slow.grade_id!r}" if slow else None
    for index, shown in sorted(result.cells.items()):
        if any(output.get("ename") == TIMEOUT["ename"] for output in shown.outputs):
            where = f"cell {index + 1}" + (
                f" ({found!r})" if (found := grade_id(nb.cells[index])) else ""
            )
            break
    if where is None:
        return None
    return (
        f"{where} of the instructor's own solution was not done in "
        f"{PATIENCE * limits.cell_seconds:g} s, {PATIENCE} times what a student's cell may take. "
        f"Set c.Execute.timeout (now {limits.cell_seconds:g}) higher or make the cell quicker; on "
        "a busy machine try again later. Nobody was graded."
    )


def _timed_out(verdict: CellVerdict) -> bool:
    return any(check.reason == TOO_LONG for check in verdict.failed) or verdict.problem == TOO_LONG


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


def _is_beside(module: str, folder: Path | None) -> bool:
    """Whether a module is the assignment's own: only where its notebook runs it can be found."""
    name = module.partition(".")[0]
    return folder is not None and any((folder / one).exists() for one in (name, f"{name}.py"))


def _sources(*notebooks: NotebookNode | None) -> list[str]:
    """The different code cells of an assignment's notebooks."""
    cells = [cell for nb in notebooks if nb for cell in nb.cells]
    return list(dict.fromkeys(cell.source for cell in cells if cell.cell_type == "code"))
