"""How a cell is read: as IPython hands it to Python."""

import ast

import pytest
from nbseal.cells.python import (
    HARMLESS,
    RUNS_CODE,
    _transformer,
    as_python,
    python_of,
    runs_as_it_stands,
)

SOURCES = [
    "x = 1",
    "x = 1\n\n",
    "\n\nx = 1",
    "  x = 1",
    "def f():\n    pass\n  ",
    "if x:\n    %time y",
    "'''\n%time x\n'''",
    "(x\n% y)",
    "(x,\n!y)",
    "%matplotlib inline",
    "%%time\nx = 1",
    "y = !ls",
    "x?",
    "# a question?",
    "#!shell",
    "#%%",
    "In [1]: x",
    ">>> x",
    "x: int = 3\n...",
    "a\r\nb",
    "x\fy",
    "",
]


@pytest.mark.parametrize("source", SOURCES)
def test_python_is_read_as_ipython_reads_it(source):
    """Also where IPython is not asked, since it is Python as it stands."""
    wanted = _transformer().transform_cell(source)

    def parsed(text):
        try:
            return ast.dump(ast.parse(text), include_attributes=True)
        except SyntaxError:
            return text

    assert parsed(as_python(source)) == parsed(wanted)


def test_a_cell_of_one_line_that_begins_with_a_magic_is_one():
    """`run ["x"]` is Python, and IPython runs the file."""
    assert python_of('run ["x"]') == f"{RUNS_CODE}\n"
    assert python_of("\nsx ['ls']\n") == python_of("ls -l") == f"{HARMLESS}\n"
    for source in ("run = 3", "run, x = 1, 2", "time.sleep(1)", "x", "rank [0]", "# run", "x\nrun"):
        assert python_of(source) == source


@pytest.mark.parametrize("end", "\x0b\x0c\x1c\x85\u2028\u2029")
def test_a_magic_behind_what_ends_a_line_for_ipython_alone_is_code_that_cannot_be_read(end):
    hidden = f"x = 1\n# a note{end}%pwd{end}layer_norm = F.layer_norm\n"
    assert "F.layer_norm" in ast.unparse(ast.parse(_transformer().transform_cell(hidden)))
    assert python_of(hidden) == f"{RUNS_CODE}\n\n"
    harmless = f"x = 'a{end}b'  # 5 % of c"
    assert python_of(harmless) == harmless


@pytest.mark.parametrize("error", [IndexError, KeyError, TypeError, RuntimeError])
def test_a_cell_on_which_ipython_fails_does_not_run_as_it_stands(monkeypatch, error):
    """And costs nobody the reading of a notebook."""

    def fails(lines):
        raise error

    assert runs_as_it_stands("x = 1")
    monkeypatch.setattr(_transformer(), "do_one_token_transform", fails, raising=True)
    assert not runs_as_it_stands("x = 1")
