"""nbgrader preprocessors that put the engine's results where nbgrader keeps them: outputs, grades,
comments.

nbgrader_config.py lists them, so `nbgrader autograde` and Formgrader use them; `nbseal autograde`
puts them in the place of nbgrader's own in whatever list a course configures. The trusted side of
the project ends here: what a session returned is copied into a cell's outputs and nowhere else.
"""

import nbformat
from nbformat import NotebookNode
from nbgrader import preprocessors as nbgrader
from nbgrader import utils
from traitlets import Bool, Dict, List, Set, TraitError, Unicode, validate

from nbseal.autograde.execution import limits_of, run_of
from nbseal.autograde.gradebook import MissingEntry
from nbseal.autograde.sanitizing import CheckCellMetadata, OverwriteCells, OverwriteKernelspec
from nbseal.autograde.standing import TESTS, tests_digest
from nbseal.notebook import files
from nbseal.notebook.marks import is_test
from nbseal.notebook.notes import OURS, SECONDS, forget_claims, record_of
from nbseal.records import CellVerdict, GradedExecution, Limits

NOT_RUN = "This cell was not run, so it cannot earn points."


class SealedExecute(nbgrader.Execute):
    """Executes a notebook in the engine instead of a kernel: warm, confined, test cells written
    with `expect` sealed.

    `Execute.timeout` and `Execute.error_on_timeout`, `--no-execute` and the place in the list of
    preprocessors mean what they mean to nbgrader.
    """

    accept_open = Set(
        Unicode(),
        help="Boundaries around a submission that may stay open because this host cannot close them, by name: "
        "`nbseal doctor` lists them.",
    ).tag(config=True)

    course_files = List(
        Unicode(),
        help="Files and folders of the course's folder that every notebook may read, by name.",
    ).tag(config=True)

    require_full_marks = Bool(
        True,
        help="Whether the instructor's own solution must get full marks in tests without `expect`, "
        "before anyone is graded by them.",
    ).tag(config=True)

    limits = Dict(
        help="What one submission may use, by the names of nbseal.records.Limits, for example "
        "{'memory_bytes': 2 << 30, 'session_seconds': 120}. The limit for one cell is Execute.timeout."
    ).tag(config=True)

    @validate("limits")
    def _known_limits(self, proposal):
        known = set(Limits.__dataclass_fields__) - {"cell_seconds"}
        for name, value in proposal["value"].items():
            if name not in known or not isinstance(value, (int, float)) or value <= 0:
                raise TraitError(
                    f"SealedExecute.limits: {name!r}: {value!r} is not a limit; "
                    f"give positive numbers for any of {', '.join(sorted(known))}."
                )
        return proposal["value"]

    def engine_limits(self) -> Limits:
        return limits_of(self.timeout, self.limits)

    def preprocess(self, nb: NotebookNode, resources: dict, km=None):
        run = run_of(self)
        names = resources["nbgrader"]
        execution = run.prefetched.pop((names["student"], names["notebook"]), None)
        if execution is None:
            forget_claims(nb)
            folder = resources["metadata"]["path"]
            with run.executions.handed_in(names["assignment"], folder) as beside:
                execution = run.executions.submit(
                    names["assignment"],
                    names["notebook"],
                    names["student"],
                    nb,
                    beside,
                    self.engine_limits(),
                    frozenset(self.accept_open),
                    tuple(self.course_files),
                    self.require_full_marks,
                ).result()
            run.executions.write_files(execution, names["assignment"], folder)
        fill_in(nb, execution)
        resources["nbseal"] = {
            "passed": {verdict.grade_id: verdict.passed for verdict in execution.verdicts},
            "problem": execution.problem,
            "flags": list(execution.flags),
        }
        return nb, resources


