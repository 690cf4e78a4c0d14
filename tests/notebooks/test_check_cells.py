"""Code cells are narrow enough to be read; check cells read like a title, and never tick what is still
open."""

import ast
import symtable

import nbformat
import pytest
from nbseal.cells import declared
from nbseal.cells.rules import student_names
from nbseal.course import Course
from nbseal.notebook import marks

from tests.course import ROOT

COURSE = Course.at(ROOT)
WIDEST = 88  # columns, as in a notebook beside its file browser


def cells(path):
    return nbformat.read(path, as_version=4).cells


def notebooks():
    return [path for name in COURSE.assignments() for path in COURSE.source_notebooks(name)]


def name_of(path):
    return path.parent.name


@pytest.mark.parametrize("path", notebooks(), ids=name_of)
@pytest.mark.parametrize("folder", ["solutions", "exercises"])
def test_check_cells_are_folded_under_a_title_in_jupyterlab_and_colab(path, folder):
    for cell in filter(marks.is_test, cells(ROOT / folder / path.parent.name / path.name)):
        what = marks.grade_id(cell)
        assert cell.metadata.get("cellView") == "form", what
        assert cell.metadata.get("jupyter", {}).get("source_hidden") is True, what
        assert cell.source.startswith("#@title Check: "), what


@pytest.mark.parametrize("path", notebooks(), ids=name_of)
def test_lines_of_code_are_short(path):
    long = [
        (marks.grade_id(cell), number)
        for cell in cells(path)
        if cell.cell_type == "code"
        for number, line in enumerate(cell.source.split("\n"), start=1)
        if len(line) > WIDEST
    ]
    assert long == []


@pytest.mark.parametrize("path", notebooks(), ids=name_of)
def test_everything_that_students_fill_in_is_called_in_what_they_can_run(path):
    released = cells(ROOT / "exercises" / path.parent.name / path.name)
    solutions = [cell for cell in cells(path) if marks.is_solution(cell)]
    to_write = student_names([cell.source for cell in solutions])
    sources = [cell.source for cell in filter(marks.is_test, released)]
    sources += [task.probes for task in declared.read(path.parent).values()]
    seen = {
        word for source in sources for node in ast.walk(ast.parse(source)) for word in _words(node)
    }
    assert to_write and to_write <= seen


def _words(node):
    """Names that code reads or takes as parameters, and what a declared task names as text."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Constant(value=str(name)):
            return {name}
    return set()


@pytest.mark.parametrize("path", notebooks(), ids=name_of)
def test_check_cells_bind_no_name_that_a_student_might_use(path):
    """They run among the student's names: a helper called `block` must not become a network."""
    released = cells(ROOT / "exercises" / path.parent.name / path.name)
    bound = {
        symbol.get_name()
        for cell in filter(marks.is_test, released)
        for symbol in symtable.symtable(cell.source, "<check>", "exec").get_symbols()
        if symbol.is_assigned() or symbol.is_imported()
    }
    assert not {name for name in bound if len(name) > 1 and not name.endswith("_")}
