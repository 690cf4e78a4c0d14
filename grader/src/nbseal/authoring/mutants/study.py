"""Grading mutants with the engine, and what their results say about the tests."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from nbseal.authoring.mutants import branches
from nbseal.authoring.mutants.making import Cell, Mutant
from nbseal.engine.engine import Engine
from nbseal.notebook.marks import grade_id, is_solution, is_test
from nbseal.notebook.mutants import question
from nbseal.records import Execution, GradedExecution, Limits, Work
from nbseal.view import CourseView

LEAST_SECONDS, TIMES_SLOWER = 3.0, 5.0  # what a mutant may take, beside the reference solution


@dataclass(frozen=True)
class Graded:
    """What grading said of one mutant."""

    mutant: Mutant
    passed: bool  # the hidden tests did not notice
    passed_visible: bool  # neither did the checks that a student sees
    raised: bool  # it did not run to the end of its tests
    told: tuple[str, ...] = ()  # the mistakes that were named, without repetition
    first: str = ""  # the first check that failed, and why
    question: str = ""  # that check and what it was answered, if students see it and it has no name


@dataclass(frozen=True)
class Task:
    """A solution cell with its test cells, and no others."""

    name: str
    number: int  # the cell's place in the notebook
    tests: frozenset[str]
    notebook: NotebookNode

    def submission(self, source: str) -> NotebookNode:
        """The reference solution's notebook as far as this task needs it, with another solution."""
        cells = [
            copy.copy(cell) if number == self.number else cell
            for number, cell in enumerate(self.notebook.cells)
        ]
        cells[self.number].source = source
        notebook = copy.copy(self.notebook)
        notebook.cells = cells
        return notebook


def tasks(source: NotebookNode) -> list[Task]:
    """The solution cells of a notebook that are tested before the next one begins."""
    found = []
    solutions = [
        number
        for number, cell in enumerate(source.cells)
        if cell.cell_type == "code" and is_solution(cell)
    ]
    for start, end in zip(solutions, [*solutions[1:], len(source.cells)]):
        tests = [n for n in range(start, end) if is_test(source.cells[n])]
        if tests:
            notebook = copy.copy(source)
            notebook.cells = [
                cell
                for number, cell in enumerate(source.cells[: tests[-1] + 1])
                if number in tests or not is_test(cell)
            ]
            number = sum(not is_test(cell) for cell in source.cells[:start])
            name = str(grade_id(source.cells[start]))
            names = frozenset(str(grade_id(source.cells[n])) for n in tests)
            found.append(Task(name, number, names, notebook))
    return found


class Study:
    """Grades the mutants of one notebook."""

    def __init__(
        self,
        course: CourseView,
        source: NotebookNode,
        folder: Path | None,
        workers: int,
        limits: Limits | None = None,
    ):
        self.engine = Engine(course, workers=workers, limits=limits or Limits())
        prepared = self.engine.prepare(source, source, folder=folder, self_test=False)
        self.sealed = frozenset(prepared.sealed)  # tests whose checks are judged one by one
        self.beside = prepared.answer_key.folder if prepared.answer_key else None

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def mutants(self, task: Task) -> list[Mutant]:
        """The mutants of a task, after its functions have said what they work with."""
        cell = Cell(task.name, task.notebook.cells[task.number].source)
        kinds = {}
        for name, source in cell.probes():
            execution, _ = self._run(task, source)
            for record in execution.tests.values():
                if said := branches.told((record.error or {}).get("evalue", "")):
                    kinds[name] = said
        return cell.mutants(kinds)

    def grade(
        self, task: Task, mutants: Iterable[Mutant], done: Callable[[], object]
    ) -> Iterator[Graded]:
        """Grade mutants of a task; calls `done` after each. Where one goes unnoticed that hides
        others - nothing runs in evaluation mode - those are left out until it is mended."""
        mutants = list(mutants)
        hiding = {mutant.beside for mutant in mutants}
        began = time.monotonic()
        self._run(task, task.notebook.cells[task.number].source)
        took = time.monotonic() - began
        limit = max(LEAST_SECONDS, TIMES_SLOWER * took)
        limits = Limits(cell_seconds=limit, session_seconds=10 * limit)
        unnoticed = set()
        for one in self._all(task, [m for m in mutants if m.name in hiding], limits, done):
            unnoticed |= {one.mutant.name} if one.passed else set()
            yield one
        rest = [m for m in mutants if m.name not in hiding]
        yield from self._all(task, [m for m in rest if m.beside not in unnoticed], limits, done)

    def _all(
        self, task: Task, mutants: list[Mutant], limits: Limits, done: Callable[[], object]
    ) -> Iterator[Graded]:
        self.engine.limits = limits
        waiting = [(mutant, *self._submit(task, mutant.source)) for mutant in mutants]
        self.engine.limits = Limits()
        for mutant, executions, future in waiting:
            result = future.result()
            done()
            yield _graded(task, mutant, executions[-1], result)

    def _run(self, task: Task, source: str) -> tuple[Execution, GradedExecution]:
        executions, future = self._submit(task, source)
        result = future.result()
        return executions[-1], result

    def _submit(self, task: Task, source: str) -> tuple[list[Execution], Future[GradedExecution]]:
        executions: list[Execution] = []
        work = Work("a mutant", "", task.submission(source), self.beside)
        return executions, self.engine.submit(work, watch=executions.append)


def _graded(task: Task, mutant: Mutant, execution: Execution, result: GradedExecution) -> Graded:
    verdicts = [verdict for verdict in result.verdicts if verdict.grade_id in task.tests]
    checks = [check for verdict in verdicts for check in verdict.checks]
    failed = [check for check in checks if not check.ok]
    # a cell that stopped without a failed check stopped where a student sees it, or not at all
    stopped = [verdict for verdict in verdicts if verdict.problem]
    first = failed[0] if failed else None
    test = next((one.grade_id for one in verdicts if first in one.checks), "")
    told = tuple(dict.fromkeys(check.mistake for check in failed if check.mistake))
    return Graded(
        mutant,
        passed=bool(verdicts) and all(verdict.passed for verdict in verdicts),
        passed_visible=not stopped and all(check.ok for check in checks if not check.hidden),
        raised=any(record.outcome != "completed" for record in execution.tests.values()),
        told=told,
        first=f"{first.label}: {first.detail}"
        if first
        else "".join(str(verdict.problem) for verdict in stopped),
        question=question(test, first.label, first.answer)
        if first and first.answer and not (told or first.hidden)
        else "",
    )
