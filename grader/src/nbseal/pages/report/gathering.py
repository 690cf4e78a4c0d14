"""Reads a graded class: scores from nbgrader's gradebook, all else from the autograded
notebooks."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import answers, files
from nbseal.notebook.marks import other_language
from nbseal.notebook.notes import OURS, SECONDS, failed_of, record_of
from nbseal.pages.report.groups import Likely, wrong_answer
from nbseal.pages.report.records import ClassRecord, Failure, Submission, Task
from nbseal.records import Answers


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
    found = gradebook.assignment_submissions(assignment)
    folders = {
        row.student_id: Path(
            coursedir.format_path(coursedir.autograded_directory, row.student_id, assignment)
        )
        for row in found
    }
    graded = [
        row
        for row in found
        if any((folders[row.student_id] / f"{name}.ipynb").is_file() for name in names)
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
        for name, grade_id in _order(folders[graded[0].student_id], cells)
    )
    likely = answers.known_mutants(answers.mutants_of(Path(coursedir.root), assignment))
    submissions = [
        _submission(row, folders[row.student_id], names, coursedir, assignment, page, likely)
        for row in graded
    ]
    handed_in = {row.student_id for row in found}
    return ClassRecord(
        assignment,
        tasks,
        tuple(sorted(submissions, key=lambda submission: submission.student)),
        tuple(sorted(handed_in - {row.student_id for row in graded})),
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
            [grade_id for cell in _read(path).cells if (grade_id := _grade_id(cell)) in known]
            if path.is_file()
            else []
        )
        order += [(name, grade_id) for grade_id in dict.fromkeys([*seen, *sorted(known)])]
    return order


def _submission(
    row: SubmittedAssignment,
    folder: Path,
    names: Mapping[str, str | None],
    coursedir: CourseDirectory,
    assignment: str,
    page: Path,
    likely: Likely,
) -> Submission:
    scores: dict[str, float | None] = {}
    failures: list[Failure] = []
    repairs, flags, seconds, unreadable = [], [], [], False
    for notebook in row.notebooks:
        scores |= {_key(notebook.name, grade.name): _points(grade) for grade in notebook.grades}
        path = folder / f"{notebook.name}.ipynb"
        if not path.is_file():
            flags.append(_missing(notebook.name, names.get(notebook.name)))
            continue
        nb = _read(path)
        told, repair = nb.metadata.get(OURS) or {}, record_of(nb)
        lost = {
            grade.name
            for grade in notebook.grades
            if _points(grade) is not None and grade.score < grade.max_score
        }
        given = answers.kept(
            answers.place_of(Path(coursedir.root), assignment, row.student_id, notebook.name), nb
        )
        failures += _failures(nb, notebook.name, lost, given, likely)
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
        seconds += [
            cell.metadata[SECONDS]
            for cell in nb.cells
            if isinstance(cell.metadata.get(SECONDS), (int, float))
        ]
    if any(points is None for points in scores.values()):
        flags.append("Points are still to be given by hand.")
    penalty = row.late_submission_penalty or 0.0
    return Submission(
        row.student_id,
        " ".join(filter(None, (row.student.first_name, row.student.last_name))) or row.student_id,
        scores,
        max(0.0, row.score - penalty),
        row.max_score,
        penalty,
        row.timestamp,
        sum(seconds) if seconds else None,
        tuple(failures),
        tuple(repairs),
        tuple(dict.fromkeys(flags)),
        unreadable,
        tuple(_feedback(coursedir, row.student_id, assignment, names, page)),
    )


def _missing(notebook: str, language: str | None) -> str:
    if language:
        return f"{notebook}.ipynb was skipped: it is written in {language}, and left to nbgrader."
    return f"{notebook}.ipynb was not handed in."


def _points(grade) -> float | None:
    """A grade's points; None where a person has yet to give them."""
    undecided = grade.needs_manual_grade and grade.manual_score is None and grade.auto_score is None
    return None if undecided else grade.score


def _failures(
    nb: NotebookNode, notebook: str, lost: set[str], given: Answers | None, likely: Likely
) -> Iterator[Failure]:
    """Why the tasks in `lost` gave less than their points: one reason for each named mistake, or
    else the first thing said."""
    for cell in nb.cells:
        if cell.cell_type == "code" and (grade_id := _grade_id(cell)) in lost:
            failed = failed_of(cell)
            named = {check.mistake: check for check in failed if check.mistake}
            for check in named.values() or failed[:1]:
                answer = None if named else wrong_answer(nb, cell, check, given, likely)
                yield Failure(_key(notebook, grade_id), check, answer)


def _grade_id(cell: NotebookNode) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def _feedback(
    coursedir: CourseDirectory, student: str, assignment: str, names: Iterable[str], page: Path
) -> Iterator[str]:
    folder = Path(coursedir.format_path(coursedir.feedback_directory, student, assignment))
    for name in names:
        path = folder / f"{name}.html"
        if path.is_file():
            yield quote(os.path.relpath(path.resolve(), page.resolve().parent).replace(os.sep, "/"))


def _read(path: Path) -> NotebookNode:
    try:
        return files.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(
            f"{path} cannot be read ({error}): autograde the student again, with --force."
        ) from None
