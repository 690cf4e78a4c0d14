"""Notebooks as text, fast: nbformat's own writer spends most of a submission's writing time on indentation.

The same format, written by json's C encoder. `nbformat.read` reads both.
"""

import json

import nbformat
from nbformat import NotebookNode
from nbformat.v4.nbjson import BytesEncoder, JSONReader


def compact(nb: NotebookNode) -> str:
    """For another part of the program: no line breaks, nothing sorted, nothing validated."""
    return json.dumps(nb, ensure_ascii=False, cls=BytesEncoder)


def loads(text: str) -> NotebookNode:
    """What `compact` wrote."""
    return JSONReader().reads(text)


def by_cell(nb: NotebookNode) -> str:
    """For a file: a line for each cell. Raises nbformat.ValidationError for what is no notebook."""
    nbformat.validate(nb, relax_add_props=True)
    cells = ",\n  ".join(_line(cell) for cell in nb.cells)
    rest = "".join(f',\n "{key}": {_line(value)}' for key, value in sorted(nb.items()) if key != "cells")
    return f'{{\n "cells": [\n  {cells}\n ]{rest}\n}}\n'


def _line(value) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, cls=BytesEncoder)
