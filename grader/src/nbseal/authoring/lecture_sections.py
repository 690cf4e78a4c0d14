"""Where a lecture explains a mistake: see="02#the-axis" of a task file, found among the headings of
lectures/02_*.ipynb."""

from __future__ import annotations

import os
import re
from pathlib import Path

from nbformat import NotebookNode

from nbseal.checks.declared import Section
from nbseal.course import LECTURES, Course
from nbseal.errors import CourseError
from nbseal.notebook import files

HEADING = re.compile(r"^#{2,6}[ \t]+(\S.*?)[ \t]*$", re.M)
NUMBER = re.compile(r"^[\d.]+\W+")  # "2 · " before a heading's words


def slug(heading: str) -> str:
    """A heading as task files name it: its words, in small letters, without its number."""
    return re.sub(r"\W+", "-", NUMBER.sub("", heading).lower()).strip("-")


def section(course: Course, notebook: Path, content: NotebookNode, see: str) -> Section:
    """The section that a task file of this notebook names. Raises CourseError for none."""
    number, _, name = see.partition("#")
    lecture = next(iter(sorted((course.root / LECTURES).glob(f"{number}_*.ipynb"))), None)
    if not number or lecture is None:
        raise CourseError(
            f"there is no lecture {number!r} for see={see!r}: write the number of a file in "
            f"{course.root / LECTURES}, then `#` and its section."
        )
    found = {
        slug(heading): (heading, cell.get("id", ""))
        for cell in files.read(lecture).cells
        if cell.cell_type == "markdown"
        for heading in HEADING.findall(cell.source)
    }
    if name not in found:
        raise CourseError(
            f"{lecture.name} has no section {name!r}; its sections are: {', '.join(found)}."
        )
    heading, cell = found[name]
    released = course.folder("release", assignment=notebook.parent.name)
    place = os.path.relpath(lecture, released).replace(os.sep, "/")
    path = f"{place}#{heading.replace(' ', '-')}"  # as JupyterLab names headings
    return Section(
        f"lecture {number}, {heading}", path, _web(course, content, released, lecture, cell)
    )


def _web(course: Course, content: NotebookNode, released: Path, lecture: Path, cell: str) -> str:
    """The lecture's address, beside the one that the notebook's badge gives for itself."""
    here = re.escape("/" + released.relative_to(course.root).as_posix() + "/")
    address = re.compile(rf"\((https?://[^\s()]+){here}")
    text = "\n".join(one.source for one in content.cells if one.cell_type == "markdown")
    if not (match := address.search(text)):
        return ""
    return f"{match[1]}/{lecture.relative_to(course.root).as_posix()}#scrollTo={cell}"
