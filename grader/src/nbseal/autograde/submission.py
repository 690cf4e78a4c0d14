"""One submission, from the folder that was handed in to the folder of results.

*Stage* does what nbgrader does before it executes - decide whether to grade at all, sanitise the
notebooks, collect files - in memory and in a hidden folder, and hands the notebooks to the engine.
*Finish* does the rest when the results are there: grades, comments and penalties in one
transaction, then the folder is moved to where nbgrader keeps it.

The order of effects is what makes a killed run harmless: first the old result is removed, then
scores are committed, last the new folder appears. A submission whose folder is there has its
scores; any other is graded by the next run.

No exception leaves a submission, but for what is not the student's (failures.py) and
CannotBeGraded.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

from nbseal import folders
from nbseal.autograde.bench import Bench
from nbseal.autograde.failures import CannotBeGraded, logged, raise_if_it_concerns_all
from nbseal.autograde.handed_in import NO_TIME, HandedIn
from nbseal.autograde.reasons import Surprise
from nbseal.autograde.results import NotebookResult, SubmissionResult, notebook_result
from nbseal.autograde.submitted_notebook import SubmittedNotebook
from nbseal.intake.damage import Damaged
from nbseal.nbgrader_internals import NotATime, OneSubmission, results_of
from nbseal.notebook.notes import says_unreadable
from nbseal.records import GradedExecution

UNSAYABLE = "The notebook could not be graded, for a reason that cannot be written down."


class Submission:
    """What one student handed in for an assignment."""

    def __init__(self, bench: Bench, paths: list[str], assignment: str, student: str):
        """paths: of the notebooks found in its folder."""
        self._bench, self._paths = bench, sorted(paths)
        self.assignment, self.student = assignment, student
        self._converter = bench.converter
        self._folder = bench.area / uuid.uuid4().hex  # becomes the folder of results
        self._results = Path(os.path.normpath(results_of(self._converter, assignment, student)))
        self._handed_in: HandedIn | None = None
        self._notebooks: list[SubmittedNotebook] = []
        self._seconds = self._cpu_seconds = 0.0  # the writer's own
        self._started = time.monotonic()
        self._before: float | None = None  # the score that an earlier run gave

    @property
    def is_timeless(self) -> bool:
        """Whether the time when it was handed in cannot be read."""
        return self._handed_in is not None and self._handed_in.is_timeless

    @property
    def waits_for(self) -> list[Future[GradedExecution]]:
        """Executions that have to end before it can be finished."""
        found = [notebook.execution for notebook in self._notebooks]
        return [future for future in found if future is not None and not future.done()]

    # ---- Stage -----------------------------------------------------------------------------------

    def stage(self) -> bool:
        """Hand it to the engine; False if nbgrader's rules skip it. Raises CannotBeGraded if
        nothing of it can be graded."""
        began, cpu = time.monotonic(), time.thread_time()
        try:
            return self._stage()
        except Exception as error:  # whatever this submission holds, the next one is graded
            raise_if_it_concerns_all(error)
            raise CannotBeGraded(logged(error, self._bench.log)) from error
        finally:
            self._took(began, cpu)

    def _stage(self) -> bool:
        self._forget_reasons()
        mine = OneSubmission(self._converter, self._paths)
        try:
            if not mine.is_to_be_graded(self.assignment, self.student) and not (
                self._is_without_scores() and mine.is_graded_again(self.assignment, self.student)
            ):
                return False
        except NotATime:
            self._bench.log.warning(
                "%s is graded already, and whether what lies there now is newer cannot be told: "
                "%s. --force grades it again.",
                self.student,
                NO_TIME,
            )
            return False
        mine.before()
        course = self._bench.course
        if not self._converter.create_student and not course.gradebook.has_student(self.student):
            raise Damaged(f"No student with ID '{self.student}' exists in the database.")
        handed_in = HandedIn.read(self._bench, self._paths, self.assignment, self.student)
        self._handed_in = handed_in
        self._folder.mkdir()
        handed_in.collect(self._bench, self._folder)
        self._notebooks = [
            SubmittedNotebook(self._bench, handed_in, path, self._folder)
            for path in handed_in.paths
        ]
        for notebook in self._notebooks:
            notebook.stage()
        return True

    def _is_without_scores(self) -> bool:
        """Whether a submission that nbgrader would skip has no scores: the gradebook is another
        one."""
        if not self._results.exists():  # excluded
            return False
        standing = self._bench.standing
        if standing.has_scores(self.student, self._results):
            standing.look_at_tests(self.student, self._results)
            return False
        return True

    def _forget_reasons(self) -> None:
        """Remove what `_write_reason` left in an earlier run: such a notebook is tried again."""
        written = [path for path in self._results.glob("*.ipynb") if path.is_file()]
        if any(map(says_unreadable, written)):
            shutil.rmtree(self._results)

    # ---- Finish ----------------------------------------------------------------------------------

    def finish(self, sure: bool) -> SubmissionResult:
        """Write it: scores in one transaction, then its folder.

        sure: whether others could be graded; else a reason that nobody foresaw keeps nothing, and
        is raised as CannotBeGraded.
        """
        began, cpu = time.monotonic(), time.thread_time()
        handed_in = self._handed_in
        if handed_in is None:
            raise ValueError("a submission is finished after it was staged")
        try:
            for notebook in self._notebooks:
                notebook.collect()
            results, problem = self._write(handed_in, sure)
            self._appear(handed_in, problem)
        except CannotBeGraded:
            raise
        except Exception as error:
            raise_if_it_concerns_all(error)
            failure = CannotBeGraded(logged(error, self._bench.log))
            if failure.is_doubtful and not sure:
                raise failure from error
            return self.give_nothing(failure.reason)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._took(began, cpu)
        return self._result(problem, results)

    def _write(
        self, handed_in: HandedIn, sure: bool
    ) -> tuple[tuple[NotebookResult, ...], str | None]:
        gradebook = self._bench.course.gradebook
        with gradebook.submission(self.assignment, self.student, handed_in.timestamp) as rows:
            self._before = rows.before
            for notebook in self._notebooks:
                notebook.write(rows)
            for name in handed_in.missing:
                rows.notebooks[name].give_zero()
            results = tuple(notebook.result(rows) for notebook in self._notebooks)
            problem = next((one.problem for one in self._notebooks if one.problem), None)
            if isinstance(problem, Surprise) and not sure:
                raise CannotBeGraded(problem)  # leaves the transaction without keeping it
        return results, problem

    def _appear(self, handed_in: HandedIn, problem: str | None) -> None:
        """Let the submission's folder appear; of one that could not be graded, only if it says so
        in each such notebook."""
        names = [Path(path).name for path in handed_in.paths]
        if problem is not None:
            # nbgrader leaves the folder where only some notebooks were asked for
            if self._bench.course.coursedir.notebook_id != "*":
                self._results.mkdir(parents=True, exist_ok=True)
            folders.withdraw(self._results, names)
            if not all((self._folder / name).is_file() for name in names):
                return
        mine = OneSubmission(self._converter, handed_in.paths, self._folder)
        mine.set_permissions(self.assignment, self.student)
        folders.publish(self._folder, self._results, names)
        if problem is None:
            mine.after()

    # ---- Nothing ---------------------------------------------------------------------------------

    def give_nothing(self, reason: str) -> SubmissionResult:
        """Record a submission of which nothing can be graded: 0 points, the reason, a flag. Should
        even that fail, it is said on the screen, and the submission is tried again by the next
        run."""
        results: tuple[NotebookResult, ...] = ()
        for said in (reason, UNSAYABLE):
            try:
                results = self._zeros(said)
                break
            except Exception as error:
                raise_if_it_concerns_all(error)
                logged(error, self._bench.log)
        with suppress(OSError):
            folders.withdraw(self._results, [Path(path).name for path in self._paths])
        return self._result(reason, results)

    def _zeros(self, reason: str) -> tuple[NotebookResult, ...]:
        gradebook = self._bench.course.gradebook
        if not self._converter.create_student and not gradebook.has_student(self.student):
            return ()
        only = {Path(path).stem for path in self._paths}
        everything = self._bench.course.coursedir.notebook_id == "*"
        with gradebook.submission(self.assignment, self.student, None) as rows:
            self._before = rows.before
            concerned = [
                notebook
                for name, notebook in rows.notebooks.items()
                if (everything or name in only) and name not in self._bench.others
            ]
            for notebook in concerned:
                notebook.give_nothing(reason)
            return tuple(notebook_result(notebook, None, reason) for notebook in concerned)

    def _took(self, began: float, cpu: float) -> None:
        self._seconds += time.monotonic() - began
        self._cpu_seconds += time.thread_time() - cpu

    def _result(
        self, problem: str | None, notebooks: tuple[NotebookResult, ...]
    ) -> SubmissionResult:
        now = time.monotonic()
        return SubmissionResult(
            self.student,
            "failed" if problem else "graded",
            problem,
            now - self._started,
            self._seconds,
            self._cpu_seconds,
            now - self._bench.began,
            notebooks,
            self._before,
        )
