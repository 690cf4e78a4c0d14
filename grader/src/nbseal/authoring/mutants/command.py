"""`nbseal mutants`: what is printed."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from nbseal.authoring.compiling import apart
from nbseal.authoring.mutants.study import Found
from nbseal.authoring.task_files import task_files, task_folder
from nbseal.course import Course
from nbseal.errors import CourseError


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="The assignment, for example 02_layer_norm.")],
    task: Annotated[
        list[str] | None, typer.Option(help="A task with a task file; all if none is named.")
    ] = None,
) -> None:
    course: Course = context.obj
    course.source_notebooks(assignment)  # raises CourseError for none
    known = task_files(course, assignment)
    if unknown := [name for name in task or known or ["a task"] if name not in known]:
        raise CourseError(
            f"{task_folder(course, assignment)} has no file of {unknown[0]!r}; it has: "
            f"{', '.join(known) or 'none'}."
        )
    console = Console(highlight=False, soft_wrap=True)
    for name in task or known:
        with console.status(f"asking the mutants of {name}"):
            [found] = apart(course, assignment, "mutants", name)
        console.print("\n".join(lines(Found(**found))))


def lines(found: Found) -> list[str]:
    """What was found of one task, to be printed."""
    said = [
        f"[bold]{found.task}[/]: {found.tried} mutants; {len(found.unnoticed)} get the points, "
        f"{len(found.unseen)} are refused by hidden inputs alone, {found.told} are told a mistake"
    ]
    for head, names in (
        ("[red]no probe notices[/]", found.unnoticed),
        ("[yellow]a student sees only ticks[/]", found.unseen),
        *(
            (f"[blue]told, and not true:[/] {escape(one)}", some)
            for one, some in found.untrue.items()
        ),
    ):
        if names:
            said += [f"  {head}", *(f"    {escape(name)}" for name in names)]
    return said
