"""What each page was made from, so that only what changed is made again.

In `.nbseal/feedback/` of the course, a file for each student, written after the pages are where
they belong: whoever is interrupted between the two makes them once more.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import meta
from nbconvert.exporters import TemplateExporter
from traitlets.config import Config

from nbseal.files import write_whole
from nbseal.view import PRIVATE

ROOM = Path(__file__).resolve().parent
OURS = (ROOM, ROOM.parent / "notebook")  # the code that makes a page
THEIRS = ("nbconvert", "nbgrader", "nbformat", "mistune", "Pygments", "nh3", "Jinja2")
# what says which pages are made, and not what is on them
NOT_ON_A_PAGE = {"CourseDirectory", "force", "workers", "log_level"}


@dataclass
class Record:
    """The pages of one student."""

    pages: dict[str, str] = field(default_factory=dict)  # name -> what it was made from
    files: dict[str, list[int]] = field(default_factory=dict)  # path -> size, time of change

    @classmethod
    def read(cls, path: Path) -> Record:
        """What was written; nothing where that cannot be read."""
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            return cls(dict(said["pages"]), dict(said["files"]))
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, json.dumps(asdict(self)))

    def is_intact(self, folder: Path) -> bool:
        """Whether all files are as they were written."""
        return bool(self.files) and all(
            sizes == about(folder / name) for name, sizes in self.files.items()
        )


def place_of(root: Path, assignment: str, student: str) -> Path:
    """Where the record of a student's pages is."""
    return root / PRIVATE / "feedback" / assignment / f"{student}.json"


def about(path: Path) -> list[int]:
    """Size and time of change of a file; empty where there is none."""
    try:
        stat = path.lstat()
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]


def made_by(exporter: TemplateExporter, config: Config, preprocessors: Iterable[Any]) -> str:
    """The version of everything that every page depends on: code, templates, configuration."""
    digest = hashlib.sha256(_program().encode())
    for source in _templates(exporter):
        digest.update(source.encode())
    names = [str(one) for one in preprocessors]
    digest.update(json.dumps([_on_pages(config), names], default=_named, sort_keys=True).encode())
    return digest.hexdigest()


def made_from(made_by: str, notebook: Path, given: Any, beside: list) -> str:
    """What one page is made from: the version of the program, an autograded notebook, what the
    gradebook says of it, and the files that a student handed in with it."""
    digest = hashlib.sha256(notebook.read_bytes())
    digest.update(json.dumps([made_by, given, beside], sort_keys=True).encode())
    return digest.hexdigest()


@cache
def _program() -> str:
    digest = hashlib.sha256()
    for folder in OURS:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    return " ".join([digest.hexdigest(), *map(version, THEIRS)])


def _templates(exporter: TemplateExporter) -> list[str]:
    """The template's source, and that of all it builds on."""
    environment, names, sources = exporter.environment, [exporter.template_file], {}
    assert environment.loader is not None
    for name in names:
        if name not in sources:
            sources[name] = environment.loader.get_source(environment, name)[0]
            found = meta.find_referenced_templates(environment.parse(sources[name]))
            names += [one for one in found if one is not None]
    return list(sources.values())


def _on_pages(config: Any) -> Any:
    if not isinstance(config, dict):
        return config
    return {name: _on_pages(value) for name, value in config.items() if name not in NOT_ON_A_PAGE}


def _named(value: Any) -> str:
    name = getattr(value, "__qualname__", None)  # of functions and classes; their repr is a place
    return f"{value.__module__}.{name}" if name else repr(value)


def files_below(folder: Path) -> list[str]:
    """The paths of all files in a folder, in order."""
    return sorted(
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, names in os.walk(folder)
        for name in names
    )
