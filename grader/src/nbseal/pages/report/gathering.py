"""Reads a graded class: scores from nbgrader's gradebook, all else from the autograded
notebooks."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files
from nbseal.notebook.marks import grade_id, other_language
from nbseal.notebook.mutants import known_mutants, mutants_of
from nbseal.notebook.notes import OURS, SECONDS, failed_of, record_of
from nbseal.pages.report.groups import Likely, wrong_answer
from nbseal.pages.report.processes import in_processes
from nbseal.pages.report.records import ClassRecord, Failure, Submission, Task
from nbseal.pages.report.rows import Row, read_rows


def course_directory(root: Path, db_url: str | None = None) -> CourseDirectory:
    """nbgrader's folders and gradebook of the course in `root`."""
    coursedir = Course(root.resolve()).coursedir
    if db_url:
        coursedir.db_url = db_url
    return coursedir


def gather(
    gradebook: Gradebook, coursedir: CourseDirectory, assignment: str, page: Path
) -> ClassRecord:
    """All that a report says about an assignment. `page` is the file that links to feedback are
    relative to."""
    try:
        source = gradebook.find_assignment(assignment)
    except MissingEntry:
        known = ", ".join(item.name for item in gradebook.assignments) or "none"
        raise CourseError(
            f"the gradebook knows no assignment {assignment!r}; it knows: {known}."
        ) from None
    # notebook -> its language, where that is not Python and nbgrader grades it
    names = {
        notebook.name: other_language(json.loads(notebook.kernelspec or "{}"))
        for notebook in source.notebooks
    }
    found = read_rows(gradebook, assignment)
    folders = {
        row.student: Path(
            coursedir.format_path(coursedir.autograded_directory, row.student, assignment)
        )
        for row in found
    }
    graded = [
        row
        for row in found
        if any((folders[row.student] / f"{name}.ipynb").is_file() for name in names)
    ]
    if not graded:
        raise CourseError(
            f"nothing of {assignment} is graded yet: run `nbseal autograde {assignment}`."
        )
    cells = {
        notebook.name: {
            cell.name: cell.max_score for cell in (*notebook.grade_cells, *notebook.task_cells)
        }
        for notebook in source.notebooks
    }
    tasks = tuple(
        Task(
            _key(name, grade_id),
            _task_name(name, grade_id, many=len(names) > 1),
            cells[name][grade_id],
        )
        for name, grade_id in _order(folders[graded[0].student], cells)
    )
    likely = known_mutants(mutants_of(Path(coursedir.root), assignment))
    max_score = source.max_score
    submissions = in_processes(
        lambda row: _submission(
            row, max_score, folders[row.student], names, coursedir, assignment, page, likely
        ),
        graded,
    )
    handed_in = {row.student for row in found}
    return ClassRecord(
        assignment,
        tasks,
        tuple(sorted(submissions, key=lambda submission: submission.student)),
        tuple(sorted(handed_in - {row.student for row in graded})),
        tuple(sorted(student.id for student in gradebook.students if student.id not in handed_in)),
    )


def _key(notebook: str, grade_id: str) -> str:
    return f"{notebook}/{grade_id}"


def _task_name(notebook: str, grade_id: str, many: bool) -> str:
    name = grade_id.removesuffix("_test")
    return f"{notebook}: {name}" if many else name


def _order(folder: Path, cells: dict[str, dict[str, float]]) -> list[tuple[str, str]]:
    """Graded cells as they stand in the notebooks; those that one submission lacks come last."""
    order = []
    for name, known in cells.items():
        path = folder / f"{name}.ipynb"
        seen = (
            [found for cell in _content(path)["cells"] if (found := _grade_id_in(cell)) in known]
            if path.is_file()
            else []
        )
        order += [(name, cell) for cell in dict.fromkeys([*seen, *sorted(known)])]
    return order


