"""nbgrader preprocessors for before execution: what only the instructor may say about a cell is as
it was released.

Those that are nbgrader's own ask the open gradebook in place of one of their own for every
notebook.
"""

import logging
from functools import cache

from nbformat import NotebookNode
from nbgrader import preprocessors as nbgrader
from nbgrader.preprocessors import NbGraderPreprocessor

from nbseal.autograde.context import context_of
from nbseal.autograde.gradebook import MissingEntry, OpenGradebook
from nbseal.autograde.source import restore_tags
from nbseal.nbgrader_internals import CompiledValidator
from nbseal.notebook.notes import forget_claims


class TrustOnlySource(NbGraderPreprocessor):
    """Take back what only the instructor may say about a cell: its tags, and this program's own
    notes.

    A `skip-execution` tag on a test cell means full marks to nbgrader. Tags of locked cells are
    therefore those of the
    source notebook; where that cannot be read they have none.
    """

    def preprocess(self, nb: NotebookNode, resources: dict):
        course = context_of(resources).course
        assignment, notebook = (resources["nbgrader"][part] for part in ("assignment", "notebook"))
        try:
            cells = course.gradebook.source(assignment).notebooks[notebook].cells
        except (MissingEntry, KeyError):
            cells = {}
        forget_claims(nb)
        restore_tags(nb, cells, course.sources.tags(assignment, notebook), self.log)
        return nb, resources


class OverwriteKernelspec(nbgrader.OverwriteKernelspec):
    """nbgrader's, from the open gradebook."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        names, gradebook = resources["nbgrader"], context_of(resources).course.gradebook
        source = gradebook.source(names["assignment"]).notebooks[names["notebook"]]
        if source.kernelspec:
            nb.metadata["kernelspec"] = NotebookNode(source.kernelspec)
        return nb, resources


class OverwriteCells(nbgrader.OverwriteCells):
    """nbgrader's, from the open gradebook."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        self.notebook_id = resources["nbgrader"]["notebook"]
        self.assignment_id = resources["nbgrader"]["assignment"]
        self.gradebook = _SourceLookup(context_of(resources).course.gradebook)
        nb, resources = NbGraderPreprocessor.preprocess(self, nb, resources)
        if self.add_missing_cells:
            nb, resources = self.add_missing_grade_cells(nb, resources)
            nb, resources = self.add_missing_task_cells(nb, resources)
        return nb, resources

    def report_change(self, name: str, attr: str, old, new) -> None:
        """No reason for a warning are checksums, which differ in every cell with hidden tests, and
        points, which the instructor may have changed since."""
        level = logging.INFO if attr in ("checksum", "points") else logging.WARNING
        self.log.log(level, "%s of cell %s was %s and is %s again", attr, name, new, old)


class _SourceLookup:
    """The three questions OverwriteCells asks its gradebook."""

    def __init__(self, gradebook: OpenGradebook):
        self._gradebook = gradebook
        self.find_notebook = gradebook.find_notebook

    def find_source_cell(self, name: str, notebook: str, assignment: str):
        return self._find("cells", name, notebook, assignment)

    def find_graded_cell(self, name: str, notebook: str, assignment: str):
        return self._find("graded", name, notebook, assignment)

    def _find(self, kind: str, name: str, notebook: str, assignment: str):
        cells = getattr(self._gradebook.source(assignment).notebooks[notebook], kind)
        if name not in cells:
            raise MissingEntry(f"No such cell: {assignment}/{notebook}/{name}")
        return cells[name]


class CheckCellMetadata(nbgrader.CheckCellMetadata):
    """nbgrader's, with its schema compiled once."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        _metadata_validator().validate_nb(nb)
        return nb, resources


@cache
def _metadata_validator() -> CompiledValidator:
    return CompiledValidator()
