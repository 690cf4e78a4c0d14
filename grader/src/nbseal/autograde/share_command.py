"""`nbseal share`: what was given by hand to one of a team, for all of it."""

from __future__ import annotations

from typing import Annotated

import typer

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.lms import origins
from nbseal.lms.roster import has_gradebook
from nbseal.notebook.text import some_of

BY_HAND = ("manual_score", "extra_credit", "needs_manual_grade")


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    student: Annotated[str, typer.Argument(help="Who of the team was graded by hand.")],
) -> None:
    """Give points, extra credit and comments that one of a team got by hand to the others."""
    course: Course = context.obj
    others = _others(course, assignment, student)
    from nbgrader.api import Gradebook, MissingEntry  # takes a second to import

    if not has_gradebook(course.coursedir):
        raise CourseError(f"there is no gradebook yet: `nbseal autograde {assignment}` first.")
    with Gradebook(course.coursedir.db_url, course.coursedir.course_id) as gradebook:
        try:
            given = gradebook.find_submission(assignment, student)
            rows = {other: gradebook.find_submission(assignment, other) for other in others}
        except MissingEntry as error:
            raise CourseError(
                f"not all of {student}'s team are graded ({error}): grade them first."
            ) from None
        for row in rows.values():
            _copy(given, row)
        gradebook.db.commit()
        print(f"{some_of(rows)}: {given.score:g} points, as {student}.")


def _others(course: Course, assignment: str, student: str) -> list[str]:
    """Everybody else whose submission is the team's. Raises CourseError where nobody is."""
    team = origins.team_of(course.root, assignment, student)
    kept = {who: origins.kept(course.root, assignment, who) for who in team if who != student}
    others = [who for who, origin in kept.items() if origin is not None and origin.team == team]
    if not others:
        raise CourseError(
            f"{student} handed in {assignment} with nobody, as far as `nbseal collect` was told."
        )
    return others


def _copy(given, row) -> None:
    """What was given by hand in one submission, into another."""
    notebooks = {notebook.name: notebook for notebook in row.notebooks}
    for notebook in given.notebooks:
        other = notebooks[notebook.name]
        grades = {grade.name: grade for grade in other.grades}
        for grade in notebook.grades:
            for name in BY_HAND:
                setattr(grades[grade.name], name, getattr(grade, name))
        comments = {comment.name: comment for comment in other.comments}
        for comment in notebook.comments:
            comments[comment.name].manual_comment = comment.manual_comment
