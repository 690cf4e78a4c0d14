"""Scores and comments for feedback: read for a whole class in a few queries, and put into notebooks
as nbgrader's own preprocessor does, which opens the gradebook anew for each."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, TypedDict

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import BaseCell, Comment, Grade, Gradebook, MissingEntry, SubmittedNotebook
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor

from nbseal.pages.submitted import submitted_notebooks


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
    cell = BaseCell.name
    waits = Grade.needs_manual_grade
    graded = submitted_notebooks(assignment, cell, Grade.score, Grade.max_score, waits)
    graded = graded.join(Grade, Grade.notebook_id == SubmittedNotebook.id)
    points = defaultdict(list)
    for student, name, of, score, worth, waiting in gradebook.db.execute(
        graded.join(BaseCell, BaseCell.id == Grade.cell_id)
    ):
        found[student, name]["scores"][of] = [score, worth, bool(waiting)]
        points[student, name].append(score or 0.0)
    commented = submitted_notebooks(assignment, cell, Comment.comment)
    commented = commented.join(Comment, Comment.notebook_id == SubmittedNotebook.id)
    for student, name, of, comment in gradebook.db.execute(
        commented.join(BaseCell, BaseCell.id == Comment.cell_id)
    ):
        found[student, name]["comments"][of] = comment
    for place, values in points.items():
        found[place]["score"] = sum(values)
    return found


class GetGiven(GetGrades):
    """nbgrader's GetGrades, from what was read already."""

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
