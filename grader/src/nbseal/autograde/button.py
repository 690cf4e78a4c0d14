"""Formgrader's Autograde button where `nbseal serve` runs: it is `nbseal autograde --student`, and
the server answers it.

Without a server, or where Formgrader was configured otherwise than the course, nothing changes: the
button grades in the Jupyter server's own process, by nbgrader's own code (exporter.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.plugins import BasePlugin

from nbseal import asking
from nbseal.autograde.application import AutogradeApp
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.nbgrader_internals import convert_by, converter_of

SAID = ("root", "db_url", "course_id")
_OURS = ("nbgrader.", "nbseal.")


def through_server(exporter: Any) -> None:
    """Have the server grade what a button of Formgrader is about to convert with this exporter."""
    converter = converter_of(exporter)
    if type(converter) is not Autograde or not isinstance(converter.parent, NbGraderAPI):
        return
    root = os.path.realpath(converter.coursedir.root)
    if (connection := asking.connect(root)) is None:
        return
    connection.close()
    try:
        ours = Course.at(Path(root)).config
    except CourseError:
        return
    names = _known() | set(ours)
    if _relevant(ours, names) == _relevant(converter.parent.config, names):
        convert_by(converter, lambda: _grade(converter, root))


def _known() -> set[str]:
    """Classes of nbgrader's and of this package that may be configured: converters, preprocessors,
    plugins."""
    names, todo = set[str](), [*AutogradeApp().classes, BasePlugin]
    while todo:
        one = todo.pop()
        for base in one.__mro__:
            if base.__name__ not in names:
                names.add(base.__name__)
                todo += base.__subclasses__() if base.__module__.startswith(_OURS) else ()
    return names


def _relevant(config: Any, names: set[str]) -> dict[str, str]:
    """What is configured under these names, but for what `_grade` says, in a form that can be
    compared: of a value that is still to be put together, no two are equal."""
    found = {
        name: {key: repr(value) for key, value in config[name].items() if key not in SAID}
        for name in names & set(config)
    }
    return {name: repr(sorted(section.items())) for name, section in found.items() if section}


def _grade(converter: Autograde, root: str) -> None:
    """As the command grades; as nbgrader does where the server declines. Raises NbGraderException
    where it fails."""
    course = converter.coursedir
    arguments = [
        course.assignment_id,
        f"--student={course.student_id}",
        f"--db={course.db_url}",
        f"--CourseDirectory.course_id={course.course_id}",
        f"--Autograde.create_student={converter.create_student}",
        *["--force"] * converter.force,
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nbseal.asking", "autograde", *arguments],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode == asking.DECLINED:
        type(converter).convert_notebooks(converter)
        return
    converter.log.info("%s", done.stdout + done.stderr)
    if done.returncode != 0:
        raise NbGraderException(f"`nbseal autograde` ended with {done.returncode}.")