def fill_in(nb: NotebookNode, execution: GradedExecution) -> None:
    """Copy outputs and verdicts, and nothing else, from an execution into the notebook that was
    executed."""
    executed = files.loads(execution.notebook_json)
    if len(executed.cells) != len(nb.cells):
        raise ValueError(
            f"the executed notebook has {len(executed.cells)} cells, {len(nb.cells)} were sent"
        )
    verdicts = {verdict.grade_id: verdict for verdict in execution.verdicts}
    for cell, result in zip(nb.cells, executed.cells):
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = result.outputs, result.execution_count
        verdict = verdicts.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if verdict is not None:
            cell.metadata[OURS] = _told(verdict)
            _tell_instructor(cell, verdict)
        elif (
            is_test(cell)
            and cell.source.strip()
            and cell.execution_count is None
            and not _failed(cell)
        ):
            cell.outputs.append(
                nbformat.v4.new_output("error", ename="NotRun", evalue=NOT_RUN, traceback=[NOT_RUN])
            )
    nb.metadata["language_info"] = NotebookNode(
        name="python", mimetype="text/x-python", file_extension=".py", pygments_lexer="ipython3"
    )
    nb.metadata[OURS] = NotebookNode(
        sealed=True, problem=execution.problem, flags=list(execution.flags)
    )
    # in a code cell, where ClearMetadataPreprocessor finds what differs from run to run
    for cell in [cell for cell in nb.cells if cell.cell_type == "code"][:1]:
        cell.metadata[SECONDS] = round(execution.seconds, 3)


def _told(verdict: CellVerdict) -> NotebookNode:
    """The part of a verdict that a student may read; feedback is made of it."""
    return NotebookNode(
        passed=verdict.passed,
        problem=verdict.problem,
        checks=[
            NotebookNode(label=check.label, ok=check.ok, mistake=check.mistake)
            for check in verdict.checks
        ],
    )


def _tell_instructor(cell: NotebookNode, verdict: CellVerdict) -> None:
    """Add what Formgrader's reader may know of failed hidden checks; feedback does not show outputs
    of sealed cells."""
    details = [
        f"  {check.label}: {check.detail}"
        for check in verdict.checks
        if not check.ok and check.hidden and check.detail
    ]
    errors = [output for output in cell.outputs if output.output_type == "error"]
    if details and errors:
        errors[-1].traceback = [*errors[-1].traceback, "", "For the instructor:", *details]


def _failed(cell: NotebookNode) -> bool:
    return any(output.output_type == "error" for output in cell.outputs)


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
        graded = resources.get("nbseal") or {}
        with run_of(self).notebook_rows(resources) as (_, rows):
            rows.withdraw_flag()
            nb.metadata.setdefault(OURS, {})[TESTS] = tests_digest(rows.source)
            repair = record_of(nb)
            if repair["unreadable"]:
                rows.give_nothing(repair["unreadable"])
                return nb, resources
            self._rows, self._passed, concerns = (
                rows,
                graded.get("passed", {}),
                list(repair["doubts"]),
            )
            for cell in nb.cells:
                if utils.is_grade(cell):
                    self._save_score(cell, concerns)
                if utils.is_solution(cell) or utils.is_task(cell):
                    self._save_comment(cell)
            self._save_missing(nb, concerns)
            if graded.get("problem"):
                concerns.append(graded["problem"])
            if concerns or graded.get("flags"):
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
        return utils.determine_grade(cell, self.log)[0]

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


class AssignLatePenalties(nbgrader.AssignLatePenalties):
    """nbgrader's, from the open gradebook."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        self.init_plugin()
        student = resources["nbgrader"]["student"]
        with run_of(self).notebook_rows(resources) as (submission, rows):
            rows.row.late_submission_penalty = None
            late = submission.total_seconds_late if submission.timestamp is not None else 0
            if late > 0:
                self.log.warning("%s is %s seconds late", student, late)
                penalty = self.plugin_inst.late_submission_penalty(student, rows.score, late)
                if penalty is not None:
                    rows.row.late_submission_penalty = self._check_late_penalty(rows, penalty)
        return nb, resources


REPLACEMENTS = {
    nbgrader.OverwriteKernelspec: OverwriteKernelspec,
    nbgrader.OverwriteCells: OverwriteCells,
    nbgrader.CheckCellMetadata: CheckCellMetadata,
    nbgrader.Execute: SealedExecute,
    nbgrader.SaveAutoGrades: SaveAutoGrades,
    nbgrader.AssignLatePenalties: AssignLatePenalties,
}