def _submission(
    row: Row,
    max_score: float,
    folder: Path,
    names: Mapping[str, str | None],
    coursedir: CourseDirectory,
    assignment: str,
    page: Path,
    likely: Likely,
) -> Submission:
    scores: dict[str, float | None] = {}
    empty: set[str] = set()
    failures: list[Failure] = []
    repairs, flags, seconds, unreadable = [], [], [], False
    for notebook, points in row.notebooks.items():
        scores |= {_key(notebook, cell): one.given for cell, one in points.items()}
        empty |= {_key(notebook, cell) for cell, one in points.items() if one.is_empty}
        path = folder / f"{notebook}.ipynb"
        if not path.is_file():
            flags.append(_missing(notebook, names.get(notebook)))
            continue
        graded = _Graded(path, {cell for cell, one in points.items() if one.is_lost})
        told, repair = graded.head.metadata.get(OURS) or {}, record_of(graded.head)
        failures += _failures(graded, notebook, likely)
        repairs += repair["notes"]
        flags += [
            text
            for text in (
                repair["unreadable"],
                *repair["doubts"],
                told.get("problem"),
                *told.get("flags", ()),
            )
            if text
        ]
        unreadable = unreadable or bool(repair["unreadable"])
        seconds += graded.seconds
    if any(points is None for points in scores.values()):
        flags.append("Points are still to be given by hand.")
    return Submission(
        row.student,
        row.name,
        scores,
        max(0.0, row.raw_score - row.penalty),
        max_score,
        row.penalty,
        row.timestamp,
        sum(seconds) if seconds else None,
        tuple(failures),
        tuple(repairs),
        tuple(dict.fromkeys(flags)),
        unreadable,
        frozenset(empty),
        tuple(_feedback(coursedir, row.student, assignment, names, page)),
    )


class _Graded:
    """An autograded notebook. Most of it is text, code and pictures, of which a report says
    nothing: it becomes a notebook's cells only where it is asked for."""

    def __init__(self, path: Path, lost: set[str]):
        """lost: cells of tests that gave less than their points."""
        self._content = _content(path)
        cells = self._content["cells"]
        failed = [
            cell for cell in cells if cell["cell_type"] == "code" and _grade_id_in(cell) in lost
        ]
        # the notebook without all other cells
        self.head = files.of_content(self._content | {"cells": failed})
        said = [cell.get("metadata", {}).get(SECONDS) for cell in cells]
        self.seconds = [value for value in said if isinstance(value, (int, float))]

    @cached_property
    def written(self) -> NotebookNode:
        """All code cells, without what they put out and what was noted of them."""
        code = [cell for cell in self._content["cells"] if cell["cell_type"] == "code"]
        bare = [cell | {"outputs": [], "metadata": _marks(cell)} for cell in code]
        return files.of_content({**self._content, "metadata": {}, "cells": bare})


def _missing(notebook: str, language: str | None) -> str:
    if language:
        return f"{notebook}.ipynb was skipped: it is written in {language}, and left to nbgrader."
    return f"{notebook}.ipynb was not handed in."


def _failures(graded: _Graded, notebook: str, likely: Likely) -> Iterator[Failure]:
    """Why tasks gave less than their points: one reason for each named mistake, or else the first
    thing said."""
    for cell in graded.head.cells:
        failed = failed_of(cell)
        named = {check.mistake: check for check in failed if check.mistake}
        for check in named.values() or failed[:1]:
            answer = None if named else wrong_answer(graded.written, cell, check, likely)
            yield Failure(_key(notebook, grade_id(cell) or ""), check, answer)


def _marks(cell: dict) -> dict:
    """The part of a cell's metadata that is nbgrader's."""
    return {"nbgrader": cell.get("metadata", {}).get("nbgrader", {})}


def _grade_id_in(cell: dict) -> str | None:
    name = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
    return name if isinstance(name, str) else None


def _feedback(
    coursedir: CourseDirectory, student: str, assignment: str, names: Iterable[str], page: Path
) -> Iterator[str]:
    folder = Path(coursedir.format_path(coursedir.feedback_directory, student, assignment))
    for name in names:
        path = folder / f"{name}.html"
        if path.is_file():
            yield quote(os.path.relpath(path.resolve(), page.resolve().parent).replace(os.sep, "/"))


def _content(path: Path) -> dict:
    """A notebook file, as JSON has it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
            raise ValueError("it is no notebook")
    except (OSError, ValueError) as error:
        raise CourseError(
            f"{path} cannot be read ({error}): autograde the student again, with --force."
        ) from None
    return content
