"""What the preprocessors of one converter share.

grading.converter attaches a run to itself; under nbgrader's own converter one is made when the first notebook needs it.
"""

import weakref
from contextlib import contextmanager

from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.executions import Executions
from grading.gradebook import OpenGradebook, SubmissionRows
from grading.records import GradedExecution


class Run:
    """What the preprocessors of one converter share: the gradebook, the engine, and the submission being written."""

    def __init__(self, coursedir: CourseDirectory, executions: Executions):
        self.coursedir = coursedir
        self.executions = executions
        self.gradebook = executions.gradebook
        self._open: SubmissionRows | None = None
        self.prefetched: dict[tuple[str, str], GradedExecution] = {}

    @contextmanager
    def writing(self, rows: SubmissionRows):
        """While a submission's transaction is open, its preprocessors write into that."""
        self._open = rows
        try:
            yield
        finally:
            self._open = None

    @contextmanager
    def notebook_rows(self, resources: dict):
        """The rows of one notebook: of the open transaction, or of one for this notebook alone."""
        names = resources["nbgrader"]
        if self._open is not None:
            yield self._open.row, self._open.notebooks[names["notebook"]]
            return
        with self.gradebook.submission(names["assignment"], names["student"], None) as submission:
            yield submission.row, submission.notebooks[names["notebook"]]


_runs: "weakref.WeakKeyDictionary" = weakref.WeakKeyDictionary()


def run_of(preprocessor: NbGraderPreprocessor) -> Run:
    """The run that a preprocessor belongs to: nbconvert's parents are the exporter, and above it the converter."""
    converter = preprocessor.parent.parent
    run = getattr(converter, "run", None) or _runs.get(converter)
    if run is None:
        coursedir = converter.coursedir
        gradebook = OpenGradebook(coursedir.db_url, coursedir.course_id)
        run = _runs[converter] = Run(coursedir, Executions(coursedir, gradebook, workers=1, keep_warm=True))
        weakref.finalize(converter, run.executions.close)
        weakref.finalize(converter, gradebook.close)
    return run
