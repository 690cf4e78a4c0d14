"""A class on a real exercise: right and wrong answers of its task files, graded in a course folder
of its own."""

import random
import re
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated

import typer
from nbseal.authoring import scratch_course
from nbseal.authoring.demo import showing
from nbseal.authoring.task_files import task_files
from nbseal.course import TASKS, Course
from nbseal.errors import CourseError
from rich.console import Console

from tools.answers import Answer, build_submission, load_answers
from tools.running import here, run

SHARE_RIGHT = 0.4
SHARE_DISTINCT = 0.4  # of mistakes: some are made more than once
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


def class_work(answers: list[Answer], students: int) -> list[Answer]:
    """What each student hands in: two in five are right; the others make mistakes in
    different tasks, some of them the same."""
    draw = random.Random(students)
    shuffled = draw.sample(answers, len(answers))
    right = [answer for answer in shuffled if answer.is_right]
    wrong = _task_after_task([answer for answer in shuffled if not answer.is_right])
    wrong = wrong[: max(1, round(SHARE_DISTINCT * students))]
    n_right = round(SHARE_RIGHT * students) if right and wrong else students * bool(right)
    work = [*islice(cycle(right), n_right), *islice(cycle(wrong), students - n_right)]
    return draw.sample(work, students)


def _task_after_task(wrong: list[Answer]) -> list[Answer]:
    """One wrong solution of each task, then the second of each, and so on."""
    turns: Counter[frozenset[str]] = Counter()
    by_turn = []
    for answer in wrong:
        by_turn.append((turns[answer.fails], answer))
        turns[answer.fails] += 1
    return [answer for _, answer in sorted(by_turn, key=lambda pair: pair[0])]


def main(
    assignment: Annotated[
        str | None,
        typer.Argument(help="The assignment to grade; the first that has task files if not given."),
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
        with_tasks = [name for name in course.assignments() if task_files(course, name)]
        if not with_tasks:
            raise CourseError(
                f"no assignment in {course.solutions} has task files in {course.root / TASKS}."
            )
        assignment = with_tasks[0]
    # what can be wrong is found before a folder is touched
    work = class_work(load_answers(course, assignment), students)
    submissions = {
        name: build_submission(course, answer)
        for name, answer in zip(class_list(course, students), work, strict=True)
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
