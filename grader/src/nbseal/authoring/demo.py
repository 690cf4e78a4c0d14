"""`nbseal demo`: a class of students, handed in, graded and given feedback, in a course folder of
its own."""

import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from nbseal.authoring import scratch_course
from nbseal.authoring.bank import BankEntry, bank_folder, build_submission, load_bank
from nbseal.authoring.class_results import Graded, read_class
from nbseal.authoring.nbgrader_api import environment
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook.text import plain

MARKER = ".made-by-grading-demo"  # only a folder with this file in it is ever replaced
SHARE_RIGHT = 0.4
POLL_SECONDS = 0.2
NAME = re.compile(r"[a-z]{2,15}")


def class_list(course: Course, students: int) -> list[str]:
    """Names for a class, the same ones every time. Raises CourseError for a names file that is
    missing or damaged."""
    path = course.data / "names.txt"
    if not path.is_file():
        raise CourseError(
            f"{path} is missing: fetch it again, or make it with `python data/make_names.py`."
        )
    names = path.read_text(encoding="utf-8", errors="replace").split()
    for number, name in enumerate(names, start=1):
        if not NAME.fullmatch(name):
            raise CourseError(
                f"{path} is damaged: name {number} is {name[:30]!r}, which is not 2-15 letters "
                "a-z; "
                "fetch it again, or make it with `python data/make_names.py`."
            )
    if len(names) < students:
        raise CourseError(f"{path} holds {len(names)} names, too few for {students} students.")
    return sorted(random.Random(students).sample(names, students))


def class_work(bank: list[BankEntry], students: int) -> list[BankEntry]:
    """What each student hands in: two in five are right, the others make mistakes in different
    tasks."""
    draw = random.Random(students)
    shuffled = draw.sample(bank, len(bank))
    right = [entry for entry in shuffled if entry.is_right]
    wrong = _task_after_task(
        [entry for entry in shuffled if not entry.is_right and not entry.is_sly]
    )
    n_right = round(SHARE_RIGHT * students) if right and wrong else students * bool(right)
    work = [*islice(cycle(right), n_right), *islice(cycle(wrong), students - n_right)]
    return draw.sample(work, students)


def _task_after_task(wrong: list[BankEntry]) -> list[BankEntry]:
    """One wrong solution of each task, then the second of each, and so on."""
    turns: Counter[frozenset[str]] = Counter()
    by_turn = []
    for entry in wrong:
        by_turn.append((turns[entry.fails], entry))
        turns[entry.fails] += 1
    return [entry for _, entry in sorted(by_turn, key=lambda pair: pair[0])]


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


def autograde(scratch: Course, assignment: str, engine: str) -> Iterator[str]:
    """Grade all submissions in a course; yields each student's name, once."""
    program = "nbseal" if engine == "sealed" else "nbgrader"
    yield from _follow(
        scratch, [program, "autograde", assignment, "--create"], engine, "autograded/*"
    )


def give_feedback(scratch: Course, assignment: str, engine: str) -> Iterator[str]:
    """Write feedback/STUDENT/ASSIGNMENT/*.html for all graded submissions; yields as `autograde`
    does."""
    yield from _follow(scratch, ["nbgrader", "generate_feedback", assignment], engine, "feedback/*")


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
        table.add_row(
            student,
            f"{result.score:g} / {result.max_score:g}",
            Text(plain(what_went_wrong_first(result) or "-")),
            style=style,
        )
    return table


def _show(progress: Progress, doing: str, students: int, done: Iterator[str]) -> None:
    task = progress.add_task(doing, total=students, student="")
    for number, student in enumerate(done, start=1):
        progress.update(task, completed=number, student=student)
    progress.update(task, completed=students, student="")


def run(
    course: Course, assignment: str, students: int, into: Path, console: Console
) -> dict[str, Graded]:
    """Make the class, grade it, write feedback; returns student -> result."""
    # what can be wrong is found before a folder is touched
    work = class_work(load_bank(course, assignment), students)
    names = class_list(course, students)
    submissions = {
        name: build_submission(course, entry) for name, entry in zip(names, work, strict=True)
    }
    columns = (
        TextColumn("{task.description:<22}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[student]}"),
    )
    folder = fresh_folder(into)
    engine, about = choose_engine(course)
    console.print(about)
    with Progress(*columns, console=console) as progress:
        release = progress.add_task(f"releasing {assignment}", total=1, student="")
        scratch = scratch_course.make(course, assignment, folder)
        progress.update(release, completed=1)
        for name, notebook in submissions.items():
            scratch_course.hand_in(scratch, name, assignment, notebook)
        _show(progress, "grading", students, autograde(scratch, assignment, engine))
        _show(progress, "writing feedback", students, give_feedback(scratch, assignment, engine))
    return read_class(scratch, assignment)


def command(
    context: typer.Context,
    assignment: Annotated[
        str | None,
        typer.Argument(help="The assignment to grade; the first that has a bank if not given."),
    ] = None,
    students: Annotated[int, typer.Option(min=1, help="How many students the class has.")] = 12,
    into: Annotated[
        Path, typer.Option(help="The course folder to make; that of an earlier demo is replaced.")
    ] = Path("demo"),
) -> None:
    """Release an assignment, hand in a class of right and wrong solutions, autograde it, write
    feedback, show the table."""
    course: Course = context.obj
    if assignment is None:
        with_bank = [name for name in course.assignments() if bank_folder(course, name).is_dir()]
        if not with_bank:
            raise CourseError(
                f"no assignment in {course.solutions} has a bank in {bank_folder(course, '')}."
            )
        assignment = with_bank[0]
    console = Console()
    results = run(course, assignment, students, into.resolve(), console)
    console.print(results_table(results))
    missing = students - len(results)
    folder = into.resolve()
    console.print(
        f"\nsubmissions  {folder / 'submitted'}\ngraded       {folder / 'autograded'}\n"
        f"feedback     {folder / 'feedback'}\nscores       {folder / 'gradebook.db'}",
        soft_wrap=True,
        highlight=False,
    )
    if missing:
        raise CourseError(
            f"{missing} of {students} submissions could not be graded: {folder / 'nbseal.log'} "
            "says why."
        )
