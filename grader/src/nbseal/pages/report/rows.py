"""What nbgrader's gradebook says about a class, in as many queries for a hundred students as for
two thousand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from nbgrader.api import BaseCell, Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select

from nbseal.pages.grades import submitted_notebooks


@dataclass(frozen=True)
class Points:
    """What one graded cell gave; None where a person has yet to say."""

    given: float | None
    worth: float
    is_empty: bool = False  # a person would have to give it, but nothing was handed in for it

    @property
    def is_lost(self) -> bool:
        return self.given is not None and self.given < self.worth


@dataclass
class Row:
    """One student's submission."""

    student: str
    name: str  # first and last name, or the student's id
    timestamp: datetime | None
    penalty: float = 0.0
    notebooks: dict[str, dict[str, Points]] = field(default_factory=dict)  # cell -> points
    raw_score: float = 0.0


def read_rows(gradebook: Gradebook, assignment: str) -> list[Row]:
    """All submissions of an assignment."""
    rows: dict[str, Row] = {}
    people = select(
        Student.id, Student.first_name, Student.last_name, SubmittedAssignment.timestamp
    ).join(SubmittedAssignment, SubmittedAssignment.student_id == Student.id)
    for student, first, last, timestamp in gradebook.db.execute(
        people.where(SubmittedAssignment.assignment.has(name=assignment))
    ):
        name = " ".join(filter(None, (first, last))) or student
        rows[student] = Row(student, name, timestamp)
    penalty = SubmittedNotebook.late_submission_penalty
    for student, notebook, late in gradebook.db.execute(submitted_notebooks(assignment, penalty)):
        rows[student].notebooks[notebook] = {}
        rows[student].penalty += late or 0.0
    undecided = Grade.needs_manual_grade & Grade.manual_score.is_(None) & Grade.auto_score.is_(None)
    nothing = Grade.manual_score.is_(None) & (Grade.auto_score == 0)
    grades = submitted_notebooks(
        assignment, BaseCell.name, Grade.score, Grade.max_score, undecided, nothing
    )
    grades = grades.join(Grade, Grade.notebook_id == SubmittedNotebook.id)
    by_hand = _by_hand(gradebook, assignment)
    for student, notebook, cell, score, worth, waits, no_points in gradebook.db.execute(
        grades.join(BaseCell, BaseCell.id == Grade.cell_id)
    ):
        is_empty = bool(no_points) and (notebook, cell) in by_hand
        rows[student].notebooks[notebook][cell] = Points(None if waits else score, worth, is_empty)
        rows[student].raw_score += score or 0.0
    return list(rows.values())


def _by_hand(gradebook: Gradebook, assignment: str) -> set[tuple[str, str]]:
    """Notebook and name of the cells in which a student writes and a person gives points."""
    return {
        (notebook.name, cell.name)
        for notebook in gradebook.find_assignment(assignment).notebooks
        for cell in (*notebook.solution_cells, *notebook.task_cells)
    }
