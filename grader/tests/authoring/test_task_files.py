"""Which solution cell a task file asks."""

from pathlib import Path

from nbformat.v4 import new_code_cell, new_notebook
from nbseal.authoring.task_files import Solved


def test_a_second_task_of_a_cell_is_found_by_how_its_name_begins():
    names = ("norm", "norm_backward", "Block")
    cells = [
        new_code_cell(
            "### BEGIN SOLUTION\n### END SOLUTION",
            metadata={
                "nbgrader": {
                    "grade": False, "grade_id": name, "locked": False, "schema_version": 3,
                    "solution": True, "task": False,
                }
            },
        )
        for name in names
    ]  # fmt: skip
    solved = Solved(Path("x.ipynb"), new_notebook(cells=cells))
    assert solved.cell_of("norm_backward") == "norm_backward"
    assert solved.cell_of("norm_backward_again") == "norm_backward"
    assert solved.cell_of("Block_projection") == "Block"
    assert solved.cell_of("Blocks") is None
