"""What a notebook carries through the preprocessors, in `resources["nbseal"]`.

nbconvert hands resources from one preprocessor to the next, whoever put them there: our own run of
a class (run.py), or the exporter under `nbgrader autograde` and Formgrader (exporter.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from nbgrader.api import SubmittedAssignment
from nbgrader.coursedir import CourseDirectory

from nbseal.autograde.engines import Engines
from nbseal.autograde.execution import Executions
from nbseal.autograde.gradebook import NotebookRows, OpenGradebook, SubmissionRows
from nbseal.autograde.repairing import Repairs
from nbseal.autograde.source import SourceNotebooks
from nbseal.errors import CourseError
from nbseal.notebook.notes import OURS
from nbseal.records import GradedExecution


class CourseParts:
    """What all notebooks of a run share: folders, the gradebook, the engine. Each is opened when it
    is first asked for, and closed with this."""

    def __init__(self, coursedir: CourseDirectory, engines: Engines):
        """engines: their owner closes them."""
        self.coursedir, self._engines = coursedir, engines
        self.sources = SourceNotebooks(coursedir)
        self.said: set[str] = set()  # cells of which a warning has been given: once is enough

    @cached_property
    def gradebook(self) -> OpenGradebook:
        return OpenGradebook(self.coursedir.db_url, self.coursedir.course_id)

    @cached_property
    def executions(self) -> Executions:
        return Executions(self.coursedir, self.gradebook, self.sources, self._engines)

    @cached_property
    def repairs(self) -> Repairs:
        return Repairs(self.coursedir)

    @property
    def workers(self) -> int:
        """How many submissions are executed at the same time."""
        return self._engines.workers

    @property
    def machines(self) -> str:
        """What a cluster has now, in words; nothing where there is none."""
        return self._engines.machines

    def close(self) -> None:
        if "repairs" in self.__dict__:
            self.repairs.close()
        if "gradebook" in self.__dict__:
            self.gradebook.close()

    def __enter__(self) -> CourseParts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class GradingContext:
    """One notebook on its way through the preprocessors."""

    course: CourseParts
    # the open transaction of its submission; None where nbgrader's own command writes
    rows: SubmissionRows | None = None
    execution: GradedExecution | None = None  # once it has run

    def __deepcopy__(self, memo: dict) -> GradingContext:
        """The same: nbconvert copies resources before it preprocesses, and a gradebook cannot be
        copied."""
        return self

    @contextmanager
    def notebook_rows(self, resources: dict) -> Iterator[tuple[SubmittedAssignment, NotebookRows]]:
        """The rows of this notebook: of the open transaction, or of one for it alone."""
        names = resources["nbgrader"]
        if self.rows is not None:
            yield self.rows.row, self.rows.notebooks[names["notebook"]]
            return
        with self.course.gradebook.submission(
            names["assignment"], names["student"], None
        ) as submission:
            yield submission.row, submission.notebooks[names["notebook"]]


def carrying(resources: dict, context: GradingContext) -> dict:
    """Resources with a context in them."""
    resources[OURS] = context
    return resources


def context_of(resources: dict) -> GradingContext:
    """What `carrying` put there. Raises CourseError where nobody has."""
    context = resources.get(OURS)
    if not isinstance(context, GradingContext):
        raise CourseError(
            "nbseal's preprocessors need nbseal's exporter: call `nbseal.configure(c)` in "
            "nbgrader_config.py, or set c.Autograde.exporter_class to "
            "nbseal.autograde.exporter.RepairingExporter."
        )
    return context
