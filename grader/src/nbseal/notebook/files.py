"""Reading and writing notebook files, the same way everywhere."""

import json
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4.nbjson import BytesEncoder, JSONReader

from nbseal.errors import CourseError
from nbseal.files import write_whole


def read(path: Path) -> NotebookNode:
    """A notebook file in format 4. Raises CourseError where it is missing or damaged."""
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except FileNotFoundError:
        raise CourseError(f"{path} does not exist.") from None
    except (nbformat.ValidationError, ValueError, TypeError, AttributeError, KeyError) as error:
        # nbformat raises any of these for JSON that is something else than a notebook.
        problem = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CourseError(f"{path} is not a valid notebook: {problem}") from None
    return notebook


def write(notebook: NotebookNode, path: Path) -> bool:
    """Write a notebook; whole or not at all, and not if the file already says the same. Returns
    whether it changed."""
    text = nbformat.writes(notebook) + "\n"
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    write_whole(path, text)
    return True


def execute(notebook: NotebookNode, folder: Path, **options) -> None:
    """Run a notebook's cells in a kernel of its own that starts in `folder`; `options` are
    nbclient's."""
    from nbclient import NotebookClient

    client = NotebookClient(
        notebook,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,  # times would make a new file of every run
        coalesce_streams=True,  # one text a stream, without the frames of a progress bar
        # a kernel of ours needs no advice on its transport
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        **options,
    )
    client.execute()


def loads(text: str) -> NotebookNode:
    """What `by_cell` wrote; not validated again."""
    return JSONReader().reads(text)


def of_content(content: dict) -> NotebookNode:
    """A notebook of what JSON says; not validated."""
    return JSONReader().to_notebook(content)


def by_cell(nb: NotebookNode) -> str:
    """For a file: a line for each cell. Raises nbformat.ValidationError for what is no notebook."""
    nbformat.validate(nb, relax_add_props=True)
    cells = ",\n  ".join(_line(cell) for cell in nb.cells)
    rest = "".join(
        f',\n "{key}": {_line(value)}' for key, value in sorted(nb.items()) if key != "cells"
    )
    return f'{{\n "cells": [\n  {cells}\n ]{rest}\n}}\n'


def _line(value) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, cls=BytesEncoder)
