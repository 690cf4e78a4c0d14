"""`nbseal mutants`: what is printed, and what is kept."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from nbseal.authoring.bank_folder import bank_folder
from nbseal.authoring.mutants import confirmed
from nbseal.authoring.mutants.confirmed import Confirmed
from nbseal.authoring.mutants.study import Graded, Study, Task, tasks
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files, mutants
from nbseal.notebook.marks import other_language


class Findings:
    """What grading the mutants of a task has shown, without what the author knows already."""

    def __init__(self, task: str, graded: list[Graded], known: Confirmed):
        self.task, self.graded, self.known = task, graded, known
        self.passed = [one.mutant.name for one in graded if one.passed]
        self.unnoticed = [name for name in self.passed if not known.excuses(name)]
        self.unseen = [
            one for one in graded if one.passed_visible and not known.excuses(one.mutant.name)
        ]
        self.told: dict[str, list[str]] = {}
        for one in graded:
            for message in one.told:
                self.told.setdefault(message, []).append(one.mutant.name)

    @property
    def ran(self) -> list[Graded]:
        """Those that ran to the end of their tests and were noticed."""
        return [one for one in self.graded if not one.raised and not one.passed]

    @property
    def unconfirmed(self) -> dict[str, list[str]]:
        """Message -> mutants of which the author has not said that it is true."""
        asked = {
            message: [name for name in names if not self.known.confirms(message, name)]
            for message, names in self.told.items()
        }
        return {message: names for message, names in asked.items() if names}

    def lines(self) -> list[str]:
        """The findings, to be printed."""
        named = sum(bool(one.told) for one in self.ran)
        excused = len(self.passed) - len(self.unnoticed)
        lines = [
            f"[bold]{self.task}[/]: {len(self.graded)} mutants; {len(self.unnoticed)} pass the "
            f"hidden tests (and {excused} equivalent ones), {len(self.unseen)} the visible check; "
            f"{named} of {len(self.ran)} that ran were told a mistake"
        ]
        if self.unnoticed:
            lines.append("  [red]the hidden tests miss[/]")
            lines += [f"    {escape(name)}" for name in self.unnoticed]
        # what the hidden tests miss stands above
        late = [one for one in self.unseen if not one.passed]
        if late:
            lines.append("  [yellow]the visible check misses[/], and the hidden tests notice")
            lines += [f"    {escape(one.mutant.name)}" for one in late]
        for message, names in self.unconfirmed.items():
            lines.append(f"  [blue]is it true?[/] {escape(message)}")
            lines += [f"    {escape(name)}" for name in names]
        return lines


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="The assignment, for example 02_layer_norm.")],
    task: Annotated[
        list[str] | None, typer.Option(help="A solution cell; all of them if none is named.")
    ] = None,
    save: Annotated[
        bool, typer.Option("--save", help="Write what is found into mutants.toml, to be confirmed.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Submissions that run at once.")] = 2,
) -> None:
    course: Course = context.obj
    console = Console(highlight=False, soft_wrap=True)
    kept = bank_folder(course, assignment) / confirmed.NAME
    known = confirmed.read(kept)
    began = time.monotonic()
    found: list[Findings] = []
    for path in course.source_notebooks(assignment):
        source = files.read(path)
        if language := other_language(source.metadata.get("kernelspec") or {}):
            console.print(f"- {path.name}: has no mutants, as it is written in {language}")
            continue
        chosen = _chosen(tasks(source), task, path)
        with Study(course.view, source, path.parent, workers) as study:
            for one in chosen:
                if not one.tests & study.sealed:
                    console.print(f"- {one.name}: left out, its tests do not use `expect`")
                    continue
                graded = _grade(study, one, console)
                found.append(Findings(one.name, graded, known.get(one.name, Confirmed())))
                console.print("\n".join(found[-1].lines()))
    seconds = time.monotonic() - began
    console.print(_sum(found, seconds))
    _keep_answers(mutants.mutants_of(course.root, assignment), found)
    if save:
        _save(kept, known, found)
        if f'"{confirmed.OPEN}' in kept.read_text(encoding="utf-8"):
            console.print(f"What waits for you begins with {confirmed.OPEN!r} in {kept}.")
    if missed := sum(len(one.unnoticed) for one in found):
        raise CourseError(
            f"{missed} {'mutant passes' if missed == 1 else 'mutants pass'} the hidden tests: add "
            f"a check that notices, or say in {kept} why no test should (--save writes the lines)."
        )


def _chosen(known: list[Task], wanted: list[str] | None, path: Path) -> list[Task]:
    if unknown := [name for name in wanted or [] if name not in {one.name for one in known}]:
        names = ", ".join(one.name for one in known)
        raise CourseError(f"{path} has no tested solution cell {unknown[0]!r}; it has: {names}.")
    return [one for one in known if not wanted or one.name in wanted]


def _grade(study: Study, task: Task, console: Console) -> list[Graded]:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        mutants = study.mutants(task)
        bar = progress.add_task(task.name, total=len(mutants))
        return list(study.grade(task, mutants, lambda: progress.advance(bar)))


def _sum(found: list[Findings], seconds: float) -> str:
    graded = [graded for one in found for graded in one.graded]
    unnoticed = sum(len(one.unnoticed) for one in found)
    unseen = [graded for one in found for graded in one.unseen]
    ran = [graded for one in found for graded in one.ran]
    told = [graded for graded in ran if graded.told]
    slips = [one for one in graded if not one.mutant.is_branch]
    return (
        f"[bold]All[/]: {len(graded)} mutants in {seconds:.0f} s, {len(graded) / seconds:.1f} a "
        f"second. {unnoticed} pass the hidden tests. The visible checks miss "
        f"{_share(_slips(unseen), len(slips))} slips of the hand, and "
        f"{_share(len(unseen) - _slips(unseen), len(graded) - len(slips))} branches; "
        f"{_share(_slips(told), _slips(ran))} slips that ran were told a mistake."
    )


def _slips(graded: list[Graded]) -> int:
    return sum(not one.mutant.is_branch for one in graded)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(whole, 1):.0f} %)"


def _save(path: Path, known: dict[str, Confirmed], found: list[Findings]) -> None:
    for one in found:
        one.known.ask(one.passed, one.told)
        known[one.task] = one.known
    confirmed.write(path, known)


def _keep_answers(path: Path, found: list[Findings]) -> None:
    """For reports: which mutant answers so. The first that does is the simplest."""
    questions = [one for task in found for one in task.graded if one.question]
    known = {one.question: one.mutant.name for one in reversed(questions)}
    known = mutants.known_mutants(path) | known
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(json.dumps(known), encoding="utf-8")
