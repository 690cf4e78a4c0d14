"""What the instructor's notebook says about a cell, and what a submission may not claim about
itself."""

import hashlib
import logging
from collections.abc import Collection, Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from nbseal.autograde.gradebook import SourceNotebook
from nbseal.cells.declared import FILE as TASKS
from nbseal.notebook.marks import grade_id, is_test

# Where nbgrader itself writes into a test when it generates an assignment.
FILLED_IN = ("AUTOTEST", "BEGIN SOLUTION")


class SourceNotebooks:
    """The instructor's notebooks of a course. Each is read again only when its file has changed."""

    def __init__(self, coursedir: CourseDirectory):
        self._coursedir = coursedir
        self._read: dict[Path, tuple[int, NotebookNode]] = {}

    def read(self, assignment: str, notebook: str) -> NotebookNode | None:
        """The instructor's notebook, None where the course keeps none."""
        course = self._coursedir
        folder = Path(course.format_path(course.source_directory, ".", assignment))
        path = folder / f"{notebook}.ipynb"
        try:
            changed = path.stat().st_mtime_ns
            if path not in self._read or self._read[path][0] != changed:
                self._read[path] = changed, nbformat.read(path, as_version=4)
        except FileNotFoundError:
            return None
        return self._read[path][1]

    def tests_digest(self, assignment: str, source: SourceNotebook) -> str:
        """What a notebook is graded by: its tests with their points, and the declared tasks that
        they ask."""
        course = self._coursedir
        tasks = Path(course.format_path(course.source_directory, ".", assignment), TASKS)
        if not tasks.is_file():
            return source.tests_digest
        return f"{source.tests_digest}-{hashlib.sha256(tasks.read_bytes()).hexdigest()[:16]}"

    def tags(self, assignment: str, notebook: str) -> dict[str, list]:
        """The tags of every named cell of the instructor's notebook."""
        source = self.read(assignment, notebook)
        return {
            cell.metadata["nbgrader"].get("grade_id"): list(cell.metadata.get("tags", []))
            for cell in (source.cells if source is not None else ())
            if cell.metadata.get("nbgrader")
        }


def edited_tests(written: NotebookNode | None, source: SourceNotebook) -> list[str]:
    """The tests that the instructor's notebook has otherwise than the gradebook does."""
    return [
        name
        for cell in (written.cells if written is not None else ())
        for name in [grade_id(cell)]
        if name
        and name in source.cells
        and is_test(cell)
        and cell.source.strip() != source.cells[name].source.strip()
        and not any(mark in cell.source for mark in FILLED_IN)
    ]


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
