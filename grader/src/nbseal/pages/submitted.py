"""Questions to nbgrader's gradebook about all submissions of an assignment at once. Asked object by
object, each score is a query of its own, over the scores of the whole class."""

from nbgrader.api import Notebook, SubmittedAssignment, SubmittedNotebook
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
