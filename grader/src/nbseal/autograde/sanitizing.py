"""nbgrader preprocessors for before execution: what only the instructor may say about a cell is as
it was released.

Those that are nbgrader's own ask the open gradebook in place of one of their own for every
notebook.
"""

import logging
from functools import cache

import fastjsonschema
from nbformat import NotebookNode
from nbgrader import preprocessors as nbgrader
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.nbgraderformat.common import BaseMetadataValidator
from nbgrader.preprocessors import NbGraderPreprocessor

from nbseal.autograde.execution import run_of
from nbseal.autograde.gradebook import MissingEntry, OpenGradebook
from nbseal.autograde.source import restore_tags, source_tags
from nbseal.notebook.notes import forget_claims


class TrustOnlySource(NbGraderPreprocessor):
    """Take back what only the instructor may say about a cell: its tags, and this program's own
    notes.

    A `skip-execution` tag on a test cell means full marks to nbgrader. Tags of locked cells are
    therefore those of the
    source notebook; where that cannot be read they have none.
    """

    def preprocess(self, nb: NotebookNode, resources: dict):
        run = run_of(self)
        names = resources["nbgrader"]
        try:
            cells = run.gradebook.source(names["assignment"]).notebooks[names["notebook"]].cells
        except (MissingEntry, KeyError):
            cells = {}
        forget_claims(nb)
        restore_tags(
            nb, cells, source_tags(run.coursedir, names["assignment"], names["notebook"]), self.log
        )
        return nb, resources


class OverwriteKernelspec(nbgrader.OverwriteKernelspec):
    """nbgrader's, from the open gradebook."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        names = resources["nbgrader"]
        kernelspec = (
            run_of(self)
            .gradebook.source(names["assignment"])
            .notebooks[names["notebook"]]
            .kernelspec
        )
        if kernelspec:
            nb.metadata["kernelspec"] = NotebookNode(kernelspec)
        return nb, resources


class OverwriteCells(nbgrader.OverwriteCells):
    """nbgrader's, from the open gradebook."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        self.notebook_id = resources["nbgrader"]["notebook"]
        self.assignment_id = resources["nbgrader"]["assignment"]
        self.gradebook = _SourceLookup(run_of(self).gradebook)
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
    """nbgrader's, with its schema compiled once: nbgrader examines the schema itself for every
    cell, most of its writing time."""

    def preprocess(self, nb: NotebookNode, resources: dict):
        _metadata_validator().validate_nb(nb)
        return nb, resources


class _CompiledSchema(BaseMetadataValidator):
    """The first step of nbgrader's validator, before its own rules."""

    def validate_cell(self, cell: NotebookNode) -> None:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("schema_version", 0) != self.schema_version or not self.is_valid(marks):
            super().validate_cell(cell)

    def is_valid(self, marks: dict) -> bool:
        try:
            self.compiled(marks)
        except fastjsonschema.JsonSchemaException:
            return False
        return True


class _MetadataValidator(MetadataValidator, _CompiledSchema):
    def __init__(self):
        super().__init__()
        self.compiled = fastjsonschema.compile(self.schema)


@cache
def _metadata_validator() -> _MetadataValidator:
    return _MetadataValidator()
