"""A course folder of its own, to grade in without touching the real one: nbgrader's layout,
gradebook and all."""

import shutil
from pathlib import Path

from nbformat import NotebookNode

from nbseal.authoring.compiling import compile_tasks
from nbseal.authoring.nbgrader_api import open_api, succeeded
from nbseal.authoring.release import NOT_RELEASED, check_source
from nbseal.authoring.task_files import task_folder
from nbseal.course import CONFIG, Course
from nbseal.notebook import files


def make(course: Course, assignment: str, folder: Path) -> Course:
    """Copy what grading an assignment needs into `folder`, and release the assignment there into a
    new gradebook."""
    check_source(course, assignment)
    folder.mkdir(parents=True, exist_ok=True)
    for name in (CONFIG, *course.course_files):
        source = course.root / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=NOT_RELEASED)
        elif source.is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
    solutions = folder / course.solutions.name
    shutil.copytree(course.solutions / assignment, solutions / assignment, ignore=NOT_RELEASED)
    for path in course.solutions.glob("*.*"):  # names that are kept for grading
        shutil.copy(path, solutions)
    compile_tasks(course, assignment)
    if (declared := task_folder(course, assignment)).is_dir():
        shutil.copytree(declared, folder / declared.relative_to(course.root), ignore=NOT_RELEASED)
    scratch = Course.at(folder)
    with open_api(scratch, folder) as api:
        succeeded(api.generate_assignment(assignment), f"releasing {assignment}")
    return scratch


def hand_in(scratch: Course, student: str, assignment: str, notebook: NotebookNode) -> None:
    """Put a student's notebook where nbgrader collects submissions."""
    folder = scratch.folder("submitted", student, assignment)
    folder.mkdir(parents=True)
    files.write(notebook, folder / scratch.source_notebook(assignment).name)
