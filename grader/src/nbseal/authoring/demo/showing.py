"""A class that was handed in to a course folder of its own: graded, given feedback, reported, and
shown as a table."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from nbseal.authoring.class_results import Graded, read_class
from nbseal.authoring.nbgrader_api import environment
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook.text import plain

MARKER = ".made-by-grading-demo"  # only a folder with this file in it is ever replaced
POLL_SECONDS = 0.2


def fresh_folder(into: Path) -> Path:
    """An empty folder; the one of an earlier demo is replaced, anything else is left alone with a
    CourseError."""
    if into.exists() and not into.is_dir():
        raise CourseError(f"{into} is a file: name a folder with --into.")
    if into.exists() and any(into.iterdir()) and not (into / MARKER).is_file():
        raise CourseError(
            f"{into} is not empty and was not made by a demo: name another folder with --into."
        )
    if into.exists():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    (into / MARKER).touch()
    return into


def choose_engine(course: Course) -> tuple[str, str]:
    """The engine that this host can grade with, and a sentence about it: (GRADING_ENGINE,
    sentence)."""
    from nbseal.confine import require_closed

    try:
        require_closed(solutions=course.solutions)
    except CourseError:
        return "nbgrader", (
            "This host cannot confine a submission (`nbseal doctor` says why): "
            "nbgrader's own engine grades the demo."
        )
    return "sealed", "Every submission is confined and its test cells are sealed."


def _follow(scratch: Course, arguments: list[str], engine: str, made: str) -> Iterator[str]:
    """Run a command on a class, its log in FOLDER/nbseal.log, and yield students as their folders
    `made` appear."""
    log = scratch.root / "nbseal.log"
    seen: set[str] = set()
    with (
        open(log, "a", encoding="utf-8") as sink,
        subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=scratch.root,
            env=environment(GRADING_ENGINE=engine),
            stdout=sink,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        while True:
            ended = process.poll() is not None
            new = sorted({path.name for path in scratch.root.glob(made)} - seen)
            seen.update(new)
            yield from new
            if ended:
                break
            time.sleep(POLL_SECONDS)
    if process.returncode:
        raise CourseError(f"`{' '.join(arguments[:2])}` failed: {log} says why.")


def what_went_wrong_first(result: Graded) -> str:
    """The first failed check in a sentence: the mistake if it was recognised, else what differs."""
    if not result.failed:
        return ""
    name = result.failed[0]
    failed = result.failures[name]
    first = next((check for check in failed if check.mistake), failed[0])
    sentence = first.mistake or (first.safe if first.reached else "")  # complete in itself
    said = sentence or " ".join([first.label, *first.reason.splitlines()[:1]])
    return f"{name.removesuffix('_test')}: {said}"


def results_table(results: dict[str, Graded]) -> Table:
    """One row per student."""
    table = Table(title="The class", title_justify="left")
    table.add_column("student")
    table.add_column("score", justify="right")
    table.add_column("what went wrong first")
    for student, result in results.items():
        style = "green" if result.score == result.max_score else None
        said = [f"{result.hours_late:.0f} h late"] if result.hours_late else []
        if wrong := what_went_wrong_first(result):
            said.append(wrong)
        table.add_row(
            student,
            f"{result.score:g} / {result.max_score:g}",
            Text(plain("; ".join(said) or "-")),
            style=style,
        )
    return table


def _show(progress: Progress, doing: str, students: int, done: Iterator[str]) -> None:
    task = progress.add_task(doing, total=students, student="")
    for number, student in enumerate(done, start=1):
        progress.update(task, completed=number, student=student)
    progress.update(task, completed=students, student="")


def grade(scratch: Course, assignment: str, engine: str, students: int, console: Console) -> None:
    """Grade what so many students handed in, write feedback and a report, and show the class.
    Raises CourseError where a submission could not be graded."""
    program = "nbseal" if engine == "sealed" else "nbgrader"
    steps = {
        "grading": ([program, "autograde", assignment, "--create"], "autograded/*"),
        "writing feedback": (["nbseal", "feedback", assignment], "feedback/*"),
    }
    columns = TextColumn("{task.description:<22}"), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, TimeElapsedColumn(), TextColumn("{task.fields[student]}"), console=console
    ) as progress:
        for doing, (arguments, made) in steps.items():
            _show(progress, doing, students, _follow(scratch, arguments, engine, made))
        report = ["nbseal", "report", assignment]
        _show(progress, "writing the report", 1, _follow(scratch, report, engine, "reports/*"))
    results = read_class(scratch, assignment)
    console.print(results_table(results))
    root = scratch.root
    console.print(
        f"\nsubmissions  {root / 'submitted'}\ngraded       {root / 'autograded'}\n"
        f"feedback     {root / 'feedback'}\nscores       {root / 'gradebook.db'}\n"
        f"report       {root / 'reports' / assignment / 'report.html'}",
        soft_wrap=True,
        highlight=False,
    )
    if missing := students - len(results):
        raise CourseError(
            f"{missing} of {students} submissions could not be graded: {root / 'nbseal.log'} "
            "says why."
        )
