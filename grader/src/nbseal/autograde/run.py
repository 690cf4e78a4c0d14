"""nbgrader's Autograde, with executions running ahead of the writer.

A submission goes through two steps. *Stage* does what nbgrader does before it executes - decide
whether to grade at all, sanitise the notebooks, collect files - in memory and in a hidden folder,
and hands the notebooks to the engine. *Finish* does the rest when the results are there: grades,
comments and penalties in one transaction, then the folder is moved to where nbgrader keeps it. A
few submissions are always staged ahead, and they finish in any order.

The order of effects is what makes a killed run harmless: first the old result is removed, then
scores are committed, last the new folder appears. A submission whose folder is there has its
scores; any other is graded by the next run.
"""

import os
import shutil
import time
import traceback
import uuid
from concurrent.futures import FIRST_COMPLETED, wait
from datetime import datetime
from pathlib import Path

import nbformat
import sqlalchemy
from nbgrader import converters
from nbgrader.converters import NbGraderException
from traitlets import Instance, Integer

from nbseal import folders
from nbseal.autograde.chain import Chain
from nbseal.autograde.execution import Executions, Run
from nbseal.autograde.gradebook import MissingEntry, OpenGradebook, SubmissionRows
from nbseal.autograde.reasons import Surprise, reason_of
from nbseal.autograde.results import Observer, SubmissionResult, notebook_result
from nbseal.autograde.sanitizing import TrustOnlySource
from nbseal.autograde.standing import Standing
from nbseal.autograde.submission import Staged, StagedNotebook
from nbseal.errors import CourseError
from nbseal.intake.damage import Damaged
from nbseal.intake.repair.skeleton import skeleton_of
from nbseal.intake.repair.submission import repaired, unreadable
from nbseal.notebook import files
from nbseal.notebook.notes import add_doubts, record_of, says_unreadable
from nbseal.records import GradedExecution

NO_TIME = "the time in timestamp.txt is not a time"

# What is wrong with the course or its database concerns every submission: it ends the run, and
# costs nobody a point.
NOT_THE_STUDENT = (sqlalchemy.exc.OperationalError, CourseError)

# So many submissions with an error that nobody foresaw, and none without, are not the students'
# doing.
TOO_MANY_SURPRISES = 3


class _Doubtful(Exception):
    """Leaves a submission's transaction without keeping it."""


