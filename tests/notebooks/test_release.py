"""What is committed is what the commands make: exercises/ from solutions/, badge and setup cell
from course.toml."""

import nbformat
import pytest
from nbseal.authoring.release import out_of_date
from nbseal.course import Course

from tests.course import ROOT
from tools import settings
from tools.stamp import FOLDED, notebooks, setup_source, unstamped

COURSE = Course.at(ROOT)
NOTEBOOKS = sorted([*notebooks(COURSE), *COURSE.exercises.glob("*/*.ipynb")])


def test_exercises_are_what_nbgrader_makes_of_solutions():
    assert out_of_date(COURSE) == [], "run `nbseal release`"


def test_every_notebook_begins_with_its_title_and_the_same_setup_cell():
    assert unstamped(COURSE) == [], "run `make stamp release`"
    begins = [nbformat.read(path, as_version=4).cells[:2] for path in NOTEBOOKS]
    assert all(title.id == "title" and title.source.startswith("# ") for title, _ in begins)
    assert {setup.source for _, setup in begins} == {setup_source(COURSE)}
    assert all(setup.metadata.items() >= FOLDED.items() for _, setup in begins)


@pytest.mark.parametrize(
    "path", sorted((COURSE.root / "lectures").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_a_lectures_code_is_read_without_scrolling(path):
    """Not to the side in JupyterLab; and a cell is one thought."""
    notebook = nbformat.read(path, as_version=4)
    code = {
        cell.id: cell.source.splitlines() for cell in notebook.cells if cell.cell_type == "code"
    }
    assert {
        name: max(map(len, lines)) for name, lines in code.items() if max(map(len, lines)) > 88
    } == {}
    assert [name for name, lines in code.items() if len(lines) > 25 and name != "setup"] == []


@pytest.mark.parametrize(
    "path", sorted((COURSE.root / "lectures").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_a_lectures_checks_are_folded(path):
    """In JupyterLab, in Colab and on the site; what they print stays in sight."""
    checks = [
        cell
        for cell in nbformat.read(path, as_version=4).cells
        if "claim" in cell.metadata.get("tags", [])
    ]
    assert checks
    for cell in checks:
        assert cell.source.startswith("# @title Checks"), cell.id
        assert cell.metadata["cellView"] == "form", cell.id
        assert cell.metadata["jupyter"] == {"source_hidden": True}, cell.id
        assert "hide-input" in cell.metadata["tags"], cell.id


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_badges_open_what_students_may_read(path):
    badge = nbformat.read(path, as_version=4).cells[0].source.split("\n")[2]
    assert badge.startswith("[![Open in Colab]") and "solutions/" not in badge
    published = path.relative_to(ROOT).as_posix().replace("solutions/", "exercises/")
    assert (
        f"/{settings.of(COURSE).github}/blob/{settings.of(COURSE).revision}/{published})" in badge
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_outputs_are_stored_in_lectures_alone(path):
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    if path.parent == ROOT / "lectures":
        assert any(cell.outputs for cell in code), "run `make lectures`"
        assert not [
            output for cell in code for output in cell.outputs if output.output_type == "error"
        ]
    else:
        assert not any(cell.outputs or cell.execution_count for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_cells_have_names_and_no_traces_of_a_machine(path):
    notebook = nbformat.read(path, as_version=4)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert not [cell.id for cell in notebook.cells if "execution" in cell.metadata]
    assert str(ROOT) not in path.read_text(encoding="utf-8")
