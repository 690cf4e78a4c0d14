"""Repair under `nbgrader autograde` and Formgrader: the exporter is what opens the submitted file
there."""

import os
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter

from nbseal.intake.damage import Damaged
from nbseal.intake.repair.skeleton import skeleton_of
from nbseal.intake.repair.submission import repaired, unreadable


class RepairingExporter(NotebookExporter):
    """nbconvert's, but submitted notebooks are repaired as they are opened.
    `c.Autograde.exporter_class` names it."""

    def from_file(self, file_stream, resources=None, **kw):
        """nbgrader opens a submission twice: to sanitise what was handed in, then to grade what it
        has written itself."""
        converter: Any = self.parent
        if (
            not getattr(converter, "_sanitizing", False)
            or not resources
            or "nbgrader" not in resources
        ):
            return super().from_file(file_stream, resources=resources, **kw)
        path = Path(os.path.abspath(file_stream.name))
        names = resources["nbgrader"]["assignment"], resources["nbgrader"]["notebook"]
        try:
            nb = repaired(path, path.parent, converter.coursedir, *names)
        except Damaged as problem:
            skeleton = skeleton_of(converter.coursedir, *names)
            if skeleton is None:
                raise
            self.log.error("%s: %s", path, problem)
            nb = unreadable(skeleton, str(problem))
        return self.from_notebook_node(nb, resources=resources, **kw)
