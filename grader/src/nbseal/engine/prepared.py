"""What the engine knows of one notebook of an assignment, and what it refuses to know."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from nbseal.cells import declared, sealing
from nbseal.cells.python import escaping_names, parse
from nbseal.cells.sharing import DEFINITION, IMPORT, names_bound_by, top_names
from nbseal.engine.answer_key import AnswerKey
from nbseal.engine.reference import Skipped
from nbseal.errors import CourseError
from nbseal.notebook.marks import grade_id, is_graded_by_person, is_test
from nbseal.records import CellOrder, Limits, Order, ReferenceCell, Work
from nbseal.view import CourseView


class EngineError(CourseError):
    """Nothing can be graded, and no submission is to blame; the text says why and what to do."""


@dataclass
class Prepared:
    """What the engine knows of one notebook of an assignment."""

    sealed: dict[str, sealing.Sealed]
    key: str = field(repr=False)
    modules: tuple[str, ...]
    draws_with: str  # the library whose numbers `sample` returns, see nbseal.checks.draw_with
    skipped: Skipped
    reference: list[ReferenceCell] = field(repr=False)
    sources: frozenset[str] = field(repr=False)  # of all cells that the instructor wrote
    folder: Path | None = None
    answer_key: AnswerKey | None = None
    # whether the reference solution passes its own tests; None where that is not tried (yet)
    tried: Future[None] | None = None
    users: int = 0
    retired: bool = False
    # Two locks, so that handing a submission in never waits for an answer key.
    counting: threading.Lock = field(default_factory=threading.Lock, repr=False)  # users, retired
    making: threading.Lock = field(default_factory=threading.Lock, repr=False)  # answer_key

    def checks(self, grade_id: str) -> int:
        return len(self.answer_key.checks[grade_id]) if self.answer_key else 0

    def close(self) -> None:
        if self.answer_key:
            self.answer_key.close()

    def acquire(self) -> None:
        with self.counting:
            self.users += 1

    def release(self, retire: bool = False) -> None:
        """Done with it; the answer key's process ends with its last user once there is a newer
        one."""
        with self.counting:
            self.users -= not retire
            self.retired |= retire
            over = self.retired and not self.users
        if over and self.answer_key:
            self.answer_key.close()

    def order(
        self,
        work: Work,
        course: CourseView,
        limits: Limits,
        accept_open: frozenset[str],
        seed: int | None = None,
    ) -> Order:
        """What a session is asked to run for a submission."""
        return Order(
            tuple(self._cells(work.notebook)),
            course,
            self.key,
            limits,
            str(work.folder) if work.folder else None,
            self.modules,
            accept_open,
            seed,
            self.draws_with,
        )

    def _cells(self, notebook: NotebookNode) -> list[CellOrder]:
        cells, seen = [], set()
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or not cell.source.strip() or cell in self.skipped:
                continue
            name = grade_id(cell)
            sealed = self.sealed.get(name) if name and is_test(cell) else None
            if name and sealed and name not in seen:
                checks, binds = self.checks(name), self._binds[name]
                cells.append(CellOrder(index, sealed.source, name, True, checks, binds=binds))
                seen.add(name)
            elif not sealed:
                by_person = bool(name) and is_graded_by_person(cell)
                own = cell.source in self.sources
                cells.append(CellOrder(index, cell.source, name, own=own, by_person=by_person))
        return cells

    @cached_property
    def _binds(self) -> dict[str, tuple[str, ...]]:
        """Sealed test -> the names that it binds; none where another of the instructor's cells
        defines or imports one of them: such a test may want to take it from the student's
        functions."""
        defined = {
            name
            for cell in self.reference
            if not cell.test
            for statement in parse(cell.source).body
            if isinstance(statement, (*DEFINITION, *IMPORT))
            for name in top_names(statement)
        }
        bound = {name: names_bound_by(test.source) for name, test in self.sealed.items()}
        return {
            name: () if names & defined else tuple(sorted(names)) for name, names in bound.items()
        }


def seal_tests(
    tests: NotebookNode, name: str, expects: bool, tasks: Mapping[str, declared.DeclaredTask]
) -> dict[str, sealing.Sealed]:
    """The test cells that can be sealed: where `expect` is ours those that use it, and those that
    `check` declared tasks. Raises EngineError for one that cannot be."""
    sealed = {}
    for cell in tests.cells:
        test = grade_id(cell)
        if not test or not is_test(cell):
            continue
        asks = bool(tasks) and declared.uses_check(cell.source)
        if asks or (expects and sealing.uses_expect(cell.source)):
            try:
                source = cell.source
                sealed[test] = declared.seal(source, tasks) if asks else sealing.seal(source)
            except sealing.SealingError as error:
                raise EngineError(
                    f"{in_(name)}the test cell {test!r} cannot be sealed: {error}."
                ) from None
    return sealed


def refuse_escapes(reference: list[ReferenceCell], name: str) -> None:
    """Raise EngineError if a cell reads what only a test cell binds."""
    cells = [
        (cell.test or f"code cell {number}", cell.source, bool(cell.test))
        for number, cell in enumerate(reference, start=1)
    ]
    for test, variable, reader in escaping_names(cells):
        raise EngineError(
            f"{in_(name)}{reader!r} reads `{variable}`, which the test cell {test!r} binds, and "
            "what a sealed cell binds ends with it: bind it in both cells, or in a cell of its own."
        )


def in_(name: str) -> str:
    """How an error begins that is about a notebook."""
    return f"{name}: " if name else ""
