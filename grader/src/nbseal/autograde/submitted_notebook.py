"""One notebook of a submission, between its file and the submission's folder of results."""

from __future__ import annotations

import copy
from concurrent.futures import Future
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbseal import folders
from nbseal.autograde.bench import Bench
from nbseal.autograde.context import GradingContext
from nbseal.autograde.failures import logged, raise_if_it_concerns_all
from nbseal.autograde.gradebook import SubmissionRows
from nbseal.autograde.handed_in import HandedIn
from nbseal.autograde.results import NotebookResult, notebook_result
from nbseal.autograde.sanitizing import TrustOnlySource
from nbseal.intake.repair.skeleton import skeleton_of
from nbseal.intake.repair.submission import unreadable
from nbseal.notebook import files
from nbseal.notebook.notes import add_doubts, record_of
from nbseal.records import GradedExecution


class SubmittedNotebook:
    """A notebook on its way: sanitised, perhaps with the engine, or the reason why it cannot be
    graded, which is kept in `problem` until its grades are written."""

    def __init__(self, bench: Bench, handed_in: HandedIn, path: str, folder: Path):
        """path: what it should be called; folder: of the submission's results."""
        self._bench, self._handed_in, self._path, self._folder = bench, handed_in, path, folder
        self.name = Path(path).stem
        self.problem: str | None = None
        self.execution: Future[GradedExecution] | None = None
        self._context = GradingContext(bench.course)
        self._nb: NotebookNode | None = None
        self._resources: dict = {}
        self._repair: dict | None = None
        self._shares: tuple | None = None  # by what other members of a team find its execution

    def stage(self) -> None:
        """Sanitise it and hand it to the engine."""
        try:
            self._send(self._sanitized())
        except Exception as error:
            self._fail(error)

    def _sanitized(self) -> NotebookNode:
        chain, course, file = (
            self._bench.chain,
            self._bench.course,
            self._handed_in.file_of(self._path),
        )
        assignment = self._handed_in.assignment
        runs = chain.execute is not None and chain.execute.enabled
        nb = course.repairs.open(file, assignment, self.name, outputs=not runs)
        add_doubts(nb, self._handed_in.doubts)
        self._repair = record_of(nb)
        resources = chain.resources(self._path, file.parent, file, GradingContext(course))
        nb, _ = chain.apply([TrustOnlySource, *chain.sanitizing], nb, resources)
        nbformat.validate(nb, relax_add_props=True)
        return nb

    def _send(self, nb: NotebookNode) -> None:
        chain, file = self._bench.chain, self._handed_in.file_of(self._path)
        resources = chain.resources(self._path, self._folder, file, self._context)
        self._nb, self._resources = chain.apply(chain.before, nb, resources)
        execute = chain.execute
        if execute is not None and execute.enabled:
            same = self._handed_in.same_for_team
            self._shares = (*same, self.name) if same else None
            self.execution = self._bench.shared.get(self._shares or ())
            if self.execution is None:
                self.execution = self._bench.course.executions.submit(
                    self._resources["nbgrader"], self._nb, self._folder, execute.settings()
                )
            if self._shares is not None:
                self._bench.shared[self._shares] = self.execution

    def collect(self) -> None:
        """Take its result over from the engine, for SealedExecute to find, and what its session
        wrote."""
        if self.execution is None:
            return
        try:
            execution = self.execution.result()
            if self._shares is not None:  # each member's notebook is changed by itself
                execution = copy.deepcopy(execution)
            executions, assignment = self._bench.course.executions, self._handed_in.assignment
            left_out = executions.write_files(execution, assignment, self._folder)
            if left_out:
                self._bench.log.info("Left out of what a session wrote: %r", left_out[:10])
            self._context.execution = execution
        except Exception as error:
            self._fail(error)

    def write(self, rows: SubmissionRows) -> None:
        """Grade it, once it has run, and put it into the submission's folder; 0 points if that
        cannot be done."""
        chain = self._bench.chain
        try:
            if self.problem is None and self._nb is not None:
                self._context.rows = rows
                nb, resources = chain.apply(chain.from_execute_on, self._nb, self._resources)
                chain.write(files.by_cell(nb), resources, self._folder)
        except Exception as error:
            self._fail(error)
        finally:
            self._nb = None  # large, and not needed any more
        if self.problem is not None:
            rows.notebooks[self.name].give_nothing(self.problem)
            self._write_reason(self.problem)

    def _write_reason(self, problem: str) -> None:
        """In the place of a notebook that could not be graded, the released one: its student reads
        the reason in the feedback."""
        coursedir = self._bench.course.coursedir
        skeleton = skeleton_of(coursedir, self._handed_in.assignment, self.name)
        if skeleton is not None:
            path = self._folder / f"{self.name}.ipynb"
            folders.remove(path)
            path.write_text(files.by_cell(unreadable(skeleton, problem)), encoding="utf-8")

    def result(self, rows: SubmissionRows) -> NotebookResult:
        """What the gradebook is about to keep of it."""
        return notebook_result(
            rows.notebooks[self.name], self._context.execution, self.problem, self._repair
        )

    def _fail(self, error: Exception) -> None:
        raise_if_it_concerns_all(error)
        self.problem = logged(error, self._bench.log)
