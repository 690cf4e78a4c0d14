"""Reading and writing notebook files, the same way everywhere."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grading.errors import CourseError


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
    """Write a notebook; whole or not at all, and not if the file already says the same. Returns whether it changed."""
    text = nbformat.writes(notebook) + "\n"
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8", newline="\n")
    unfinished.replace(path)
    return True


def grade_id(cell: NotebookNode) -> str | None:
    """The cell's name in nbgrader, None for a cell that nbgrader leaves alone."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_solution(cell: NotebookNode) -> bool:
    """Whether students write into this cell."""
    return cell.metadata.get("nbgrader", {}).get("solution", False)


def points(cell: NotebookNode) -> float | None:
    """What a cell of automatic tests is worth, None for any other cell."""
    marks = cell.metadata.get("nbgrader", {})
    return float(marks["points"]) if marks.get("grade") and not marks.get("solution") else None


def execute(notebook: NotebookNode, folder: Path, **options) -> None:
    """Run a notebook's cells in a kernel of its own that starts in `folder`; `options` are nbclient's."""
    from nbclient import NotebookClient

    client = NotebookClient(
        notebook, resources={"metadata": {"path": str(folder)}},
        record_timing=False,  # times would make a new file of every run
        coalesce_streams=True,  # one text a stream, without the frames of a progress bar
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # a kernel of ours needs no advice on its transport
        **options,
    )
    client.execute()