class ParallelAutograde(converters.Autograde):
    """`nbgrader autograde` on several workers. Everything configured for Autograde and
    BaseConverter applies.

    Notebooks of one submission run beside each other, so one does not find files that another has
    written; hooks of
    submissions that are staged ahead run before those of submissions that are not finished.
    """

    workers = Integer(
        min=1,
        help="How many submissions are executed at the same time; the number of processors if not given.",
    ).tag(config=True)
    observer = Instance(Observer, args=())

    def _workers_default(self) -> int:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )

    # ---- The run ---------------------------------------------------------------------------------

    def convert_notebooks(self) -> None:
        """Grade every submission that init_notebooks has found. Raises NbGraderException if some
        could not be graded."""
        self._began = time.monotonic()
        self._failed: list[str] = []
        self._timeless: list[str] = []  # students whose time of submission cannot be read
        # what a notebook should be called -> the only file that can be it
        self._renamed: dict[str, str] = {}
        self._graded = 0
        # (assignment, student, reason), not recorded yet
        self._doubtful: list[tuple[str, str, str]] = []
        # where nbgrader's methods are to write, while a submission is being made
        self._destination: Path | None = None
        self._chain = Chain(self)
        results = Path(
            os.path.normpath(self.coursedir.format_path(self._output_directory, ".", "."))
        )
        with (
            OpenGradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook,
            folders.staging_area(results) as self._area,
        ):
            self._check_assignment(gradebook)
            self._standing = Standing(gradebook, self.coursedir.assignment_id)
            self.run = Run(
                self.coursedir, Executions(self.coursedir, gradebook, workers=self.workers)
            )
            self._others = self.run.executions.other_languages(self.coursedir.assignment_id)
            self.observer.expects(len(self.assignments))
            try:
                self._grade_all()
            except sqlalchemy.exc.OperationalError as error:
                self._fail(
                    f"The gradebook {self.coursedir.db_url} could not be read or written ({error.orig}). If nbgrader "
                    "was upgraded lately, back the gradebook up and run `nbgrader db upgrade`; otherwise run the "
                    "same command again."
                )
            except CourseError as error:
                self._fail(str(error))
            finally:
                self.run.executions.close()
        for sentence in (*self._others.values(), *self._standing.news()):
            self.log.warning("%s", sentence)
        if self._timeless:
            self.log.error(
                "%s: %s. They are graded as if in time, and flagged; mend the file and grade them with --force, or delete it.",
                ", ".join(self._timeless),
                NO_TIME,
            )
        if self._failed:
            self._fail(
                f"{len(self._failed)} of {len(self.assignments)} submissions could not be graded: "
                f"{', '.join(self._failed)}. They have 0 points and a flag; the same command tries them again."
            )
        if self._timeless:
            # graded all the same, but not as a timestamp would have it: not a clean run
            raise NbGraderException(NO_TIME)

    def _fail(self, message: str) -> None:
        self.log.error(message)
        raise NbGraderException(message)

    def _check_assignment(self, gradebook: OpenGradebook) -> None:
        assignment = self.coursedir.assignment_id
        try:
            gradebook.source(assignment)
        except MissingEntry:
            self._fail(
                f"No assignment with ID '{assignment}' exists in the database: "
                f"run `nbgrader generate_assignment {assignment}` first."
            )

    def _grade_all(self) -> None:
        """Keep a few submissions with the engine, and finish whichever is ready."""
        ahead: list[Staged] = []
        for path in sorted(self.assignments):
            staged = self._begin(path)
            if staged is not None:
                ahead.append(staged)
            while len(ahead) > 2 * self.workers + 2 or any(one.is_ready for one in ahead):
                self._finish_one_of(ahead)
        while ahead:
            self._finish_one_of(ahead)
        if len(self._doubtful) >= TOO_MANY_SURPRISES:
            raise CourseError(
                f"none of the submissions can be graded, the first because: {self._doubtful[0][2]} That is no "
                "student's fault, and no score was changed: --debug shows where it happens."
            )
        self._settle_doubts(graded=True)

    def _finish_one_of(self, ahead: list[Staged]) -> None:
        while not (ready := [one for one in ahead if one.is_ready]):
            executions = [
                notebook.execution
                for one in ahead
                for notebook in one.notebooks
                if notebook.execution
            ]
            wait(
                [future for future in executions if not future.done()], return_when=FIRST_COMPLETED
            )
        ahead.remove(ready[0])
        self._finish(ready[0])

    # ---- Stage -----------------------------------------------------------------------------------

    def _begin(self, path: str) -> Staged | None:
        """Stage one submission; None if nbgrader's rules skip it, or if nothing of it can be
        graded."""
        self.notebooks = sorted(self.assignments[path])
        names = self.init_single_notebook_resources(self.notebooks[0])["nbgrader"]
        assignment, student = names["assignment"], names["student"]
        try:
            self._forget_reasons(assignment, student)
            if not self._is_to_be_graded(assignment, student):
                self.observer.skipped(student)
                return None
            self.run_pre_convert_hook()
            return self._stage(assignment, student)
        except NOT_THE_STUDENT:
            raise
        except Exception as error:  # whatever this submission holds, the next one is graded
            reason = self._reason(error)
            if isinstance(reason, Surprise) and not self._graded:
                self._doubtful.append((assignment, student, reason))
            else:
                self._give_nothing(assignment, student, reason)
            return None

    def _is_to_be_graded(self, assignment: str, student: str) -> bool:
        try:
            if self.init_destination(assignment, student):
                return True
            return self._is_to_be_graded_again(assignment, student)
        # how CourseDirectory says that a time cannot be read: it calls a method it does not have
        except AttributeError:
            self.log.warning(
                "%s is graded already, and whether what lies there now is newer cannot be told: %s. --force grades it again.",
                student,
                NO_TIME,
            )
            return False

    def _is_to_be_graded_again(self, assignment: str, student: str) -> bool:
        """Whether a submission that nbgrader would skip has no scores: the gradebook is another
        one."""
        destination = Path(os.path.normpath(self._format_dest(assignment, student)))
        if not destination.exists():  # excluded
            return False
        if self._standing.has_scores(student, destination):
            self._standing.look_at_tests(student, destination)
            return False
        self.force, force = True, self.force
        try:
            return self.init_destination(assignment, student)
        finally:
            self.force = force

    def _stage(self, assignment: str, student: str) -> Staged:
        started, cpu = time.monotonic(), time.thread_time()
        source = self.run.gradebook.source(assignment)
        if not self.create_student and not self.run.gradebook.has_student(student):
            raise Damaged(f"No student with ID '{student}' exists in the database.")
        handed_in = Path(self._format_source(assignment, student))
        ours = [name for name in source.notebooks if name not in self._others]
        self.notebooks = [path for path in self.notebooks if Path(path).stem not in self._others]
        unknown = [path for path in self.notebooks if Path(path).stem not in source.notebooks]
        absent = [name for name in ours if not (handed_in / f"{name}.ipynb").exists()]
        if len(unknown) == len(absent) == 1:  # "tasks (1).ipynb" can only be tasks.ipynb
            renamed = str(handed_in / f"{absent.pop()}.ipynb")
            self.log.warning("%s is taken as %s", unknown[0], renamed)
            self._renamed[renamed] = unknown[0]
            self.notebooks[self.notebooks.index(unknown.pop())] = renamed
        for path in unknown:
            self.log.warning("Skipping unknown notebook: %s", path)
            self.notebooks.remove(path)
        if not self.notebooks:
            raise Damaged(
                "No notebook of this assignment was handed in: they are called "
                f"{', '.join(f'{name}.ipynb' for name in ours)}."
            )
        for name in absent:
            self.log.warning("No submitted file: %s", handed_in / f"{name}.ipynb")
        timestamp, doubts = self._timestamp(handed_in)
        self._timeless += [student] * bool(doubts)
        folder = self._area / uuid.uuid4().hex
        folder.mkdir()
        staged = Staged(
            assignment, student, self.notebooks, folder, timestamp, absent, started=started
        )
        instructors = Path(
            os.path.normpath(
                self.coursedir.format_path(self.coursedir.source_directory, ".", assignment)
            )
        )
        folders.collect(handed_in, folder, self.coursedir.ignore, self.log)
        folders.collect(
            instructors,
            folder,
            self.coursedir.ignore,
            self.log,
            self.exclude_overwriting.get(assignment, ()),
        )
        if doubts:
            # nbgrader's other commands would stop at it
            (folder / "timestamp.txt").unlink(missing_ok=True)
        staged.notebooks = [self._stage_notebook(staged, path, doubts) for path in self.notebooks]
        staged.writer_seconds, staged.writer_cpu_seconds = (
            time.monotonic() - started,
            time.thread_time() - cpu,
        )
        return staged

    def _timestamp(self, folder: Path) -> tuple[datetime | None, list[str]]:
        """When a submission was handed in, and what a person must look at because that cannot be
        told."""
        try:
            return self.coursedir.get_existing_timestamp(str(folder)), []
        except AttributeError:
            return None, [f"{NO_TIME}: it was graded as if it had come in time."]

    def _stage_notebook(self, staged: Staged, path: str, doubts: list[str]) -> StagedNotebook:
        """Sanitise a notebook and hand it to the engine. What is wrong with it is kept until its
        grades are written."""
        notebook = StagedNotebook(Path(path).stem)
        chain, execute = self._chain, self._chain.execute
        try:
            handed_in = Path(self._renamed.get(path, path))
            nb = repaired(
                handed_in, handed_in.parent, self.coursedir, staged.assignment, notebook.name
            )
            add_doubts(nb, doubts)
            notebook.repair = record_of(nb)
            nb, _ = chain.apply(
                [TrustOnlySource, *self.sanitize_preprocessors],
                nb,
                chain.resources(path, handed_in.parent, handed_in),
            )
            nbformat.validate(nb, relax_add_props=True)
            notebook.nb, notebook.resources = chain.apply(
                chain.before, nb, chain.resources(path, staged.folder, handed_in)
            )
            if execute is not None and execute.enabled:
                notebook.execution = self.run.executions.submit(
                    staged.assignment,
                    notebook.name,
                    staged.student,
                    notebook.nb,
                    staged.folder,
                    execute.engine_limits(),
                    frozenset(execute.accept_open),
                    tuple(execute.course_files),
                    execute.require_full_marks,
                )
        except NOT_THE_STUDENT:
            raise
        except Exception as error:
            notebook.problem = self._reason(error)
        return notebook

    # ---- Finish ----------------------------------------------------------------------------------

    def _format_dest(self, assignment_id: str, student_id: str, escape: bool = False) -> str:
        return str(self._destination or super()._format_dest(assignment_id, student_id, escape))

    def _finish(self, staged: Staged) -> None:
        """Write one submission: scores in one transaction, then its folder."""
        begun, cpu = time.monotonic(), time.thread_time()
        self.notebooks = staged.paths
        executions = {
            notebook.name: self._collect(notebook, staged) for notebook in staged.notebooks
        }
        try:
            with self.run.gradebook.submission(
                staged.assignment, staged.student, staged.timestamp
            ) as rows:
                for notebook in staged.notebooks:
                    self._write(notebook, staged, rows)
                for name in staged.missing:
                    rows.notebooks[name].give_zero()
                results = tuple(
                    notebook_result(
                        rows.notebooks[notebook.name],
                        executions[notebook.name],
                        notebook.problem,
                        notebook.repair,
                    )
                    for notebook in staged.notebooks
                )
                problem = next(
                    (notebook.problem for notebook in staged.notebooks if notebook.problem), None
                )
                if isinstance(problem, Surprise) and not self._graded:
                    raise _Doubtful
        except _Doubtful:
            self._doubtful.append((staged.assignment, staged.student, problem))
            return
        self._publish(staged, problem)
        shutil.rmtree(staged.folder, ignore_errors=True)
        now = time.monotonic()
        self.observer.finished(
            SubmissionResult(
                staged.student,
                "failed" if problem else "graded",
                problem,
                now - staged.started,
                now - begun + staged.writer_seconds,
                time.thread_time() - cpu + staged.writer_cpu_seconds,
                now - self._began,
                results,
            )
        )
        self._settle_doubts(graded=problem is None)

    def _collect(self, notebook: StagedNotebook, staged: Staged) -> GradedExecution | None:
        """Take a result over from the engine, for SealedExecute to find."""
        if notebook.execution is None:
            return None
        try:
            execution = notebook.execution.result()
            self.run.executions.write_files(execution, staged.assignment, staged.folder)
        except CourseError:
            raise
        except Exception as error:
            notebook.problem = self._reason(error)
            return None
        self.run.prefetched[staged.student, notebook.name] = execution
        return execution

    def _write(self, notebook: StagedNotebook, staged: Staged, rows: SubmissionRows) -> None:
        """Grade one executed notebook and put it into the submission's folder; 0 points if that
        cannot be done."""
        try:
            if notebook.problem is None:
                with self.run.writing(rows):
                    nb, resources = self._chain.apply(
                        self._chain.from_execute_on, notebook.nb, notebook.resources, rows
                    )
                self._destination = staged.folder
                self.write_single_notebook(files.by_cell(nb), resources)
        except NOT_THE_STUDENT:
            raise
        except Exception as error:
            notebook.problem = self._reason(error)
        finally:
            self._destination = None
        if notebook.problem is not None:
            rows.notebooks[notebook.name].give_nothing(notebook.problem)
            self._write_reason(notebook, staged)
        notebook.nb = None  # large, and not needed any more

    def _write_reason(self, notebook: StagedNotebook, staged: Staged) -> None:
        """In the place of a notebook that could not be graded, the released one: its student reads
        the reason in the feedback."""
        skeleton = skeleton_of(self.coursedir, staged.assignment, notebook.name)
        if skeleton is not None:
            text = files.by_cell(unreadable(skeleton, notebook.problem))
            (staged.folder / f"{notebook.name}.ipynb").write_text(text, encoding="utf-8")

    def _forget_reasons(self, assignment: str, student: str) -> None:
        """Remove what `_write_reason` left in an earlier run: such a notebook is tried again."""
        destination = Path(os.path.normpath(self._format_dest(assignment, student)))
        if any(says_unreadable(path) for path in destination.glob("*.ipynb")):
            shutil.rmtree(destination)

    def _publish(self, staged: Staged, problem: str | None) -> None:
        """Let the submission's folder appear; of one that could not be graded, only if it says so
        in each such notebook."""
        destination = Path(os.path.normpath(self._format_dest(staged.assignment, staged.student)))
        names = [Path(path).name for path in staged.paths]
        if problem is not None:
            self._report_failure(staged.student, problem)
            # nbgrader leaves the folder where only some notebooks were asked for
            if self.coursedir.notebook_id != "*":
                destination.mkdir(parents=True, exist_ok=True)
            folders.withdraw(destination, names)
            if not all(
                (staged.folder / f"{notebook.name}.ipynb").is_file()
                for notebook in staged.notebooks
            ):
                return
        try:
            self._destination = staged.folder
            self.set_permissions(staged.assignment, staged.student)
        finally:
            self._destination = None
        folders.publish(staged.folder, destination, names)
        if problem is None:
            self.run_post_convert_hook()

    def _give_nothing(self, assignment: str, student: str, reason: str) -> None:
        """Record a submission of which nothing can be graded."""
        self._report_failure(student, reason)
        results = ()
        if self.create_student or self.run.gradebook.has_student(student):
            with self.run.gradebook.submission(assignment, student, None) as rows:
                ours = [rows.notebooks[name] for name in rows.notebooks if name not in self._others]
                for notebook in ours:
                    notebook.give_nothing(reason)
                results = tuple(notebook_result(notebook, None, reason) for notebook in ours)
        self.observer.finished(
            SubmissionResult(
                student, "failed", reason, 0.0, 0.0, 0.0, time.monotonic() - self._began, results
            )
        )

    def _settle_doubts(self, graded: bool) -> None:
        """Once one submission can be graded, what went wrong with others before it was their
        own."""
        self._graded += graded
        if self._graded:
            doubtful, self._doubtful = self._doubtful, []
            for assignment, student, reason in doubtful:
                self._give_nothing(assignment, student, reason)

    def _report_failure(self, student: str, reason: str) -> None:
        self._failed.append(student)
        self.log.error("%s: %s", student, reason)

    def _reason(self, error: Exception) -> str:
        self.log.debug("".join(traceback.format_exception(error)))
        return reason_of(error)
