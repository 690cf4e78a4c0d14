"""The preprocessors that a course configures, run as nbconvert would run them, in two halves:
before and after execution."""

import os
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.converters import Autograde
from traitlets.utils.importstring import import_item

from nbseal.autograde.context import GradingContext, carrying, context_of
from nbseal.autograde.sanitizing import TrustOnlySource
from nbseal.autograde.writing import REPLACEMENTS, SealedExecute
from nbseal.nbgrader_internals import preprocessor_of, resources_of

# Preprocessors from elsewhere may open the gradebook themselves, and may keep something of a
# notebook.
KNOWN_PACKAGES = {"nbseal", "nbgrader", "nbconvert"}


class Chain:
    """The preprocessors of one converter."""

    def __init__(self, converter: Autograde):
        self.converter = converter
        self._exporter = converter.exporter
        self._instances: dict = {}  # nbgrader's own keep nothing from one notebook to the next
        configured = [_ours(preprocessor) for preprocessor in converter.autograde_preprocessors]
        at = configured.index(SealedExecute) if SealedExecute in configured else None
        # A list that a course sets below `configure` may not give up what a seal depends on.
        others = [_ours(preprocessor) for preprocessor in converter.sanitize_preprocessors]
        self.sanitizing = [*[TrustOnlySource] * (TrustOnlySource not in others), *others]
        self.before = configured[:at] if at is not None else []
        self.execute = SealedExecute(parent=self._exporter) if at is not None else None
        self.from_execute_on = configured[at:] if at is not None else configured

    def apply(
        self, preprocessors: list, nb: NotebookNode, resources: dict
    ) -> tuple[NotebookNode, dict]:
        """Run preprocessors one after the other, without validating the notebook after each."""
        rows = context_of(resources).rows
        for configured in map(_ours, preprocessors):
            known = (
                isinstance(configured, type)
                and configured.__module__.partition(".")[0] in KNOWN_PACKAGES
            )
            if not known or configured not in self._instances:
                self._instances[configured] = preprocessor_of(self._exporter, configured)
            with nullcontext() if rows is None or known else rows.committed():
                nb, resources = self._instances[configured](nb, resources)
        return nb, resources

    def resources(self, path: str, folder: Path, handed_in: Path, context: GradingContext) -> dict:
        """What nbconvert tells preprocessors about a submitted notebook: as if `handed_in` was at
        `path`, and lay in `folder`."""
        resources = self.converter.init_single_notebook_resources(path)
        modified = datetime.fromtimestamp(os.path.getmtime(handed_in)).astimezone()
        resources["metadata"] = {
            "name": Path(path).stem,
            "path": str(folder),
            "modified_date": modified.strftime("%B %d, %Y"),
        }
        return carrying(resources_of(self._exporter, resources), context)

    def write(self, text: str, resources: dict, folder: Path) -> None:
        """Write a finished notebook into a folder, as nbconvert does."""
        writer = self.converter.writer
        writer.build_directory = str(folder)
        writer.write(text, resources, notebook_name=resources["unique_key"])


def _ours(preprocessor):
    """A configured preprocessor, or what this project puts in its place."""
    if isinstance(preprocessor, str):
        preprocessor = import_item(preprocessor)
    return (
        REPLACEMENTS.get(preprocessor, preprocessor)
        if isinstance(preprocessor, type)
        else preprocessor
    )
