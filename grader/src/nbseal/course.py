"""An nbgrader course: what its nbgrader_config.py says, its folders, and what sessions may see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nbseal.errors import CourseError
from nbseal.view import PRIVATE, CourseView, course_view

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

CONFIG = "nbgrader_config.py"
TASKS = "tasks"  # in a course's root: task files, a folder for each assignment
LECTURES = "lectures"  # the same: NN_topic.ipynb, which task files refer to


@dataclass(frozen=True)
class Course:
    """A course's folder, read as nbgrader reads it."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> Course:
        """The course whose nbgrader_config.py is in `root`."""
        if not (root / CONFIG).is_file():
            raise CourseError(f"{root} is not a course: it has no {CONFIG}.")
        return cls(root.resolve())

    @classmethod
    def find(cls, start: Path) -> Course:
        """The course that `start` lies in."""
        for folder in [start, *start.parents]:
            if (folder / CONFIG).is_file():
                return cls(folder.resolve())
        raise CourseError(
            f"{start} is not inside a course (no {CONFIG} there or above): "
            "go to the course's folder, or name it with --course."
        )

    @cached_property
    def config(self) -> Config:
        """nbgrader_config.py, and above it those in Jupyter's own folders. Raises CourseError."""
        from jupyter_core.paths import jupyter_config_path
        from traitlets.config import Config, PyFileConfigLoader

        config = Config()
        for folder in (*reversed(jupyter_config_path()), str(self.root)):
            if not Path(folder, CONFIG).is_file():
                continue
            try:
                config.merge(PyFileConfigLoader(CONFIG, path=folder).load_config())
            except Exception as error:  # whatever Python its author wrote
                raise CourseError(
                    f"{Path(folder, CONFIG)} cannot be read ({type(error).__name__}: {error}): "
                    "mend it."
                ) from None
        return config

    @cached_property
    def coursedir(self) -> CourseDirectory:
        """nbgrader's own idea of the course: names of folders, address of the gradebook."""
        from nbgrader.coursedir import CourseDirectory
        from traitlets import TraitError

        try:
            return CourseDirectory(config=self.config, root=str(self.root))
        except TraitError as error:
            raise CourseError(f"{self.root / CONFIG}: {error}") from None

    @cached_property
    def course_files(self) -> tuple[str, ...]:
        """What `nbseal.configure(c, course_files=...)` lists: what every notebook may read."""
        return tuple(self.config.SealedExecute.get("course_files", ()))

    @cached_property
    def view(self) -> CourseView:
        """What a session may see of the course. Raises CourseError for files that it lacks."""
        return view(self.coursedir, self.course_files)

    # -- folders -----------------------------------------------------------------------------------

    def folder(self, step: str, student: str = "", assignment: str = "") -> Path:
        """Where nbgrader keeps a step of the work: `source`, `release`, `submitted`, `autograded`
        or `feedback`; of everyone where no student is named, of all assignments where none is."""
        return place_of(
            self.coursedir, getattr(self.coursedir, f"{step}_directory"), student, assignment
        )

    @property
    def solutions(self) -> Path:
        """nbgrader's source: the instructor's version."""
        return self.folder("source")

    @property
    def exercises(self) -> Path:
        """nbgrader's release: what students get."""
        return self.folder("release")

    @property
    def earlier(self) -> Path:
        """Where `nbseal collect` keeps submissions that were replaced."""
        return self.root / f"{Path(self.coursedir.submitted_directory).name}_earlier"

    # -- notebooks ---------------------------------------------------------------------------------

    def assignments(self) -> list[str]:
        """The names of all assignments: folders of the source folder that hold a notebook."""
        folder = self.folder("source", assignment="*")
        above = folder.parts.index("*")
        return sorted(
            {path.parts[above] for path in Path(folder.anchor).glob(_below(folder / "*.ipynb"))}
        )

    def source_notebooks(self, assignment: str) -> list[Path]:
        """The instructor's notebooks of an assignment. Raises CourseError where there is none."""
        if assignment not in self.assignments():
            known = ", ".join(self.assignments()) or "none yet"
            raise CourseError(
                f"there is no assignment {assignment!r} in {self.solutions}; there are: {known}."
            )
        return sorted(self.folder("source", assignment=assignment).glob("*.ipynb"))

    def source_notebook(self, assignment: str) -> Path:
        """The instructor's only notebook of an assignment. Raises CourseError where there is none,
        or more than one."""
        notebooks = self.source_notebooks(assignment)
        if len(notebooks) != 1:
            raise CourseError(
                f"{self.solutions / assignment} must hold one notebook, and holds "
                f"{len(notebooks)}: {', '.join(path.name for path in notebooks)}."
            )
        return notebooks[0]

    def released_notebook(self, assignment: str) -> Path:
        """What students get of that notebook. Raises CourseError where it was not made yet."""
        source = self.source_notebook(assignment)
        released = self.folder("release", assignment=assignment) / source.name
        if not released.is_file():
            raise CourseError(
                f"{released} does not exist: make it with `nbseal release {assignment}`."
            )
        return released


def place_of(
    coursedir: CourseDirectory, step: str, student: str = "", assignment: str = ""
) -> Path:
    """A folder by nbgrader's `directory_structure`, cut off before the first part not asked for."""
    marks = {"student_id": student or ".", "assignment_id": assignment or "\0"}
    if not student and not assignment:
        marks["student_id"] = "\0"
    text = coursedir.format_path(step, marks["student_id"], marks["assignment_id"])
    folder = Path(re.split(r"[^/]*\0", text, maxsplit=1)[0])
    return folder if folder.is_absolute() else Path(coursedir.root, folder)


def view(coursedir: CourseDirectory, course_files: Sequence[str]) -> CourseView:
    """What a session may see of a course: its files, and never sources, submissions or results."""
    steps = ("source", "release", "submitted", "autograded", "feedback")
    hidden = [place_of(coursedir, getattr(coursedir, f"{step}_directory")) for step in steps]
    hidden.append(Path(coursedir.root, PRIVATE))
    if any(Path(coursedir.root, TASKS).glob("*/*.py")):
        hidden.append(Path(coursedir.root, TASKS))
    if coursedir.db_url.startswith("sqlite:///"):
        hidden.append(Path(coursedir.root, coursedir.db_url.removeprefix("sqlite:///")))
    # a `directory_structure` that begins with the assignment or the student: all of it is private
    hidden = [place for place in hidden if place != Path(coursedir.root)]
    return course_view(Path(coursedir.root), course_files, hidden)


def _below(folder: Path) -> str:
    return str(folder.relative_to(folder.anchor))
