"""How a cell is read: as IPython hands it to Python."""

import ast

import pytest
from nbseal.cells.python import _transformer, as_python

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
