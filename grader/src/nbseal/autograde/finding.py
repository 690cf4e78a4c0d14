"""The submissions of an assignment: the folders in which nbgrader looks for them.

nbgrader takes each folder's name for a student's id, and for a pattern of file names as well. One
whose name is no id is said and left alone; the others are graded.
"""

from __future__ import annotations

import glob
import os
import unicodedata

from nbgrader.converters import Autograde

from nbseal.nbgrader_internals import pattern_of

LONGEST_ID = 128  # characters, as the gradebook's column
PATTERN = frozenset("*?[]")
ANYBODY = "*"


def found(converter: Autograde) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The folders of an assignment with the notebooks in each; and the students' folders whose
    names are no ids, each with the sentence that says why."""
    coursedir = converter.coursedir
    submissions: dict[str, list[str]] = {}
    odd: dict[str, str] = {}
    anyone = coursedir.student_id == ANYBODY  # then nothing is passed over without a word
    pattern = pattern_of(converter, coursedir.assignment_id, coursedir.student_id)
    for folder in glob.glob(pattern, include_hidden=anyone):
        notebooks = os.path.join(glob.escape(folder), coursedir.notebook_id + ".ipynb")
        paths = glob.glob(notebooks)
        student = _student(converter, folder)
        if anyone and (why := what_is_odd(student)):
            if paths:
                odd[student] = why
        elif paths:
            submissions[folder] = paths
        else:
            converter.log.warning("No notebooks were matched by '%s'", notebooks)
    return submissions, odd


def _student(converter: Autograde, folder: str) -> str:
    """The part of a submission's path that is its student's name."""
    pattern = pattern_of(converter, converter.coursedir.assignment_id, "\0")
    before, _, after = pattern.partition("\0")
    return folder[len(before) : len(folder) - len(after)]


def what_is_odd(student: str) -> str | None:
    """Why a folder's name cannot be a student's id; None for one that can."""
    problem = _problem(student)
    if problem is None:
        return None
    return f"The name of its folder {problem}: rename the folder {student!r} and run this again."


def _problem(student: str) -> str | None:
    if any(unicodedata.category(one) == "Cs" for one in student):  # as Python shows stray bytes
        return "is not written in UTF-8"
    if any(unicodedata.category(one) in ("Cc", "Zl", "Zp") for one in student):
        return "holds a line break or another control character"
    if PATTERN & set(student):
        return f"holds one of {' '.join(sorted(PATTERN))}, which nbgrader takes for a pattern"
    if student.startswith("."):
        return "begins with a dot, so that nbgrader does not see it"
    if student != student.strip():
        return "begins or ends with a space, which nbgrader leaves out"
    if len(student) > LONGEST_ID:
        return f"has more than the {LONGEST_ID} characters of an id in the gradebook"
    return None
