"""Making one student's pages, in a process apart: it reads what a student wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import GetGrades
from traitlets.utils.importstring import import_item

from nbseal.nbgrader_internals import OneSubmission
from nbseal.pages.feedback_grades import GetGiven


class Making:
    """What a process apart can be asked. What is made here once, each process has from its fork."""

    def __init__(self, converter: GenerateFeedback):
        self._converter = converter
        self.exporter = converter.exporter_class(parent=converter, config=converter.config)
        for configured in converter.preprocessors:
            self.exporter.register_preprocessor(_ours(configured))

    def ready(self, _request: dict) -> dict:
        """Nothing, once there is a process."""
        return {}

    def make(self, request: dict) -> dict:
        """Make the pages of one student, and copy what was handed in with the notebooks, in a
        folder of their own. A request names student, assignment, folder, and the notebooks, with
        what the gradebook says of each."""
        folder = Path(request["folder"])
        mine = OneSubmission(self._converter, list(request["notebooks"]), folder)
        student, assignment = request["student"], request["assignment"]
        folder.mkdir()
        mine.copy_beside(assignment, student)
        for path, given in request["notebooks"].items():
            resources = self._converter.init_single_notebook_resources(path)
            resources["nbgrader"] |= {"given": given, "folder": str(folder)}
            page, _ = self.exporter.from_filename(path, resources=resources)
            (folder / f"{Path(path).stem}.html").write_text(page, encoding="utf-8")
        mine.set_permissions(assignment, student)
        return {}


def _ours(configured: Any) -> Any:
    """nbgrader's GetGrades asks the gradebook itself; ours has the answers."""
    named = import_item(configured) if isinstance(configured, str) else configured
    return GetGiven if named is GetGrades else configured
