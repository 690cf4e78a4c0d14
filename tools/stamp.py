"""How every notebook begins: its title with the badge below it, then the setup cell, folded. Both
are the same everywhere but for the address in them."""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbseal.course import Course
from nbseal.notebook import files

from tools.running import here, run
from tools.settings import of

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
# In JupyterLab, in Colab, and on a page made by MyST-NB or Jupyter Book.
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}, "tags": ["hide-cell"]}
BADGE = re.compile(
    r"\[!\[Open in Colab\]\([^)]*\)\]\([^)]*\)|^\*Part of the course “[^”]*”\.\*$", re.MULTILINE
)


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
    """The notebook with its title first, badge below the heading, and the setup cell second, both
    as course.toml says."""
    cells = {cell.get("id"): cell for cell in notebook.cells}
    rest = [cell for cell in notebook.cells if cell.get("id") not in ("badge", "setup")]
    badge = badge_source(course, path)
    if rest and rest[0].cell_type == "markdown" and rest[0].source.startswith("# "):
        title = nbformat.from_dict(rest.pop(0))
        heading, _, text = BADGE.sub("", title.source).partition("\n")
        title.source = "\n\n".join(filter(None, (heading.strip(), badge, text.strip())))
    else:  # a notebook without a title
        title = nbformat.v4.new_markdown_cell(badge, id="badge")
    result = nbformat.from_dict(notebook)
    result.cells = [title, _setup_cell(course, path, cells.get("setup")), *rest]
    return result


def _setup_cell(course: Course, path: Path, old: NotebookNode | None) -> NotebookNode:
    """The setup cell, folded, with the outputs of the old one where the code is still the same."""
    setup = nbformat.v4.new_code_cell(setup_source(course), id="setup")
    # nbformat validates marks that nbgrader reads only in assignments; in a lecture the cell is
    # locked by Jupyter alone.
    locked = (
        {"nbgrader": SETUP_MARKS}
        if path.is_relative_to(course.solutions)
        else {"deletable": False, "editable": False}
    )
    setup.metadata = nbformat.from_dict(FOLDED | locked)
    if old and old.source == setup.source:  # keep a lecture's stored output
        setup.outputs, setup.execution_count = old.outputs, old.execution_count
    return setup


def notebooks(course: Course) -> list[Path]:
    """Every notebook that people write: lectures and sources, not what is made from them."""
    sources = [path for name in course.assignments() for path in course.source_notebooks(name)]
    return sorted([*(course.root / "lectures").glob("*.ipynb"), *sources])


def stamp(course: Course) -> list[Path]:
    """Stamp all notebooks of the course; returns the files that changed."""
    # All are read before one is written: a damaged notebook leaves the others as they were.
    changed = {path: stamped(course, files.read(path), path) for path in notebooks(course)}
    return [path for path, notebook in changed.items() if files.write(notebook, path)]


def unstamped(course: Course) -> list[Path]:
    """The notebooks whose badge or setup cell is not what course.toml says."""
    stale = []
    for path in notebooks(course):
        notebook = files.read(path)
        if notebook.cells[:2] != stamped(course, notebook, path).cells[:2]:
            stale.append(path)
    return stale


def main() -> None:
    """Write badge and setup cell, with the address from course.toml, into lectures/ and
    solutions/: title first, then the setup cell."""
    course = here()
    for path in (changed := stamp(course)):
        print(f"stamped {path.relative_to(course.root)}")
    print(
        f"{len(changed)} of {len(notebooks(course))} notebooks changed."
        + (" Now run `make release`." if changed else "")
    )


if __name__ == "__main__":
    run(main)
