"""Reads a graded class: scores from nbgrader's gradebook, all else from the autograded
notebooks."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from nbformat import NotebookNode
from nbgrader.api import Assignment, Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files
from nbseal.notebook.marks import grade_id, is_solution, other_language
from nbseal.notebook.notes import OURS, SECONDS, failed_of, record_of, verdict_of
from nbseal.pages.grades import Row, read_rows
from nbseal.pages.report.records import ClassRecord, Failure, Number, Submission, Task

LONGEST = 4000  # letters of a student's code that a report shows


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
    found = read_rows(gradebook, assignment)
    reader = _Reader.of(source, coursedir, page)
    graded = [row for row in found if any(path.is_file() for path in reader.notebooks_of(row))]
    if not graded:
        raise CourseError(
            f"nothing of {assignment} is graded yet: run `nbseal autograde {assignment}`."
        )
    tasks = tuple(_tasks(source, reader.folder(graded[0])))
    submissions = [reader.submission(row) for row in graded]
    handed_in = {row.student for row in found}
    return ClassRecord(
        assignment,
        tasks,
        tuple(sorted(submissions, key=lambda submission: submission.student)),
        tuple(sorted(handed_in - {row.student for row in graded})),
        tuple(sorted(student.id for student in gradebook.students if student.id not in handed_in)),
    )


def _key(notebook: str, name: str) -> str:
    return f"{notebook}/{name}"


def _tasks(source: Assignment, folder: Path) -> Iterator[Task]:
    """Graded cells as they stand in the notebooks; those that a submission lacks come last."""
    for notebook in source.notebooks:
        cells = {
            cell.name: cell.max_score for cell in (*notebook.grade_cells, *notebook.task_cells)
        }
        path = folder / f"{notebook.name}.ipynb"
        seen = map(grade_id, _read(path).cells) if path.is_file() else ()
        for name in dict.fromkeys([*(name for name in seen if name in cells), *sorted(cells)]):
            shown = name.removesuffix("_test")
            shown = f"{notebook.name}: {shown}" if len(source.notebooks) > 1 else shown
            yield Task(_key(notebook.name, name), shown, cells[name])


@dataclass(frozen=True)
class _Reader:
    """Reads submissions of one assignment."""

    assignment: str
    max_score: float
    # name of a notebook -> its language, where that is not Python and nbgrader grades it
    languages: dict[str, str | None]
    coursedir: CourseDirectory
    page: Path

    @classmethod
    def of(cls, source: Assignment, coursedir: CourseDirectory, page: Path) -> _Reader:
        languages = {
            notebook.name: other_language(json.loads(notebook.kernelspec or "{}"))
            for notebook in source.notebooks
        }
        return cls(source.name, source.max_score, languages, coursedir, page)

    def folder(self, row: Row, step: str = "autograded") -> Path:
        directory = getattr(self.coursedir, f"{step}_directory")
        return Path(self.coursedir.format_path(directory, row.student, self.assignment))

    def notebooks_of(self, row: Row) -> list[Path]:
        return [self.folder(row) / f"{name}.ipynb" for name in self.languages]

    def submission(self, row: Row) -> Submission:
        scores: dict[str, float | None] = {}
        empty: set[str] = set()
        failures: list[Failure] = []
        numbers: list[Number] = []
        repairs, flags, seconds, unreadable = [], [], [], False
        for name, points in row.notebooks.items():
            scores |= {_key(name, cell): one.given for cell, one in points.items()}
            empty |= {_key(name, cell) for cell, one in points.items() if one.is_empty}
            path = self.folder(row) / f"{name}.ipynb"
            if not path.is_file():
                flags.append(_missing(name, self.languages.get(name)))
                continue
            lost = {cell for cell, one in points.items() if one.is_lost}
            nb = _read(path, lost)
            told, repair = nb.metadata.get(OURS) or {}, record_of(nb)
            failures += self._failures(nb, name, lost)
            numbers += _numbers(nb, name)
            repairs += repair["notes"]
            problems = repair["unreadable"], *repair["doubts"], told.get("problem")
            flags += [text for text in (*problems, *told.get("flags", ())) if text]
            unreadable = unreadable or bool(repair["unreadable"])
            said = [cell.metadata.get(SECONDS) for cell in nb.cells]
            seconds += [value for value in said if isinstance(value, (int, float))]
        if any(points is None for points in scores.values()):
            flags.append("Points are still to be given by hand.")
        return Submission(
            row.student,
            row.name,
            scores,
            max(0.0, row.raw_score - row.penalty),
            self.max_score,
            row.penalty,
            sum(seconds) if seconds else None,
            tuple(failures),
            tuple(numbers),
            tuple(repairs),
            tuple(dict.fromkeys(flags)),
            unreadable,
            frozenset(empty),
            tuple(self._feedback(row)),
        )

    def _failures(self, nb: NotebookNode, notebook: str, lost: set[str]) -> Iterator[Failure]:
        """Why tasks gave less than their points: one reason for each named mistake, or else the
        first thing said."""
        code = ""  # the solution before a test
        for cell in nb.cells:
            name = grade_id(cell) or ""
            if cell.cell_type == "code" and name in lost:
                failed = failed_of(cell)
                named = {check.mistake: check for check in failed if check.mistake}
                for check in named.values():
                    yield Failure(_key(notebook, name), check)
                for check in () if named else failed[:1]:
                    yield Failure(_key(notebook, name), check, code)
            if cell.cell_type == "code" and is_solution(cell):
                code = cell.source[:LONGEST]

    def _feedback(self, row: Row) -> Iterator[str]:
        for name in self.languages:
            path = self.folder(row, "feedback") / f"{name}.html"
            if path.is_file():
                place = os.path.relpath(path.resolve(), self.page.resolve().parent)
                yield quote(place.replace(os.sep, "/"))


def _missing(notebook: str, language: str | None) -> str:
    if language:
        return f"{notebook}.ipynb was skipped: it is written in {language}, and left to nbgrader."
    return f"{notebook}.ipynb was not handed in."


def _numbers(nb: NotebookNode, notebook: str) -> Iterator[Number]:
    """What criteria compared, such as losses."""
    for cell in nb.cells:
        verdict = verdict_of(cell)
        for check in verdict.checks if verdict else ():
            if check.number is not None:
                yield Number(_key(notebook, grade_id(cell) or ""), check.label, check.number)


def _read(path: Path, lost: set[str] = frozenset()) -> NotebookNode:  # type: ignore[assignment]
    """An autograded notebook, with outputs of the named cells alone: pictures are most of a
    file."""
    try:
        nb = json.loads(path.read_text(encoding="utf-8"))
        for cell in nb["cells"]:
            if (
                "outputs" in cell
                and cell["metadata"].get("nbgrader", {}).get("grade_id") not in lost
            ):
                cell["outputs"] = []
        return files.of_content(nb)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CourseError(
            f"{path} cannot be read ({error}): autograde the student again, with --force."
        ) from None
