"""What the instructor's notebook says about a cell, and what a submission may not claim about
itself."""

import logging
from collections.abc import Collection, Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from nbseal.autograde.gradebook import SourceNotebook

_read: dict[Path, tuple[int, NotebookNode]] = {}


def source_notebook(
    coursedir: CourseDirectory, assignment: str, notebook: str
) -> NotebookNode | None:
    """The instructor's notebook, None where the course keeps none. Read again only when the file
    has changed."""
    path = (
        Path(coursedir.format_path(coursedir.source_directory, ".", assignment))
        / f"{notebook}.ipynb"
    )
    try:
        changed = path.stat().st_mtime_ns
        if path not in _read or _read[path][0] != changed:
            _read[path] = changed, nbformat.read(path, as_version=4)
    except FileNotFoundError:
        return None
    return _read[path][1]


def locked_cells(source: SourceNotebook) -> NotebookNode:
    """The cells that nbgrader restores in every submission, in their order, as a notebook."""
    cells = []
    for cell in source.cells.values():
        if cell.locked and cell.cell_type == "code":
            graded = source.graded.get(cell.name)
            marks = {
                "grade_id": cell.name,
                "locked": True,
                "solution": False,
                "grade": graded is not None,
                "task": False,
                "schema_version": 3,
                "cell_type": "code",
                "checksum": cell.checksum,
            }
            if graded:
                marks["points"] = graded.max_score
            cells.append(nbformat.v4.new_code_cell(cell.source, metadata={"nbgrader": marks}))
    return nbformat.v4.new_notebook(cells=cells)


def source_tags(coursedir: CourseDirectory, assignment: str, notebook: str) -> dict[str, list]:
    """The tags of every named cell of the instructor's notebook."""
    source = source_notebook(coursedir, assignment, notebook)
    return (
        {}
        if source is None
        else {
            cell.metadata["nbgrader"].get("grade_id"): list(cell.metadata.get("tags", []))
            for cell in source.cells
            if cell.metadata.get("nbgrader")
        }
    )


def restore_tags(
    nb: NotebookNode, known: Collection[str], tags: Mapping[str, list], log: logging.Logger
) -> None:
    """Give the instructor's cells the instructor's tags."""
    for cell in nb.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id not in known:
            continue
        theirs, right = cell.metadata.get("tags", []), tags.get(grade_id, [])
        if theirs != right:
            log.warning("The tags of cell %s were %s and are %s again", grade_id, theirs, right)
            cell.metadata.pop("tags", None)
            if right:
                cell.metadata["tags"] = list(right)
