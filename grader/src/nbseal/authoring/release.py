"""What students get, made from the instructor's version: nbgrader's own generate_assignment, in a
scratch folder so that nothing is half-written."""

import filecmp
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from nbseal.authoring.compiling import compile_tasks, hash_of, is_current, visible_file
from nbseal.authoring.nbgrader_api import open_api, succeeded
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files, marks

# What must never reach a student, as nbgrader spells it.
SECRETS = (
    "BEGIN SOLUTION",
    "END SOLUTION",
    "BEGIN HIDDEN TESTS",
    "END HIDDEN TESTS",
    "BEGIN MARK SCHEME",
)
NOT_RELEASED = shutil.ignore_patterns(".*", "__pycache__", "*.pyc")


def check_source(course: Course, assignment: str) -> None:
    """Raise CourseError for a source notebook that nothing could be graded in."""
    paths = course.source_notebooks(assignment)
    path, cells = paths[0], [cell for path in paths for cell in files.read(path).cells]
    if not any(map(marks.is_solution, cells)):
        raise CourseError(
            f"{path} has no solution cells: mark those that students fill in, in JupyterLab's view "
            "Create Assignment."
        )
    if not any(marks.points(cell) for cell in cells):
        raise CourseError(
            f"{path} has no test cells with points: mark some, in JupyterLab's view "
            "Create Assignment."
        )


def leaks(path: Path) -> list[str]:
    """What a file says that students must not read; empty for a file that may be given to them."""
    found = [secret for secret in SECRETS if secret.encode() in path.read_bytes()]
    return [f"it contains {secret!r}" for secret in found]


def generate(course: Course, assignment: str, scratch: Path) -> Path:
    """The folder of an assignment as students get it, made in `scratch`, an empty folder."""
    check_source(course, assignment)
    with open_api(course, scratch) as api:
        shutil.copytree(
            course.solutions / assignment,
            scratch / course.solutions.name / assignment,
            ignore=NOT_RELEASED,
        )
        succeeded(api.generate_assignment(assignment), f"releasing {assignment}")
    made = scratch / course.exercises.name / assignment
    for path in made.rglob("*"):
        if path.is_file() and (reasons := leaks(path)):
            raise CourseError(
                f"{assignment} is not released, students could read its answers in {path.name}: "
                f"{'; '.join(reasons)}."
            )
    return made


def same(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files with the same bytes."""
    names = [
        {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        for folder in (one, other)
    ]
    return names[0] == names[1] and all(
        filecmp.cmp(one / name, other / name, shallow=False) for name in names[0]
    )


def release(course: Course, assignment: str) -> bool:
    """Make the released folder of an assignment; returns whether it changed."""
    target = course.exercises / assignment
    compile_tasks(course, assignment)
    with tempfile.TemporaryDirectory() as scratch:
        made = generate(course, assignment, Path(scratch))
        if same(made, target):
            return False
        course.exercises.mkdir(exist_ok=True)
        unfinished = course.exercises / f".{assignment}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(made, unfinished)
        shutil.rmtree(target, ignore_errors=True)
        unfinished.rename(target)
        return True


def out_of_date(course: Course) -> list[str]:
    """The assignments whose released folder is not what nbgrader makes of the source today."""
    released = {path.parent.name for path in course.exercises.glob("*/*.ipynb")}
    stale = sorted(released - set(course.assignments()))
    for assignment in course.assignments():
        if not is_current(visible_file(course, assignment), hash_of(course, assignment)):
            stale.append(assignment)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            if not same(generate(course, assignment, Path(scratch)), course.exercises / assignment):
                stale.append(assignment)
    return stale


def command(
    context: typer.Context,
    assignment: Annotated[
        str | None,
        typer.Argument(help="One assignment, for example 02_layer_norm; all if not given."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where something is out of date.")
    ] = False,
) -> None:
    """Make what students get with nbgrader: no solutions, no hidden tests, no outputs."""
    course: Course = context.obj
    if not course.assignments():
        raise CourseError(f"{course.solutions} holds no assignment yet.")
    if check:
        stale = [name for name in out_of_date(course) if assignment in (None, name)]
        if stale:
            raise CourseError(f"{', '.join(stale)} is out of date: run `nbseal release`.")
        return
    for name in [assignment] if assignment else course.assignments():
        changed = release(course, name)
        print(f"{course.exercises.name}/{name}: {'written' if changed else 'is up to date'}")
