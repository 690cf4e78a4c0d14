"""Repair under `nbgrader autograde`: the exporter is what opens the submitted file there."""

import atexit
import os
import weakref
from functools import cached_property
from pathlib import Path

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode

from nbseal.autograde.button import by_command
from nbseal.autograde.context import CourseParts, GradingContext, carrying
from nbseal.autograde.engines import Engines
from nbseal.intake.damage import Damaged
from nbseal.intake.repair.skeleton import skeleton_of
from nbseal.intake.repair.submission import unreadable
from nbseal.nbgrader_internals import converter_of, is_sanitizing

# Each converter has an exporter of its own: the engine stays warm between them, and ends with the
# process. It is started when a notebook needs it.
ENGINES = Engines(workers=1)
atexit.register(ENGINES.close)


class RepairingExporter(NotebookExporter):
    """nbconvert's, but submitted notebooks are repaired as they are opened, and carry what this
    program's preprocessors need. `c.Autograde.exporter_class` names it."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        by_command(self)

    @cached_property
    def course(self) -> CourseParts:
        """What the notebooks of this converter share; closed when it is gone."""
        course = CourseParts(converter_of(self).coursedir, ENGINES)
        weakref.finalize(self, course.close)
        return course

    def from_file(self, file_stream, resources=None, **kw):
        """nbgrader opens a submission twice: to sanitise what was handed in, then to grade what it
        has written itself."""
        if not resources or "nbgrader" not in resources:
            return super().from_file(file_stream, resources=resources, **kw)
        carrying(resources, GradingContext(self.course))
        if not is_sanitizing(converter_of(self)):
            return super().from_file(file_stream, resources=resources, **kw)
        path = Path(os.path.abspath(file_stream.name))
        nb = self._repaired(path, resources["nbgrader"])
        return self.from_notebook_node(nb, resources=resources, **kw)

    def _repaired(self, path: Path, names: dict[str, str]) -> NotebookNode:
        coursedir, assignment, notebook = (
            self.course.coursedir,
            names["assignment"],
            names["notebook"],
        )
        try:
            return self.course.repairs.open(path, assignment, notebook, outputs=True)
        except Damaged as problem:
            skeleton = skeleton_of(coursedir, assignment, notebook)
            if skeleton is None:
                raise
            self.log.error("%s: %s", path, problem)
            return unreadable(skeleton, str(problem))
