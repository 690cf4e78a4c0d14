"""The packages that can be imported on this host, as places for a session to read.

Python's own folders (sys.prefix) are visible to every session. Packages also lie elsewhere: an
editable install, `pip install --user`, a .pth file, PYTHONPATH. What a plain kernel could import
from there a session can, too; but a place that holds more than packages - a home folder, a course -
is never shown as a whole.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import all_suffixes
from pathlib import Path


def import_environment() -> dict[str, str]:
    """The part of the environment that decides what Python can import, for a process that starts
    in another folder."""
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    given = {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in path if place)}
    if site.ENABLE_USER_SITE:
        given["PYTHONUSERBASE"] = site.getuserbase()
    else:
        given["PYTHONNOUSERSITE"] = "1"
    return {name: value for name, value in given.items() if value}


@cache
def packages_beside(path: tuple[str, ...], root: str, hidden: tuple[str, ...]) -> tuple[str, ...]:
    """Where modules are imported from that neither the system nor sys.prefix holds.

    path: an import path. root: the course's folder, of which only what lies deeper can be such a
    place. hidden: what never is. Of a place that holds one of these, or the home folder, only the
    modules in it that hold none.
    """
    course, secrets = Path(root).resolve(), [Path(place).resolve() for place in hidden]
    private = (course, *secrets, Path(os.path.expanduser("~")).resolve())
    known = [Path(place).resolve() for place in (sys.prefix, sys.base_prefix, "/usr")]
    found: dict[str, None] = {}
    for place in (*map(Path, filter(os.path.isabs, path)), *_editable()):
        real = place.resolve()
        if not real.exists() or any(real.is_relative_to(folder) for folder in (*known, *secrets)):
            continue
        if real != course:
            found.update(dict.fromkeys(map(str, _shown(place, private))))
    return tuple(found)


def _shown(place: Path, private: tuple[Path, ...]) -> Iterator[Path]:
    """A place itself, or the modules in one that holds more than modules."""
    if not _holds(place, private):
        yield Path(os.path.abspath(place))
        return
    for entry in sorted(place.iterdir()) if place.is_dir() else ():
        if _is_module(entry) and not _holds(entry, private):
            yield Path(os.path.abspath(entry))


def _holds(place: Path, private: tuple[Path, ...]) -> bool:
    real = place.resolve()
    return any(secret.is_relative_to(real) for secret in private)


def _is_module(entry: Path) -> bool:
    if entry.is_dir():
        return (entry / "__init__.py").is_file()
    return entry.name.endswith(tuple(all_suffixes())) and entry.name != "nbgrader_config.py"


def _editable() -> Iterator[Path]:
    """The folders of editable installs that work by an import hook instead of a line in a .pth
    file, as setuptools makes them."""
    for finder in sys.meta_path:
        module = sys.modules.get(getattr(finder, "__module__", ""))
        mapping = getattr(module, "MAPPING", None)
        if str(getattr(module, "__name__", "")).startswith("__editable__") and mapping:
            for place in mapping.values():
                yield Path(place) if Path(place).is_dir() else Path(f"{place}.py")
