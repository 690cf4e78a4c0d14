"""Repair of what was handed in, in a process apart (nbseal.apart): whatever a file holds, reading
it takes no more than its time and memory."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from nbseal.apart import Apart, TooMuch
from nbseal.intake.damage import Damaged
from nbseal.intake.repair.submission import repaired

LARGEST = 256 << 20  # bytes of a notebook that keeps its outputs


class Repairs:
    """Opens submitted notebooks of one course. Whoever makes it closes it."""

    def __init__(self, coursedir: CourseDirectory):
        self._apart = Apart({"repair": partial(_repair, coursedir)}, LARGEST)
        self.close = self._apart.close

    def open(
        self, file: Path, assignment: str, notebook: str, *, outputs: bool = False
    ) -> NotebookNode:
        """A submitted notebook, ready to be graded. Raises Damaged where there is nothing to grade.

        outputs: whether they are kept; a notebook that is run gets new ones.
        """
        request = {
            "file": os.path.abspath(file),
            "assignment": assignment,
            "notebook": notebook,
            "outputs": outputs,
        }
        try:
            found = self._apart.ask("repair", request)
        except TooMuch as error:
            raise Damaged(
                f"{file.name} is too large or too intricate: {error}. Clear its outputs, delete "
                "what is not part of the assignment, and hand it in again."
            ) from None
        if "damaged" in found:
            raise Damaged(found["damaged"])
        nb: NotebookNode = nbformat.from_dict(found["nb"])
        return nb


def _repair(coursedir: CourseDirectory, request: dict) -> dict:
    """The task: everything in it reads, and runs nothing."""
    file = Path(request["file"])
    try:
        nb = repaired(file, file.parent, coursedir, request["assignment"], request["notebook"])
    except Damaged as problem:
        return {"damaged": str(problem)}
    for cell in () if request["outputs"] else nb.cells:
        if cell.get("cell_type") == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return {"nb": nb}
