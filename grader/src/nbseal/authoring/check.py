"""`nbseal check`: prove that every graded cell can be sealed and judged.

Some rules show in the syntax of a test cell (cells/rules.py, cells/sealing.py). The others are
tried: the reference solution runs in full and sealed, under three keys and different global seeds;
then stubs and every mistake are judged.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions
from rich.console import Console
from rich.markup import escape

from nbseal.cells import rules, sealing
from nbseal.cells.python import escaping_names
from nbseal.cells.rules import Violation
from nbseal.cells.vocabulary import speaks
from nbseal.course import Course
from nbseal.engine.engine import Engine, EngineError
from nbseal.errors import CourseError
from nbseal.notebook import files, marks
from nbseal.notebook.marks import grade_id, is_test, other_language
from nbseal.records import Execution, Work
from nbseal.view import CourseView
from nbseal.wire import digest

KEYS = ("first", "second", "third")
STUBS = {
    "a solution that raises": "raise NotImplementedError()",
    "a solution that does nothing": "pass",
}
FAR = 10.0  # tolerances between a mistake and the right value
RUN_IT = "run the notebook from top to bottom and mend the test or the solution"


def check_notebook(
    course: CourseView, source: NotebookNode, *, folder: Path | None = None, workers: int = 1
) -> list[Violation]:
    """All violations of one instructor's notebook; an empty list proves the rules for it."""
    tests = {grade_id(cell) or "": cell.source for cell in source.cells if is_test(cell)}
    ours = speaks(
        [cell.source for cell in source.cells if cell.cell_type == "code"], folder, course
    )
    found = list(_static(source, tests, ours))
    if found:
        return found  # what cannot be sealed cannot be tried
    with Engine(course, workers=workers) as engine:
        return list(_Trial(engine, source, frozenset(tests), folder).run())


def _static(source: NotebookNode, tests: dict[str, str], ours: bool) -> Iterator[Violation]:
    solutions = [
        cell.source for cell in source.cells if cell.cell_type == "code" and marks.is_solution(cell)
    ]
    students = rules.student_names(solutions)
    for name, text in tests.items():
        if not ours or not sealing.uses_expect(text):
            why = (
                "its `expect` is another"
                if sealing.uses_expect(text)
                else "it does not use `expect`"
            )
            yield Violation(
                name,
                "sealed",
                f"{why}, so a submission can forge its result",
                'write expect("what is checked", answer, expected), from nbseal.checks',
            )
            continue
        try:
            sealing.seal(text)
        except sealing.SealingError as error:
            yield Violation(name, "sealed", f"line {error.line}: {error.problem}", error.instead)
            continue
        yield from rules.check_syntax(name, text, students)
    cells = [
        (grade_id(cell) or f"cell {number}", cell.source, grade_id(cell) in tests)
        for number, cell in enumerate(source.cells, start=1)
        if cell.cell_type == "code"
    ]
    for test, variable, reader in escaping_names(cells):
        yield Violation(
            test,
            "own names",
            f"it binds `{variable}`, which {reader!r} reads, and a sealed cell hands nothing on",
            "bind it in both cells, or in a cell of its own",
        )


