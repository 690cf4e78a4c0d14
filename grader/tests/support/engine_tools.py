"""What the engine's tests share: a course small enough to start in a second, and notebooks from
lists of cells."""

import shutil
from pathlib import Path

import nbformat
from nbseal import checks
from nbseal.view import CourseView, course_view

UTILS = '"""A course without torch: what its notebooks import."""\nfrom checks import *\n'


def make_course(folder: Path) -> Path:
    """A course of utils.py and the checks."""
    (folder / "utils.py").write_text(UTILS)
    shutil.copytree(
        Path(checks.__file__).parent,
        folder / "checks",
        ignore=shutil.ignore_patterns("__pycache__"),
        dirs_exist_ok=True,  # the fixture course has them, too
    )
    return folder


def seen(folder: Path) -> CourseView:
    """What sessions see of such a course, or of any other folder with these files."""
    names = ("utils.py", "checks", "data")
    return course_view(folder, [name for name in names if (folder / name).exists()])


def code(
    source: str,
    grade_id: str | None = None,
    *,
    test: bool = False,
    solution: bool = False,
    tags: list | None = None,
    points: float = 1,
):
    """A code cell, marked for nbgrader where it has a name."""
    cell = nbformat.v4.new_code_cell(source)
    if grade_id:
        cell.metadata["nbgrader"] = {
            "grade_id": grade_id,
            "grade": test,
            "solution": solution,
            "locked": test,
            "schema_version": 3,
            "task": False,
        } | ({"points": points} if test else {})
    if tags:
        cell.metadata["tags"] = tags
    return cell


def notebook(*cells):
    """A notebook of copies of these cells, each with an id of its own; texts become code cells."""
    copies = [
        code(cell) if isinstance(cell, str) else nbformat.from_dict(dict(cell, id=f"cell-{number}"))
        for number, cell in enumerate(cells)
    ]
    return nbformat.v4.new_notebook(cells=copies)


def executed(nb, result):
    """A copy of a notebook that shows what came out of executing it."""
    shown = nbformat.from_dict(nb)
    for index, cell in enumerate(shown.cells):
        if cell.cell_type == "code":
            cell.outputs = result.cells[index].outputs
            cell.execution_count = result.cells[index].execution_count
    return shown


def text_of(cell) -> str:
    """All that a cell printed to stdout."""
    return "".join(
        output.text
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stdout"
    )


def error_of(cell):
    """The cell's error output, None if there is none."""
    return next((output for output in cell.outputs if output.output_type == "error"), None)
