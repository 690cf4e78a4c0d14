"""nbgrader preprocessors that give scores, comments and late penalties, by what the engine
found."""

import logging

from nbformat import NotebookNode
from nbgrader import preprocessors as nbgrader
from nbgrader import utils
from traitlets import Bool

from nbseal.autograde.context import context_of
from nbseal.autograde.gradebook import MissingEntry
from nbseal.autograde.standing import TESTS
from nbseal.nbgrader_internals import checked_penalty
from nbseal.notebook.notes import OURS, record_of


class SaveAutoGrades(nbgrader.SaveAutoGrades):
    """nbgrader's, with all of a notebook's rows at hand, and with verdicts where the engine gave
    one.

    Differences, each because a score was wrong: text on stderr (a warning, a progress bar) costs
    nothing unless
    `stderr_costs_points` is set; a graded cell that the submission no longer has is given 0 instead
    of keeping the
    score of an earlier run; partial credit above a cell's points is given 0 and a flag instead of
    stopping the submission.
    """

    stderr_costs_points = Bool(
        False,
        help="Whether anything a test cell writes to stderr fails it, as it does under nbgrader.",
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict):
        context = context_of(resources)
        graded = context.execution
        with context.notebook_rows(resources) as (_, rows):
            rows.withdraw_flag()
            sources, assignment = context.course.sources, resources["nbgrader"]["assignment"]
            nb.metadata.setdefault(OURS, {})[TESTS] = sources.tests_digest(assignment, rows.source)
            repair = record_of(nb)
            if repair["unreadable"]:
                rows.give_nothing(repair["unreadable"])
                return nb, resources
            self._rows, self._said = rows, context.course.said
            concerns = list(repair["doubts"])
            verdicts = graded.verdicts if graded else ()
            self._passed = {verdict.grade_id: verdict.passed for verdict in verdicts}
            for cell in nb.cells:
                if utils.is_grade(cell):
                    self._save_score(cell, concerns)
                if utils.is_solution(cell) or utils.is_task(cell):
                    self._save_comment(cell)
            self._save_missing(nb, concerns)
            if graded and graded.problem:
                concerns.append(graded.problem)
            if concerns or (graded and graded.flags):
                # An instructor's flags may tell what a test looks for; a comment is also read by
                # the student.
                rows.ask_for_a_look(" ".join(concerns) or "see the report of this run.")
        return nb, resources

    def _save_score(self, cell: NotebookNode, concerns: list[str]) -> None:
        grade_id = cell.metadata.nbgrader["grade_id"]
        grade = self._row(self._rows.grades, grade_id)
        try:
            grade.auto_score = self._points(cell, grade_id)
        except (ValueError, KeyError) as error:
            grade.auto_score = 0
            concerns.append(f"{grade_id}: {error.args[0] if error.args else error}.")
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None

    def _points(self, cell: NotebookNode, grade_id: str) -> float | None:
        if grade_id in self._passed:
            return float(cell.metadata.nbgrader["points"]) if self._passed[grade_id] else 0
        if cell.cell_type == "code" and not self.stderr_costs_points:
            cell = NotebookNode(
                cell, outputs=[out for out in cell.outputs if out.get("name") != "stderr"]
            )
        name = f"{self._rows.source.name}/{grade_id}"
        return utils.determine_grade(cell, _OnceForACell(self.log, name, self._said))[0]

    def _save_comment(self, cell: NotebookNode) -> None:
        untouched = not utils.is_task(cell) and cell.metadata.nbgrader.get(
            "checksum"
        ) == utils.compute_checksum(cell)
        self._row(self._rows.comments, cell.metadata.nbgrader["grade_id"]).auto_comment = (
            "No response." if untouched else None
        )

    def _save_missing(self, nb: NotebookNode, concerns: list[str]) -> None:
        present = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in nb.cells}
        for name in sorted(set(self._rows.grades) - present):
            grade = self._rows.grades[name]
            grade.auto_score, grade.needs_manual_grade = 0, True
            concerns.append(f"The cell {name} is missing from the notebook.")

    def _row(self, rows: dict, grade_id: str):
        if grade_id not in rows:
            raise MissingEntry(f"{grade_id} is not a graded cell of {self._rows.source.name}")
        return rows[grade_id]


class _OnceForACell:
    """A log for nbgrader, which warns of an instructor's test that ends in a value which is no
    number of points, in five lines, and again for every student."""

    def __init__(self, log: logging.Logger, cell: str, said: set[str]):
        """said: names of the cells that a warning was given of; this one is added."""
        self._log, self._cell, self._said = log, cell, said

    def warning(self, text: str) -> None:
        if self._cell not in self._said:
            self._said.add(self._cell)
            self._log.warning("%s: %s", self._cell, " ".join(text.split()))


class AssignLatePenalties(nbgrader.AssignLatePenalties):
    """nbgrader's, from the open gradebook."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        self.init_plugin()
        student = resources["nbgrader"]["student"]
        with context_of(resources).notebook_rows(resources) as (submission, rows):
            rows.row.late_submission_penalty = None
            late = submission.total_seconds_late if submission.timestamp is not None else 0
            if late > 0:
                self.log.warning("%s is %s seconds late", student, late)
                penalty = self.plugin_inst.late_submission_penalty(student, rows.score, late)
                if penalty is not None:
                    rows.row.late_submission_penalty = checked_penalty(self, rows, penalty)
        return nb, resources