class _Trial:
    """The rules that are proved by running the notebook."""

    def __init__(
        self, engine: Engine, source: NotebookNode, tests: frozenset[str], folder: Path | None
    ):
        self.folder = folder
        self.beside: Path | None = None  # the same files, as sessions get them
        self.engine, self.source, self.tests = engine, source, tests
        self.audits: list[dict] = []

    def run(self) -> Iterator[Violation]:
        for number, key in enumerate(KEYS):
            prepared = None
            try:
                prepared = self.engine.prepare(
                    self.source,
                    self.source,
                    name=key,
                    folder=self.folder,
                    key=key,
                    seed=number,
                    self_test=False,
                )
            except EngineError as error:
                yield Violation("the notebook", "reference", str(error), RUN_IT)
                return
            assert prepared.answer_key is not None, "a sealed notebook has one"
            self.beside = prepared.answer_key.folder
            self.audits.append(prepared.answer_key.audit())
            yield from self._sealed_as_in_full(key, number)
        yield from self._labels()
        yield from self._mistakes()
        yield from self._changes_with_the_key()
        yield from self._stubs()

    def _sealed_as_in_full(self, key: str, number: int) -> Iterator[Violation]:
        """Sealed, under another global seed, the reference gives bitwise the same answers, and they
        are accepted."""
        executions: list[Execution] = []
        result = self.engine.submit(
            Work("reference", key, self.source, self.beside),
            seed=1000 + number,
            watch=executions.append,
        ).result()
        if result.problem:
            yield Violation(
                "the notebook",
                "reference",
                f"the reference cannot be executed: {result.problem}",
                RUN_IT,
            )
            return
        records = {record.grade_id: record for record in executions[0].tests.values()}
        for test, about in self.audits[-1].items():
            answers = [
                (answer.label, digest(answer.outline, answer.tensors))
                for answer in records[test].answers
            ]
            full = [(check["label"], check["answer"]) for check in about]
            if [label for label, _ in answers] != [label for label, _ in full]:
                yield Violation(
                    test,
                    "same labels",
                    f"sealed, it checks {[a for a, _ in answers]}, in full {[a for a, _ in full]}",
                    "let nothing that is deleted by sealing decide what is checked",
                )
            for (label, sealed), (_, in_full) in zip(answers, full):
                if sealed != in_full:
                    yield Violation(
                        test,
                        "same answers",
                        f"{label!r}: the answer depends on the global random state, on an earlier "
                        "test, or on an expected value",
                        "draw inputs with sample(..., seed=...), and build anew what a "
                        "test changes",
                    )
        for verdict in result.verdicts:
            if not verdict.passed:
                failed = next(
                    (check.label for check in verdict.checks if not check.ok), verdict.problem
                )
                yield Violation(
                    verdict.grade_id,
                    "reference",
                    f"the reference solution fails {failed!r}",
                    RUN_IT,
                )

    def _labels(self) -> Iterator[Violation]:
        for test in self.audits[0]:
            labels = [[check["label"] for check in audit[test]] for audit in self.audits]
            if any(other != labels[0] for other in labels):
                yield Violation(
                    test, "same labels", "what is checked depends on the key", "loop over literals"
                )
            if len(set(labels[0])) < len(labels[0]):
                twice = next(label for label in labels[0] if labels[0].count(label) > 1)
                yield Violation(
                    test,
                    "labels",
                    f"two checks are called {twice!r}",
                    "give each a name of its own",
                )

    def _mistakes(self) -> Iterator[Violation]:
        seen = set()
        for audit in self.audits:
            for test, about in audit.items():
                for check in about:
                    for message, rejected, distance in check["mistakes"]:
                        place = (test, check["label"], message)
                        if place not in seen and (not rejected or distance < FAR):
                            seen.add(place)
                            how = (
                                "is accepted"
                                if not rejected
                                else f"is only {distance:.1f} tolerances from the right value"
                            )
                            yield Violation(
                                test,
                                "mistakes",
                                f"{check['label']!r}: the mistake {message!r} {how}",
                                "choose inputs for which the mistake shows",
                            )

    def _changes_with_the_key(self) -> Iterator[Violation]:
        for test in self.audits[0]:
            values = zip(
                *(
                    [(check["expected"], check["hidden"]) for check in audit[test]]
                    for audit in self.audits
                )
            )
            if not any(
                hidden and None not in expected and len(set(expected)) == len(expected)
                for expected, hidden in (
                    (tuple(v for v, _ in three), three[0][1]) for three in values
                )
            ):
                yield Violation(
                    test,
                    "secret",
                    "no hidden check wants a value that changes with the key, so its answers can "
                    "be "
                    "invented",
                    "add a hidden `expect` on inputs from sample(..., seed=...)",
                )

    def _stubs(self) -> Iterator[Violation]:
        for what, stub in STUBS.items():
            notebook = _stubbed(self.source, stub)
            result = self.engine.submit(Work(what, KEYS[0], notebook, self.beside)).result()
            for verdict in result.verdicts:
                if verdict.passed:
                    yield Violation(
                        verdict.grade_id,
                        "stub",
                        f"{what} passes",
                        "add a check that an empty solution fails",
                    )


def _stubbed(source: NotebookNode, stub: str) -> NotebookNode:
    """The notebook with every solution replaced, as nbgrader's release does it."""
    notebook = copy.deepcopy(source)
    clear = ClearSolutions(code_stub={"python": stub})
    clear.log.setLevel(logging.ERROR)
    return clear.preprocess(notebook, {})[0]


def _title(course: Course, path: Path) -> str:
    """The assignment, and the notebook's name where it is one of several."""
    several = len(list(path.parent.glob("*.ipynb"))) > 1
    return f"{path.parent.name}/{path.name}" if several else path.parent.name


def command(
    context: typer.Context,
    assignments: Annotated[
        list[str] | None, typer.Argument(help="The assignments to check; all if none is named.")
    ] = None,
) -> None:
    course: Course = context.obj
    console = Console(highlight=False)
    broken = 0
    names = assignments or course.assignments()
    if not names:
        raise CourseError(f"{course.solutions} holds no assignment yet.")
    for path in [path for name in names for path in course.source_notebooks(name)]:
        assignment, notebook = _title(course, path), files.read(path)
        if language := other_language(notebook.metadata.get("kernelspec") or {}):
            console.print(f"- {assignment}: left to nbgrader, as it is written in {language}")
            continue
        with console.status(f"checking {assignment}"):
            violations = check_notebook(course.view, notebook, folder=path.parent)
        broken += len(violations)
        if not violations:
            console.print(f"[green]✓[/] {assignment}: every rule holds for every graded cell")
        for violation in violations:
            console.print(
                f"[red]✗[/] {assignment} [bold]{escape(violation.cell)}[/] ({violation.rule}): "
                f"{escape(violation.problem)}\n    instead: {escape(violation.instead)}"
            )
    if broken:
        raise CourseError(
            f"{broken} {'rule is' if broken == 1 else 'rules are'} broken; a test that breaks one "
            "can be wrong "
            "about a student or be met by an invented answer."
        )
