"""Formgrader's Autograde button: it runs `nbseal autograde ASSIGNMENT --student NAME`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from traitlets.utils.importstring import import_item

from nbseal.autograde.writing import SealedExecute
from nbseal.nbgrader_internals import convert_by, converter_of


def by_command(exporter: Any) -> None:
    """Have the command grade what a button of Formgrader is about to convert with this exporter.
    Where the course grades by nbgrader's own engine, or nbgrader's command does, nothing
    changes."""
    converter = converter_of(exporter)
    if type(converter) is not Autograde or not isinstance(converter.parent, NbGraderAPI):
        return
    if any(map(_is_ours, converter.autograde_preprocessors)):
        convert_by(converter, lambda: _grade(converter))


def _is_ours(preprocessor: Any) -> bool:
    named = import_item(preprocessor) if isinstance(preprocessor, str) else preprocessor
    return isinstance(named, type) and issubclass(named, SealedExecute)


def _grade(converter: Autograde) -> None:
    """Grade by the command, which reads the same configuration as Formgrader: what lies in this
    folder and in Jupyter's. Raises NbGraderException where it fails."""
    course = converter.coursedir
    arguments = [
        course.assignment_id,
        f"--student={course.student_id}",
        f"--db={course.db_url}",
        f"--CourseDirectory.root={os.path.realpath(course.root)}",
        f"--CourseDirectory.course_id={course.course_id}",
        f"--Autograde.create_student={converter.create_student}",
        *["--force"] * converter.force,
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nbseal", "autograde", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    converter.log.info("%s", done.stdout + done.stderr)
    if done.returncode != 0:
        raise NbGraderException(f"`nbseal autograde` ended with {done.returncode}.")
