"""`nbseal demo`: from a source notebook to feedback and a report, with a class of its own."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Annotated

import typer
from nbformat import NotebookNode
from rich.console import Console

from nbseal.authoring import scratch_course
from nbseal.authoring.demo import showing, students
from nbseal.course import Course
from nbseal.intake.collect.filing import set_time
from nbseal.notebook import files, marks

COURSE = Path(__file__).resolve().with_name("course")


def command(
    into: Annotated[
        Path, typer.Option(help="The course folder to make; that of an earlier demo is replaced.")
    ] = Path("nbseal-demo"),
) -> None:
    """Make a small course and a class, grade it, and show what an instructor sees."""
    console = Console(highlight=False)
    folder = showing.fresh_folder(into.resolve())
    scratch = scratch_course.make(Course.at(COURSE), students.ASSIGNMENT, folder)
    engine, about = showing.choose_engine(scratch)
    console.print(about)
    known = [one for one in students.STUDENTS if engine == "sealed" or not one.ends_its_process]
    if left_out := {one.name for one in students.STUDENTS} - {one.name for one in known}:
        console.print(f"Left out: {', '.join(left_out)}, whose code would end that engine's run.")
    _set_due_date(scratch)
    released = files.read(scratch.released_notebook(students.ASSIGNMENT))
    for student in known:
        _hand_in(scratch, released, student)
    showing.grade(scratch, students.ASSIGNMENT, engine, len(known), console)


def _set_due_date(scratch: Course) -> None:
    from nbgrader.api import Gradebook

    coursedir = scratch.coursedir
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        gradebook.find_assignment(students.ASSIGNMENT).duedate = students.DUE
        gradebook.db.commit()


def _hand_in(scratch: Course, released: NotebookNode, student: students.Student) -> None:
    notebook = copy.deepcopy(released)
    answers = students.RIGHT | student.answers
    for cell in notebook.cells:
        cell.source = answers.get(marks.grade_id(cell) or "", cell.source)
    scratch_course.hand_in(scratch, student.name, students.ASSIGNMENT, notebook)
    set_time(scratch, students.ASSIGNMENT, student.name, student.handed_in)
