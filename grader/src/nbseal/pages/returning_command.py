"""`nbseal feedback --for SYSTEM`: an archive of pages, and a filled table of grades."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import typer
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.lms import origins, tables
from nbseal.lms.origins import Origin
from nbseal.lms.roster import Roster
from nbseal.notebook import files
from nbseal.notebook.text import some_of
from nbseal.pages import returning
from nbseal.pages.feedback_page import rows
from nbseal.pages.returning import Parcel, Returned, Task

MISSING = {
    "moodle": "their numbers in Moodle are not known: name its grading worksheet with --table",
    "canvas": "they were not collected from Canvas's download of all submissions, by whose names "
    "it finds them again: `nbseal collect` that",
    "gradescope": "they were not collected from Gradescope's export of submissions: "
    "`nbseal collect` that",
}


def give_back(
    course: Course,
    system: str,
    assignment: str,
    student: str,
    table: Path | None,
    column: str | None,
) -> None:
    """Pack the pages of students, by a pattern of their ids, and fill the table if there is one.

    Ends with 1 if there are students whom the archive does not reach. Raises CourseError.
    """
    into = course.root / "reports" / assignment
    people, grades = [], None
    if table is not None:
        grades = tables.read(table)
        if grades.system != system:
            raise CourseError(f"{table} is a table of {grades.system}, not of {system}.")
        people = grades.people(Roster.of(course.coursedir))
    with Gradebook(course.coursedir.db_url, course.coursedir.course_id) as gradebook:
        found = _returned(course, gradebook, assignment, student, with_tasks=system == "gradescope")
        most = gradebook.find_assignment(assignment).max_score
    ready = [one for one in found if one.pages]
    if not ready:
        raise CourseError(f"there is no feedback of {assignment} to be given back.")
    parcel = _parcel(system, ready, people)
    try:
        returning.write(parcel, into / f"feedback_{system}.zip")
        print(f"{into / f'feedback_{system}.zip'}: for {len(parcel.reached)} students")
        if grades is not None and table is not None:
            place = grades.grades(assignment, column)
            text = grades.filled(people, {one.student: one.score for one in found}, place)
            filled = into / f"{table.stem}_filled.csv"
            filled.write_text(text, encoding="utf-8")
            print(f"{filled}: {grades.head[place]}")
            _say_who_is_missing(found, people)
            if grades.most(place) not in (None, most):
                print(
                    f"{table} has {grades.most(place):g} points for it, and {assignment} has "
                    f"{most:g}: make them equal there before you upload scores."
                )
    except OSError as error:
        raise CourseError(
            f"{error.filename or into} could not be written ({error.strerror})."
        ) from None
    if parcel.unreachable:
        print(f"left out: {some_of(parcel.unreachable)}: {MISSING[system]}.")
        raise typer.Exit(1)


def _parcel(system: str, ready: list[Returned], people: list[tables.Person]) -> Parcel:
    if system == "moodle":
        return returning.for_moodle(ready, people)
    return returning.for_canvas(ready) if system == "canvas" else returning.for_gradescope(ready)


def _say_who_is_missing(found: list[Returned], people: list[tables.Person]) -> None:
    rows_of = {person.student for person in people}
    if missing := [one.student for one in found if one.student not in rows_of]:
        print(f"graded, and in no row of the table: {some_of(missing)}.")


def _returned(
    course: Course, gradebook: Gradebook, assignment: str, pattern: str, with_tasks: bool
) -> list[Returned]:
    """Everybody who is graded, with pages where they are written. Raises CourseError."""
    try:
        names = [notebook.name for notebook in gradebook.find_assignment(assignment).notebooks]
    except MissingEntry:
        raise CourseError(f"the gradebook knows no assignment {assignment!r}.") from None
    found = []
    for row in sorted(gradebook.assignment_submissions(assignment), key=lambda one: one.student_id):
        who = row.student_id
        if not fnmatchcase(who, pattern):
            continue
        folder = course.folder("feedback", who, assignment)
        pages = tuple(path for name in names if (path := folder / f"{name}.html").is_file())
        origin = origins.kept(course.root, assignment, who) or Origin()
        score = max(0.0, row.score - (row.late_submission_penalty or 0.0))
        tasks = _tasks(course.folder("autograded", who, assignment), row) if with_tasks else ()
        found.append(Returned(who, pages, origin, score, tasks))
    return found


def _tasks(autograded: Path, row: SubmittedAssignment) -> tuple[Task, ...]:
    """What became of each task, as the feedback page begins with it."""
    tasks: list[Task] = []
    for notebook in row.notebooks:
        path = autograded / f"{notebook.name}.ipynb"
        if not path.is_file():
            continue
        nb, scores = files.read(path), {grade.name: grade for grade in notebook.grades}
        for cell in nb.cells:
            marks = cell.metadata.get("nbgrader", {})
            if grade := scores.get(marks.get("grade_id")):
                marks |= {"score": grade.score, "points": grade.max_score}
        tasks += [Task(one.title, one.score, one.points, one.first) for one in rows(nb)]
    return tuple(tasks)
