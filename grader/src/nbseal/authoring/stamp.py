"""Badge and setup cell: the first two cells of every notebook, the same everywhere but for the
address in them."""

from pathlib import Path

import nbformat
import typer
from nbformat import NotebookNode

from nbseal.authoring.settings import of
from nbseal.course import Course
from nbseal.notebook import files

SETUP_TEMPLATE = Path(__file__).with_name("setup_cell.py")
# The cell is not the student's to change: nbgrader restores it before grading.
SETUP_MARKS = {
    "grade": False,
    "grade_id": "setup",
    "locked": True,
    "schema_version": 3,
    "solution": False,
    "task": False,
}


def setup_source(course: Course) -> str:
    """The setup cell's code with the address of the student bundle."""
    settings = of(course)
    template = SETUP_TEMPLATE.read_text(encoding="utf-8").rstrip("\n")
    return template.replace("{repository}", settings.repository).replace(
        "{revision}", settings.revision
    )


def badge_source(course: Course, path: Path) -> str:
    """A link that opens the published notebook in Colab; Colab opens notebooks from GitHub only."""
    settings = of(course)
    if not settings.github:
        return f"*Part of the course “{settings.name}”.*"
    published = path.relative_to(course.root).as_posix().replace("solutions/", "exercises/", 1)
    target = f"https://colab.research.google.com/github/{settings.github}/blob/{settings.revision}/{published}"
    return f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({target})"


def stamped(course: Course, notebook: NotebookNode, path: Path) -> NotebookNode:
    """The notebook with badge and setup cell as course.toml says, as its first two cells."""
    old = {cell.get("id"): cell for cell in notebook.cells if cell.get("id") in ("badge", "setup")}
    badge = nbformat.v4.new_markdown_cell(badge_source(course, path), id="badge")
    setup = nbformat.v4.new_code_cell(setup_source(course), id="setup")
    # nbformat validates marks that nbgrader reads only in assignments; in a lecture the cell is
    # locked by Jupyter alone.
    setup.metadata = (
        {"nbgrader": SETUP_MARKS}
        if path.is_relative_to(course.solutions)
        else {"deletable": False, "editable": False}
    )
    if "setup" in old and old["setup"].source == setup.source:  # keep a lecture's stored output
        setup.outputs, setup.execution_count = old["setup"].outputs, old["setup"].execution_count
    result = nbformat.from_dict(notebook)
    result.cells = [
        badge,
        setup,
        *(cell for cell in notebook.cells if cell.get("id") not in ("badge", "setup")),
    ]
    return result


def stamp(course: Course) -> list[Path]:
    """Stamp all notebooks of the course; returns the files that changed."""
    # All are read before one is written: a damaged notebook leaves the others as they were.
    changed = {path: stamped(course, files.read(path), path) for path in course.notebooks()}
    return [path for path, notebook in changed.items() if files.write(notebook, path)]


def unstamped(course: Course) -> list[Path]:
    """The notebooks whose badge or setup cell is not what course.toml says."""
    stale = []
    for path in course.notebooks():
        notebook = files.read(path)
        if notebook.cells[:2] != stamped(course, notebook, path).cells[:2]:
            stale.append(path)
    return stale


def command(context: typer.Context) -> None:
    """Write badge and setup cell, with the address from course.toml, into lectures/ and
    solutions/."""
    course: Course = context.obj
    for path in (changed := stamp(course)):
        print(f"stamped {path.relative_to(course.root)}")
    print(
        f"{len(changed)} of {len(course.notebooks())} notebooks changed."
        + (" Now run `nbseal release`." if changed else "")
    )
