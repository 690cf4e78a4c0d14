"""What grading costs depends on what a notebook's cells let the grader do at once."""

from pathlib import Path

import nbformat
import pytest
from nbseal.cells.python import imported_modules
from nbseal.cells.sharing import steps
from nbseal.engine.prepared import seal_tests
from nbseal.engine.reference import SKIP_TAG
from nbseal.notebook.marks import grade_id
from nbseal.records import CellOrder

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
# the fourth's tests all read a constant of utils, which one of them might change
EXERCISES = [*SOLUTIONS.glob("0[12356]*/*.ipynb")]


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_all_tests_of_an_exercise_share_a_process_but_one(path):
    """Else each is forked for itself. One statement that changes what lasts is enough for it."""
    notebook = nbformat.read(path, as_version=4)
    sealed = seal_tests(notebook, path.stem, True, {})
    cells = [
        CellOrder(index, sealed[name].source, name, test=True)
        if name in sealed
        else CellOrder(index, cell.source, name, own="BEGIN SOLUTION" not in cell.source)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and SKIP_TAG not in cell.metadata.get("tags", ())
        for name in [grade_id(cell)]
    ]
    modules = imported_modules([cell.source for cell in cells if cell.own])  # warm when it runs
    alone = [step[0].grade_id for step in steps(cells, modules) if step[0].test and len(step) == 1]
    assert len(alone) <= 1, f"{alone}: see cells/keeping.py for what a shared process allows"
