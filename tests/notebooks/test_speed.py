"""What grading costs depends on what a notebook's cells let the grader do at once."""

from pathlib import Path

import nbformat
import pytest
from nbseal.cells.sharing import steps
from nbseal.engine.prepared import seal_tests
from nbseal.notebook.marks import grade_id
from nbseal.records import CellOrder

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
# the fourth's tests all read a constant of utils, which one of them might change
EXERCISES = [*SOLUTIONS.glob("0[1-3]*/*.ipynb")]
MODULES = ("torch", "torch.nn", "utils", "os", "shutil", "subprocess", "sys", "pathlib", "math")


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_half_of_the_tests_of_an_exercise_share_a_process(path):
    """Else each is forked for itself, which costs more than all that it does."""
    notebook = nbformat.read(path, as_version=4)
    sealed = seal_tests(notebook, path.stem)
    cells = [
        CellOrder(index, sealed[name].source, name, test=True)
        if name in sealed
        else CellOrder(index, cell.source, name, own="BEGIN SOLUTION" not in cell.source)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code"
        for name in [grade_id(cell)]
    ]
    together = [len(step) for step in steps(cells, MODULES) if step[0].test and len(step) > 1]
    assert sum(together) >= len(sealed) / 2
