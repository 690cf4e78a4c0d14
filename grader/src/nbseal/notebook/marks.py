"""nbgrader's marks on a cell: its name, what it is for, what it is worth."""

from __future__ import annotations

from collections.abc import Mapping

from nbformat import NotebookNode


def grade_id(cell: NotebookNode) -> str | None:
    """The cell's name in nbgrader, None for a cell that nbgrader leaves alone."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_test(cell: NotebookNode) -> bool:
    """Whether nbgrader scores a cell by running it."""
    marks = cell.metadata.get("nbgrader", {})
    return cell.cell_type == "code" and bool(marks.get("grade")) and not marks.get("solution")


def is_solution(cell: NotebookNode) -> bool:
    """Whether students write into this cell."""
    return cell.metadata.get("nbgrader", {}).get("solution", False)


def is_graded_by_person(cell: NotebookNode) -> bool:
    """Whether a person gives points to what students do in this cell."""
    return is_solution(cell) and bool(cell.metadata.get("nbgrader", {}).get("grade"))


def other_language(kernelspec: Mapping) -> str | None:
    """The language that a notebook's kernel says it is for, None where that is Python or not
    said."""
    language = str(kernelspec.get("language") or "python")
    return None if language.lower() == "python" else language


def points(cell: NotebookNode) -> float | None:
    """What a cell of automatic tests is worth, None for any other cell."""
    marks = cell.metadata.get("nbgrader", {})
    return float(marks["points"]) if marks.get("grade") and not marks.get("solution") else None


def locked(cell: NotebookNode) -> bool:
    """Whether a cell is the instructor's, and stands in a submission as it was released."""
    return bool(cell.metadata.get("nbgrader", {}).get("locked"))
