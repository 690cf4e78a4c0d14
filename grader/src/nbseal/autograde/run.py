"""nbgrader's Autograde for a class, with executions running ahead of the writer.

What happens to one submission is in submission.py. Here is their order - a few are always staged
ahead, and they finish in any order - and what is made of those that cannot be graded.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import ExitStack
from pathlib import Path

import sqlalchemy.exc
from nbgrader import converters
from nbgrader.converters import NbGraderException
from traitlets import Dict, Instance, Integer

from nbseal import folders
from nbseal.autograde.bench import Bench
from nbseal.autograde.chain import Chain
from nbseal.autograde.context import CourseParts
from nbseal.autograde.engines import Engines
from nbseal.autograde.failures import CannotBeGraded
from nbseal.autograde.faults import sentence
from nbseal.autograde.finding import found
from nbseal.autograde.gradebook import MissingEntry, OpenGradebook
from nbseal.autograde.handed_in import NO_TIME
from nbseal.autograde.results import Observer, SubmissionResult
from nbseal.autograde.standing import Standing
from nbseal.autograde.submission import Submission
from nbseal.engine.zygote import Zygote
from nbseal.errors import CourseError
from nbseal.interrupts import held_back
from nbseal.nbgrader_internals import names_of, results_of

# So many submissions with an error that nobody foresaw, and none without, are not the students'
# doing.
TOO_MANY_SURPRISES = 3


class ParallelAutograde(converters.Autograde):
    """`nbgrader autograde` on several workers. Everything configured for Autograde and
    BaseConverter applies.

    Notebooks of one submission run beside each other, so one does not find files that another has
    written; hooks of submissions that are staged ahead run before those of submissions that are not
    finished.
    """

    workers = Integer(
        min=1,
        help="How many submissions are executed at the same time; the number of processors if not "
        "given.",
    ).tag(config=True)
    observer = Instance(Observer, args=())
    odd = Dict()  # students' folders whose names are no ids -> why
    zygote = Instance(Zygote, allow_none=True)  # one that was started ahead; the run closes it

    def _workers_default(self) -> int:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )

    def init_notebooks(self) -> None:
        """Find the submissions. Raises NbGraderException if there are none."""
        self.assignments, self.odd = found(self)
        if not self.assignments and not self.odd:
            super().init_notebooks()  # says so in nbgrader's words

    def convert_notebooks(self) -> None:
        """Grade every submission that init_notebooks has found. Raises NbGraderException if some
        could not be graded."""
        results = Path(os.path.normpath(results_of(self, ".", ".")))
        try:
            with ExitStack() as stack:
                engines = stack.enter_context(Engines(self.workers, self.zygote))
                course = stack.enter_context(CourseParts(self.coursedir, engines))
                self._check_assignment(course.gradebook)
                area = stack.enter_context(folders.staging_area(results))
                assignment = self.coursedir.assignment_id
                standing = Standing(course.gradebook, assignment, course.sources)
                others = course.executions.other_languages(assignment)
                bench = Bench(course, Chain(self), area, time.monotonic(), standing, others)
                run = ClassRun(bench, self.assignments, self.odd, self.workers, self.observer)
                run.grade()
        except sqlalchemy.exc.DatabaseError as error:
            self._fail(sentence(error) or str(error))
        except CourseError as error:
            self._fail(str(error))
        self._say_what_is_left(run)

    def _check_assignment(self, gradebook: OpenGradebook) -> None:
        assignment = self.coursedir.assignment_id
        try:
            gradebook.source(assignment)
        except MissingEntry:
            self._fail(
                f"No assignment with ID '{assignment}' exists in the database: "
                f"run `nbgrader generate_assignment {assignment}` first."
            )

    def _say_what_is_left(self, run: ClassRun) -> None:
        for said in run.news:
            self.log.warning("%s", said)
        if run.timeless:
            self.log.error(
                "%s: %s. They are graded as if in time, and flagged; mend the file and grade them "
                "with --force, or delete it.",
                ", ".join(run.timeless),
                NO_TIME,
            )
        if run.failed:
            self._fail(
                f"{len(run.failed)} of {len(self.assignments) + len(self.odd)} submissions could "
                f"not be graded: {', '.join(run.failed)}. Those in the gradebook have 0 points and "
                "a flag; the same command tries them again."
            )
        if run.timeless:
            # graded all the same, but not as a timestamp would have it: not a clean run
            raise NbGraderException(NO_TIME)

    def _fail(self, message: str) -> None:
        self.log.error(message)
        raise NbGraderException(message)


class ClassRun:
    """The submissions of one run: staged in the order of their names, finished as they come."""

    def __init__(
        self,
        bench: Bench,
        assignments: dict[str, list[str]],
        odd: dict[str, str],
        workers: int,
        observer: Observer,
    ):
        """assignments: folder of a submission -> the notebooks in it; odd: what else lies among
        them -> why it cannot be graded."""
        self._bench, self._observer = bench, observer
        self._assignments, self._odd, self._workers = assignments, odd, workers
        self._sure = False  # one submission could be graded
        self._doubtful: list[tuple[Submission, str]] = []  # with the reason, not recorded yet
        self.failed: list[str] = []
        self.timeless: list[str] = []  # students whose time of submission cannot be read

    @property
    def news(self) -> list[str]:
        """What a person should know of notebooks and submissions that were left as they are."""
        return [*self._bench.others.values(), *self._bench.standing.news()]

    def grade(self) -> None:
        """Keep a few submissions with the engine, and finish whichever is ready. Raises CourseError
        or the database's error if nothing can be graded."""
        self._observer.expects(len(self._assignments) + len(self._odd))
        for student, why in sorted(self._odd.items()):
            self._report(SubmissionResult(student, "failed", why, 0.0, 0.0, 0.0, 0.0, ()))
        ahead: list[Submission] = []
        for path in sorted(self._assignments):
            submission = self._found(path)
            if self._stage(submission):
                ahead.append(submission)
            while len(ahead) > 2 * self._bench.course.workers + 2 or any(
                not one.waits_for for one in ahead
            ):
                self._finish(_next_of(ahead))
        while ahead:
            self._finish(_next_of(ahead))
        if len(self._doubtful) >= TOO_MANY_SURPRISES:
            raise CourseError(
                "none of the submissions can be graded, the first because: "
                f"{self._doubtful[0][1]} That is no student's fault, and no score was changed: "
                "--debug shows where it happens."
            )
        self._settle_doubts()

    def _found(self, path: str) -> Submission:
        # by the folder alone: the names of the notebooks in it are the student's
        names = names_of(self._bench.converter, os.path.join(path, "any.ipynb"))
        return Submission(
            self._bench, self._assignments[path], names["assignment"], names["student"]
        )

    def _stage(self, submission: Submission) -> bool:
        """Whether the submission goes on to be finished."""
        try:
            if not submission.stage():
                self._observer.skipped(submission.student)
                return False
        except CannotBeGraded as failure:
            self._give_up(submission, failure)
            return False
        finally:
            self.timeless += [submission.student] * submission.is_timeless
        return True

    @held_back()
    def _finish(self, submission: Submission) -> None:
        try:
            result = submission.finish(self._sure)
        except CannotBeGraded as failure:
            self._give_up(submission, failure)
            return
        self._report(result)
        if result.status == "graded":
            self._sure = True
            self._settle_doubts()

    @held_back()
    def _give_up(self, submission: Submission, failure: CannotBeGraded) -> None:
        if failure.is_doubtful and not self._sure:
            self._doubtful.append((submission, failure.reason))
        else:
            self._report(submission.give_nothing(failure.reason))

    def _settle_doubts(self) -> None:
        """Once one submission can be graded, what went wrong with others before it was their
        own."""
        doubtful, self._doubtful = self._doubtful, []
        for submission, reason in doubtful:
            self._report(submission.give_nothing(reason))

    def _report(self, result: SubmissionResult) -> None:
        if result.status == "failed":
            self.failed.append(result.student)
            self._bench.log.error("%s: %s", result.student, result.problem)
        self._observer.machines(self._bench.course.machines)
        self._observer.finished(result)


def _next_of(ahead: list[Submission]) -> Submission:
    """Take out the first submission that can be finished; waits until there is one."""
    while not (ready := [one for one in ahead if not one.waits_for]):
        wait([future for one in ahead for future in one.waits_for], return_when=FIRST_COMPLETED)
    ahead.remove(ready[0])
    return ready[0]
