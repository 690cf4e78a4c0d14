"""Making one student's pages, in a process apart: it reads what a student wrote. And the version of
all that every page depends on."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import GetGrades
from traitlets.utils.importstring import import_item

from nbseal.nbgrader_internals import OneSubmission
from nbseal.pages.grades import GetGiven

# what a page depends on: our code, and that of others
OURS = (Path(__file__).resolve().parent, Path(__file__).resolve().parents[1] / "notebook")
THEIRS = "nbconvert nbgrader nbformat mistune Pygments nh3 Jinja2 latex2mathml".split()
# configuration that says which pages are made, and not what is on them
NOT_ON_A_PAGE = {"CourseDirectory", "force", "workers", "log_level"}


class Making:
    """What a process apart can be asked. What is made here once, each process has from its fork."""

    def __init__(self, converter: GenerateFeedback):
        self._converter = converter
        self.exporter = converter.exporter_class(parent=converter, config=converter.config)
        for one in converter.preprocessors:
            kind = import_item(one) if isinstance(one, str) else one
            # nbgrader's own asks the gradebook; ours has the answers
            self.exporter.register_preprocessor(GetGiven if kind is GetGrades else kind)

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


def program_of(converter: GenerateFeedback) -> str:
    """The version of everything that every page depends on: code, template, configuration."""
    files = (path for folder in OURS for path in sorted(folder.rglob("*")))
    code = b"".join(path.read_bytes() for path in files if path.suffix in (".py", ".j2"))
    names = [str(one) for one in converter.preprocessors]
    about = [_on_pages(converter.config), names, *map(version, THEIRS)]
    return hashlib.sha256(
        code + json.dumps(about, default=_named, sort_keys=True).encode()
    ).hexdigest()


def _on_pages(config: Any) -> Any:
    if not isinstance(config, dict):
        return config
    return {name: _on_pages(value) for name, value in config.items() if name not in NOT_ON_A_PAGE}


def _named(value: Any) -> str:
    return getattr(value, "__qualname__", None) or repr(value)  # the repr of a function is a place
