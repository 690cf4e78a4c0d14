"""Whose code it is, told from where it lies: a library's, the course's, or the notebook's."""

from __future__ import annotations

import os
import sys
import sysconfig
import types
from collections.abc import Iterable, Mapping
from typing import Any

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
# where the package lies: among the grader's modules, or beside a course's notebooks
_HOME = os.path.dirname(_PACKAGE)
_LIBRARY_PLACES = tuple(
    os.path.join(place, "")
    for place in {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib")}
)
_handed_in: str | None = None  # the folder of files that are nobody's but the notebook's
_given: tuple[str, ...] = ()  # the files and folders that the course gives every notebook


def belongs_to_the_notebook(folder: str) -> None:
    """From now on all files that lie in this folder are the notebook's, `checks` beside them or
    not: where the course's own are links into another one."""
    global _handed_in
    _handed_in = os.path.join(os.path.realpath(folder), "")


def belongs_to_the_course(paths: Iterable[str]) -> None:
    """From now on these files, and all that lies in these folders, are the course's."""
    global _given
    _given = tuple(os.path.realpath(path) for path in paths)


def is_own_file(name: str) -> bool:
    return name.startswith(os.path.join(_PACKAGE, ""))


def is_library_file(name: str) -> bool:
    return (
        name.startswith((*_LIBRARY_PLACES, "<frozen "))
        or f"{os.sep}site-packages{os.sep}" in name
        or f"{os.sep}dist-packages{os.sep}" in name
    )


def is_course_module(module: str) -> bool:
    """Whether a module is the course's or the grader's."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and not is_library_file(file) and _is_course_file(file)


def _is_course_file(file: str) -> bool:
    """Whether a file is one that the course gives, or lies where this package, a copy of it or the
    course's configuration does, or in that copy."""
    real = os.path.realpath(file)
    if _handed_in is not None and real.startswith(_handed_in):
        return False
    if any(real == path or real.startswith(os.path.join(path, "")) for path in _given):
        return True
    folder = os.path.dirname(os.path.abspath(file))
    if os.path.join(folder, "").startswith(os.path.join(_HOME, "")):
        return True
    # a copy that is one file, as it once was; a copy; the top of an nbgrader course
    signs = ["checks.py", os.path.join("checks", "__init__.py"), "nbgrader_config.py"]
    if os.path.basename(folder) == "checks":
        signs.append("__init__.py")
    return any(os.path.exists(os.path.join(folder, sign)) for sign in signs)


def is_notebooks(code: types.CodeType, names: Mapping[str, Any]) -> bool:
    """Whether code was written in a cell, or in a file that lies beside the notebook."""
    file = code.co_filename
    if is_own_file(file) or is_library_file(file):
        return False
    if os.path.exists(file):
        return not _is_course_file(file)
    if not file.startswith("<"):
        return True
    # made from a text while running: a library does that for its dataclasses, say
    module = sys.modules.get(str(names.get("__name__")))
    made_in = getattr(module, "__file__", None)
    return made_in is None or not (is_library_file(made_in) or _is_course_file(made_in))


def module_of_code(code: types.CodeType, names: Mapping[str, Any]) -> str:
    """The module that code belongs to: by its file, where that lies in a library."""
    parts = code.co_filename.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            path = parts[len(parts) - parts[::-1].index(folder) :]
            return ".".join(path).removesuffix(".py")
    return str(names.get("__name__", ""))


def module_of_builtin(function: Any) -> str:
    owner = getattr(function, "__self__", None)
    kind = owner if isinstance(owner, type) else type(owner)
    built_in = getattr(owner, "__name__", "") or ("" if owner is None else kind.__name__)
    inner = kind.__module__ if kind.__module__ != "builtins" else built_in
    return str(getattr(function, "__module__", None) or inner)
