"""What is committed is what the commands make: exercises/ from solutions/, badge and setup cell
from course.toml."""

import nbformat
import pytest
from nbseal.authoring import settings
from nbseal.authoring.release import out_of_date
from nbseal.authoring.stamp import setup_source, unstamped
from nbseal.course import Course
from support.fixtures import ROOT

COURSE = Course.at(ROOT)
NOTEBOOKS = sorted([*COURSE.notebooks(), *COURSE.exercises.glob("*/*.ipynb")])


def test_exercises_are_what_nbgrader_makes_of_solutions():
    assert out_of_date(COURSE) == [], "run `nbseal release`"


def test_every_notebook_begins_with_the_badge_and_the_same_setup_cell():
    assert unstamped(COURSE) == [], "run `nbseal stamp`, then `nbseal release`"
    setup_cells = {nbformat.read(path, as_version=4).cells[1].source for path in NOTEBOOKS}
    assert setup_cells == {setup_source(COURSE)}
    assert len(setup_source(COURSE).splitlines()) <= 20


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_badges_open_what_students_may_read(path):
    badge = nbformat.read(path, as_version=4).cells[0]
    assert badge.id == "badge" and "solutions/" not in badge.source
    published = path.relative_to(ROOT).as_posix().replace("solutions/", "exercises/")
    assert (
        f"/{settings.of(COURSE).github}/blob/{settings.of(COURSE).revision}/{published})"
        in badge.source
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_outputs_are_stored_in_lectures_alone(path):
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    if path.parent == COURSE.lectures:
        assert any(cell.outputs for cell in code), "run `nbseal lectures`"
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
