"""A class on a real exercise: right and wrong solutions from the bank, graded in a course folder of
its own."""

import random
import re
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated

import typer
from nbseal.authoring import scratch_course
from nbseal.authoring.bank_folder import bank_folder
from nbseal.authoring.demo import showing
from nbseal.course import Course
from nbseal.errors import CourseError
from rich.console import Console

from tools.bank import BankEntry, build_submission, load_bank
from tools.running import here, run

SHARE_RIGHT = 0.4
NAME = re.compile(r"[a-z]{2,15}")


def class_list(course: Course, students: int) -> list[str]:
    """Names for a class, the same ones every time. Raises CourseError for a names file that is
    missing or damaged."""
    path = course.root / "data" / "names.txt"
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


def main(
    assignment: Annotated[
        str | None,
        typer.Argument(help="The assignment to grade; the first that has a bank if not given."),
    ] = None,
    students: Annotated[int, typer.Option(min=1, help="How many students the class has.")] = 12,
    into: Annotated[
        Path, typer.Option(help="The course folder to make; that of an earlier demo is replaced.")
    ] = Path("demo"),
) -> None:
    """Release an assignment, hand in a class of right and wrong solutions, grade it, write feedback
    and a report, show the table."""
    course = here()
    if assignment is None:
        with_bank = [name for name in course.assignments() if bank_folder(course, name).is_dir()]
        if not with_bank:
            raise CourseError(
                f"no assignment in {course.solutions} has a bank in {bank_folder(course, '')}."
            )
        assignment = with_bank[0]
    # what can be wrong is found before a folder is touched
    work = class_work(load_bank(course, assignment), students)
    submissions = {
        name: build_submission(course, entry)
        for name, entry in zip(class_list(course, students), work, strict=True)
    }
    console = Console()
    folder = showing.fresh_folder(into.resolve())
    engine, about = showing.choose_engine(course)
    console.print(about)
    scratch = scratch_course.make(course, assignment, folder)
    for name, notebook in submissions.items():
        scratch_course.hand_in(scratch, name, assignment, notebook)
    showing.grade(scratch, assignment, engine, students, console)


if __name__ == "__main__":
    run(main)
