"""Grades as learning management systems read them: nbgrader export plug-ins for CSV files.

    nbgrader export --exporter=nbseal.pages.exports.CanvasExport --to=grades_canvas.csv
    --assignment="['02_layer_norm']"

`nbseal report` writes all three. Scores are those of nbgrader's own export: points less the late
penalty, never below 0. Students without a submission have 0 in nbgrader's table, as in its own, and
a blank in Canvas's and Moodle's, where 0 would be a grade that somebody gave.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.plugins import ExportPlugin
from sqlalchemy import func, select

# what makes a spreadsheet compute a cell instead of showing it
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Line:
    """One student's result in one assignment, as the gradebook has it."""

    student: Student
    assignment: Assignment
    timestamp: object = None
    raw_score: float = 0.0
    penalty: float = 0.0
    is_handed_in: bool = False

    @property
    def score(self) -> float:
        return max(0.0, self.raw_score - self.penalty)

    @property
    def grade(self) -> float | None:
        """The score; None where nothing was handed in."""
        return None if not self.is_handed_in else self.score


class TableExport(ExportPlugin):
    """What the three formats share: choosing assignments and students, and writing a CSV file that
    quotes what it must."""

    default_name = "grades.csv"

    def export(self, gradebook: Gradebook) -> None:
        """Write the file that `--to` names."""
        path = Path(self.to or self.default_name)
        self.log.info("Exporting grades to %s", path)
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [_shown(value) for value in row] for row in self.rows(gradebook)
            )

    def rows(self, gradebook: Gradebook) -> Iterator[list]:
        """The rows of the table, headings first."""
        raise NotImplementedError

    def assignments(self, gradebook: Gradebook) -> list[Assignment]:
        wanted = {str(name) for name in self.assignment}
        return [
            assignment
            for assignment in gradebook.assignments
            if not wanted or assignment.name in wanted
        ]

    def lines(self, gradebook: Gradebook) -> list[list[Line]]:
        """For every student, by id, a line for each assignment."""
        wanted = {str(name) for name in self.student}
        students = sorted(
            (student for student in gradebook.students if not wanted or student.id in wanted),
            key=lambda one: one.id,
        )
        chosen = self.assignments(gradebook)
        handed_in = _handed_in(gradebook, chosen)
        nothing: tuple = (None, 0.0, 0.0, False)
        return [
            [Line(student, item, *handed_in.get((student.id, item.id), nothing)) for item in chosen]
            for student in students
        ]


def _handed_in(gradebook: Gradebook, chosen: list[Assignment]) -> dict[tuple, tuple]:
    """(Student, assignment), by ids -> when it was handed in, score, late penalty, that it was."""
    submission = SubmittedAssignment
    columns = (submission.student_id, submission.assignment_id, submission.timestamp)
    penalties = func.sum(SubmittedNotebook.late_submission_penalty)
    scores = func.sum(Grade.score)
    late, points = (
        select(*columns, func.coalesce(values, 0.0))
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == submission.id, isouter=True)
        .where(submission.assignment_id.in_([item.id for item in chosen]))
        .group_by(submission.id)
        for values in (penalties, scores)
    )
    points = points.join(Grade, Grade.notebook_id == SubmittedNotebook.id, isouter=True)
    found = {(who, what): (when, score) for who, what, when, score in gradebook.db.execute(points)}
    return {
        (who, what): (*found[who, what], penalty, True)
        for who, what, _, penalty in gradebook.db.execute(late)
    }


class NbgraderExport(TableExport):
    """nbgrader's own columns. Its own plug-in does not quote: a name with a comma in it moves the
    scores by a column."""

    def rows(self, gradebook: Gradebook) -> Iterator[list]:
        yield [
            "assignment",
            "duedate",
            "timestamp",
            "student_id",
            "last_name",
            "first_name",
            "email",
            "raw_score",
            "late_submission_penalty",
            "score",
            "max_score",
        ]
        # as nbgrader's: all students of an assignment, then the next
        by_assignment = zip(*self.lines(gradebook))
        for line in (line for lines in by_assignment for line in lines):
            who, what = line.student, line.assignment
            yield [
                what.name,
                what.duedate,
                line.timestamp,
                _Identifier(who.id),
                who.last_name,
                who.first_name,
                who.email,
                line.raw_score,
                line.penalty,
                line.score,
                what.max_score,
            ]


class CanvasExport(TableExport):
    """For Canvas, Grades > Import: a column for each assignment, points possible in the second row.

    Canvas finds students by its own ID (nbgrader's lms_user_id), else by login ID (nbgrader's
    student id).
    """

    default_name = "grades_canvas.csv"

    def rows(self, gradebook: Gradebook) -> Iterator[list]:
        assignments = self.assignments(gradebook)
        yield [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Section",
            *(item.name for item in assignments),
        ]
        yield ["    Points Possible", "", "", "", "", *(item.max_score for item in assignments)]
        for lines in self.lines(gradebook):
            who = lines[0].student
            name = ", ".join(part for part in (who.last_name, who.first_name) if part) or who.id
            yield [
                name,
                _Identifier(who.lms_user_id or ""),
                "",
                _Identifier(who.id),
                "",
                *(line.grade for line in lines),
            ]


class MoodleExport(TableExport):
    """For Moodle, Grades > Import > CSV file: the columns of Moodle's own export. Map ID number, or
    email address, to the user."""

    default_name = "grades_moodle.csv"

    def rows(self, gradebook: Gradebook) -> Iterator[list]:
        items = [f"Assignment: {item.name} (Real)" for item in self.assignments(gradebook)]
        yield [
            "First name",
            "Last name",
            "ID number",
            "Institution",
            "Department",
            "Email address",
            *items,
        ]
        for lines in self.lines(gradebook):
            who = lines[0].student
            number = _Identifier(who.lms_user_id or who.id)
            yield [
                who.first_name,
                who.last_name,
                number,
                "",
                "",
                who.email,
                *(line.grade for line in lines),
            ]


class _Identifier(str):
    """Text that a system looks a student up by: written as it is."""


def _shown(value: object) -> object:
    """A cell's value; text that a spreadsheet would take for a formula is marked as text."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, _Identifier) and value.startswith(FORMULA):
        return f"'{value}"
    return value


FORMATS: dict[str, type[TableExport]] = {
    kind.default_name: kind for kind in (NbgraderExport, CanvasExport, MoodleExport)
}
