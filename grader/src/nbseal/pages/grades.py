"""What nbgrader's gradebook says about a class, in as many queries for a hundred students as for
two thousand. Asked object by object, each score is a query over those of the whole class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from sqlalchemy import ColumnElement, Select, select


def submitted_notebooks(assignment: str, *columns: ColumnElement) -> Select:
    """A row for each submitted notebook: its student's id, its name, and the columns."""
    question = select(SubmittedAssignment.student_id, Notebook.name, *columns)
    return (
        question.select_from(SubmittedNotebook)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .where(SubmittedAssignment.assignment.has(name=assignment))
    )


def submitted_cells(assignment: str, of: Any, *columns: ColumnElement) -> Select:
    """A row for each Grade or Comment: student, notebook, name of the cell, and the columns."""
    question = submitted_notebooks(assignment, BaseCell.name, *columns)
    question = question.join(of, of.notebook_id == SubmittedNotebook.id)
    return question.join(BaseCell, BaseCell.id == of.cell_id)


class Given(TypedDict):
    """What the gradebook says about one submitted notebook; plain data."""

    # name of a cell -> points given, points it can give, whether a person has still to grade it
    scores: dict[str, list]
    comments: dict[str, str | None]
    score: float
    max_score: float
    late_penalty: float


def read_given(gradebook: Gradebook, assignment: str) -> dict[tuple[str, str], Given]:
    """All of an assignment, by student and name of the notebook. Raises MissingEntry for an
    assignment that the gradebook does not know."""
    most = {nb.name: nb.max_score for nb in gradebook.find_assignment(assignment).notebooks}
    found: dict[tuple[str, str], Given] = {}
    penalty = SubmittedNotebook.late_submission_penalty
    for student, name, late in gradebook.db.execute(submitted_notebooks(assignment, penalty)):
        found[student, name] = Given(
            scores={}, comments={}, score=0.0, max_score=most[name], late_penalty=late or 0
        )
    grades = submitted_cells(
        assignment, Grade, Grade.score, Grade.max_score, Grade.needs_manual_grade
    )
    for student, name, cell, score, worth, waits in gradebook.db.execute(grades):
        found[student, name]["scores"][cell] = [score, worth, bool(waits)]
    for one in found.values():
        one["score"] = sum(score or 0.0 for score, _, _ in one["scores"].values())
    comments = submitted_cells(assignment, Comment, Comment.comment)
    for student, name, cell, comment in gradebook.db.execute(comments):
        found[student, name]["comments"][cell] = comment
    return found


class GetGiven(GetGrades):
    """nbgrader's GetGrades, which opens the gradebook for each notebook, from what was read."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        ours = resources["nbgrader"]
        given = self._given = ours["given"]
        nb, resources = NbGraderPreprocessor.preprocess(self, nb, resources)
        late = given["late_penalty"]
        ours |= {"score": given["score"] - late, "max_score": given["max_score"]}
        ours["late_penalty"] = late
        return nb, resources

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, cell_index: int
    ) -> tuple[NotebookNode, Any]:
        marks = cell.metadata.get("nbgrader")
        if utils.is_solution(cell) or utils.is_task(cell):
            marks["comment"] = self._known("comments", marks["grade_id"])
        if utils.is_grade(cell) or utils.is_task(cell):
            known = self._known("scores", marks["grade_id"])
            marks["score"], marks["points"], marks["waits"] = known
        return cell, resources

    def _known(self, what: str, name: str) -> Any:
        try:
            return self._given[what][name]
        except KeyError:
            raise MissingEntry(
                f"the gradebook has no {what} of the cell {name}: autograde the student again, "
                "with --force"
            ) from None


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
    penalty: float = 0.0
    notebooks: dict[str, dict[str, Points]] = field(default_factory=dict)  # cell -> points
    raw_score: float = 0.0


def read_rows(gradebook: Gradebook, assignment: str) -> list[Row]:
    """All submissions of an assignment."""
    rows: dict[str, Row] = {}
    people = select(Student.id, Student.first_name, Student.last_name)
    people = people.join(SubmittedAssignment, SubmittedAssignment.student_id == Student.id)
    for student, *names in gradebook.db.execute(
        people.where(SubmittedAssignment.assignment.has(name=assignment))
    ):
        rows[student] = Row(student, " ".join(filter(None, names)) or student)
    penalty = SubmittedNotebook.late_submission_penalty
    for student, notebook, late in gradebook.db.execute(submitted_notebooks(assignment, penalty)):
        rows[student].notebooks[notebook] = {}
        rows[student].penalty += late or 0.0
    undecided = Grade.needs_manual_grade & Grade.manual_score.is_(None) & Grade.auto_score.is_(None)
    nothing = Grade.manual_score.is_(None) & (Grade.auto_score == 0)
    columns = Grade.score, Grade.max_score, undecided, nothing
    by_hand = {  # cells in which a student writes and a person gives points
        (notebook.name, cell.name)
        for notebook in gradebook.find_assignment(assignment).notebooks
        for cell in (*notebook.solution_cells, *notebook.task_cells)
    }
    for student, notebook, cell, score, worth, waits, no_points in gradebook.db.execute(
        submitted_cells(assignment, Grade, *columns)
    ):
        is_empty = bool(no_points) and (notebook, cell) in by_hand
        rows[student].notebooks[notebook][cell] = Points(None if waits else score, worth, is_empty)
        rows[student].raw_score += score or 0.0
    return list(rows.values())
