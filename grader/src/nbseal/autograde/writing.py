"""The nbgrader preprocessor that puts what the engine returned where nbgrader keeps it; the scores
are in scoring.py.

nbgrader_config.py lists them, so `nbgrader autograde` and Formgrader use them; `nbseal autograde`
puts them in the place of nbgrader's own in whatever list a course configures. The trusted side of
the project ends here: what a session returned is copied into a cell's outputs and nowhere else.
"""

import nbformat
from nbformat import NotebookNode
from nbgrader import preprocessors as nbgrader
from traitlets import Bool, Dict, List, Set, TraitError, Unicode, validate

from nbseal.autograde.context import context_of
from nbseal.autograde.engines import EngineSettings, limits_of
from nbseal.autograde.execution import Executions
from nbseal.autograde.sanitizing import CheckCellMetadata, OverwriteCells, OverwriteKernelspec
from nbseal.autograde.scoring import AssignLatePenalties, SaveAutoGrades
from nbseal.engine.outputs import LANGUAGE
from nbseal.notebook.marks import grade_id, is_test
from nbseal.notebook.notes import OURS, SECONDS, forget_claims, note_verdict
from nbseal.records import CellOutputs, CellVerdict, GradedExecution, Limits

NOT_RUN = "This cell was not run, so it cannot earn points."


class SealedExecute(nbgrader.Execute):
    """Executes a notebook in the engine instead of a kernel: warm, confined, test cells written
    with `expect` sealed.

    `Execute.timeout` and `Execute.error_on_timeout`, `--no-execute` and the place in the list of
    preprocessors mean what they mean to nbgrader.
    """

    accept_open = Set(
        Unicode(),
        help="Boundaries around a submission that may stay open because this host cannot close "
        "them, by name: `nbseal doctor` lists them.",
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
        "{'memory_bytes': 2 << 30, 'session_seconds': 120}. The limit for one cell is "
        "Execute.timeout."
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

    cluster = Unicode(
        help="The address of a Dask cluster's scheduler, such as tls://host:8786, to send "
        "submissions to. Its machines need nbseal, and no folder of this one."
    ).tag(config=True)

    def settings(self) -> EngineSettings:
        """What is configured."""
        return EngineSettings(
            limits_of(self.timeout, self.limits),
            frozenset(self.accept_open),
            tuple(self.course_files),
            self.require_full_marks,
            self.cluster or None,
        )

    def preprocess(self, nb: NotebookNode, resources: dict, km=None):
        context = context_of(resources)
        if context.execution is None:
            context.execution = self._execute(nb, resources, context.course.executions)
        fill_in(nb, context.execution)
        return nb, resources

    def _execute(
        self, nb: NotebookNode, resources: dict, executions: Executions
    ) -> GradedExecution:
        """Under nbgrader's own command, which writes and reads in the folder of results."""
        forget_claims(nb)
        names, folder = resources["nbgrader"], resources["metadata"]["path"]
        with executions.handed_in(names["assignment"], folder) as beside:
            execution = executions.submit(names, nb, beside, self.settings()).result()
        executions.write_files(execution, names["assignment"], folder)
        return execution


def fill_in(nb: NotebookNode, execution: GradedExecution) -> None:
    """Put outputs and verdicts, and nothing else of an execution, into the notebook that was
    executed."""
    verdicts = {verdict.grade_id: verdict for verdict in execution.verdicts}
    for index, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            continue
        shown = execution.cells.get(index, CellOutputs([]))
        cell.outputs, cell.execution_count = shown.outputs, shown.execution_count
        verdict = verdicts.get(grade_id(cell) or "")
        if verdict is not None:
            note_verdict(cell, verdict)
            _tell_instructor(cell, verdict)
        elif is_test(cell) and cell.source.strip() and not _has_run(cell):
            cell.outputs.append(
                nbformat.v4.new_output("error", ename="NotRun", evalue=NOT_RUN, traceback=[NOT_RUN])
            )
    nb.metadata["language_info"] = NotebookNode(LANGUAGE)
    nb.metadata[OURS] = NotebookNode(
        sealed=True,
        repeated=execution.repeated,
        problem=execution.problem,
        flags=list(execution.flags),
    )
    # in a code cell, where ClearMetadataPreprocessor finds what differs from run to run
    for cell in [cell for cell in nb.cells if cell.cell_type == "code"][:1]:
        cell.metadata[SECONDS] = round(execution.seconds, 3)


def _has_run(cell: NotebookNode) -> bool:
    return cell.execution_count is not None or any(
        output.output_type == "error" for output in cell.outputs
    )


def _tell_instructor(cell: NotebookNode, verdict: CellVerdict) -> None:
    """Add what Formgrader's reader may know of failed hidden checks; feedback does not show outputs
    of sealed cells."""
    details = [
        f"  {check.label}: {check.detail}"
        for check in verdict.failed
        if check.hidden and check.detail
    ]
    errors = [output for output in cell.outputs if output.output_type == "error"]
    if details and errors:
        errors[-1].traceback = [*errors[-1].traceback, "", "For the instructor:", *details]


REPLACEMENTS = {
    nbgrader.OverwriteKernelspec: OverwriteKernelspec,
    nbgrader.OverwriteCells: OverwriteCells,
    nbgrader.CheckCellMetadata: CheckCellMetadata,
    nbgrader.Execute: SealedExecute,
    nbgrader.SaveAutoGrades: SaveAutoGrades,
    nbgrader.AssignLatePenalties: AssignLatePenalties,
}
