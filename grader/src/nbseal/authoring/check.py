"""`nbseal check`: prove that every graded cell can be sealed and judged.

Some rules show in the syntax of a test cell (cells/rules.py, cells/sealing.py). The others are
tried: the reference solution runs in full and sealed, under three keys and different global seeds,
once watched as by nbgrader's own engine; then stubs and every mistake are judged. Task files are
compiled, and proven in a process of their own (proving.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from nbformat import NotebookNode
from rich.console import Console
from rich.markup import escape

from nbseal.authoring.compiling import apart, compile_tasks
from nbseal.authoring.task_files import task_files
from nbseal.authoring.trial import Trial
from nbseal.cells import declared, rules, sealing
from nbseal.cells.python import bound_names, escaping_names, parse
from nbseal.cells.rules import Violation
from nbseal.cells.vocabulary import speaks
from nbseal.course import Course
from nbseal.engine.engine import Engine
from nbseal.errors import CourseError
from nbseal.notebook import files, marks
from nbseal.notebook.marks import grade_id, is_test, other_language
from nbseal.view import CourseView


def check_notebook(
    course: CourseView, source: NotebookNode, *, folder: Path | None = None, workers: int = 1
) -> list[Violation]:
    """All violations of one instructor's notebook; an empty list proves the rules for it."""
    tests = {grade_id(cell) or "": cell.source for cell in source.cells if is_test(cell)}
    ours = speaks(
        [cell.source for cell in source.cells if cell.cell_type == "code"], folder, course
    )
    tasks = declared.of_notebook(source, folder, course)
    asking = {name: text for name, text in tests.items() if tasks and declared.uses_check(text)}
    found = list(_declared(asking, tasks))
    tests = {name: text for name, text in tests.items() if name not in asking}
    found += _static(source, tests, ours)
    if found:
        return found  # what cannot be sealed cannot be tried
    with Engine(course, workers=workers) as engine:
        return list(Trial(engine, source, frozenset({*tests, *asking}), folder).run())


def _declared(
    tests: dict[str, str], tasks: Mapping[str, declared.DeclaredTask]
) -> Iterator[Violation]:
    """What is wrong with cells that ask declared tasks."""
    for name, text in tests.items():
        try:
            declared.seal(text, tasks)
        except sealing.SealingError as error:
            yield Violation(name, "sealed", f"line {error.line}: {error.problem}", error.instead)
            continue
        if not any(call.hidden for call in declared.calls(text)):
            yield Violation(
                name,
                "secret",
                "no hidden check asks on inputs that are new when graded, so its answers can be "
                "invented",
                "add check(NAME, hidden=True) between BEGIN HIDDEN TESTS and END HIDDEN TESTS",
            )


def _static(source: NotebookNode, tests: dict[str, str], ours: bool) -> Iterator[Violation]:
    solutions = [
        cell.source for cell in source.cells if cell.cell_type == "code" and marks.is_solution(cell)
    ]
    students = rules.student_names(solutions)
    bound = _bound([cell.source for cell in source.cells if cell.cell_type == "code"])
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
        yield from rules.not_imported(name, text, bound)
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


def _bound(sources: list[str]) -> set[str]:
    """Names that any of these cells binds; `*` where one imports all of a module's."""
    names: set[str] = set()
    for source in sources:
        with suppress(SyntaxError):
            names |= bound_names(parse(source))
    return names


def _title(course: Course, path: Path) -> str:
    """The assignment, and the notebook's name where it is one of several."""
    several = len(list(path.parent.glob("*.ipynb"))) > 1
    return f"{path.parent.name}/{path.name}" if several else path.parent.name


def _print(console: Console, title: str, violations: list[Violation], good: str) -> None:
    if not violations:
        console.print(f"[green]✓[/] {title}: {good}")
    for one in violations:
        console.print(
            f"[red]✗[/] {title} [bold]{escape(one.cell)}[/] ({one.rule}): {escape(one.problem)}\n"
            f"    instead: {escape(one.instead)}"
        )


def command(
    context: typer.Context,
    assignments: Annotated[
        list[str] | None, typer.Argument(help="The assignments to check; all if none is named.")
    ] = None,
    keys: Annotated[
        int, typer.Option(min=1, help="Secret keys with which task files are proven.")
    ] = 1,
) -> None:
    course: Course = context.obj
    console = Console(highlight=False)
    broken = 0
    names = assignments or course.assignments()
    if not names:
        raise CourseError(f"{course.solutions} holds no assignment yet.")
    for name in names:
        compile_tasks(course, name)  # what is tried below is of today
    for path in [path for name in names for path in course.source_notebooks(name)]:
        assignment, notebook = _title(course, path), files.read(path)
        if language := other_language(notebook.metadata.get("kernelspec") or {}):
            console.print(f"- {assignment}: left to nbgrader, as it is written in {language}")
            continue
        with console.status(f"checking {assignment}"):
            violations = check_notebook(course.view, notebook, folder=path.parent)
        broken += len(violations)
        _print(console, assignment, violations, "every rule holds for every graded cell")
    for name in names:
        if count := len(task_files(course, name)):
            with console.status(f"proving the task files of {name}"):
                violations = [Violation(**one) for one in apart(course, name, "prove", str(keys))]
            broken += len(violations)
            _print(console, name, violations, f"{count} task files hold")
    if broken:
        raise CourseError(
            f"{broken} {'rule is' if broken == 1 else 'rules are'} broken; a test that breaks one "
            "can be wrong "
            "about a student or be met by an invented answer."
        )
