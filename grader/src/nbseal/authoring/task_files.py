"""The task files of an assignment, tasks/ASSIGNMENT/NAME.py, and the instructor's solution that
answers them.

What this module runs is the instructor's own code, in this process: `nbseal check` and `nbseal
release` do it in a process of its own (task_process.py).
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from nbseal.authoring.lecture_sections import section
from nbseal.cells.python import as_python
from nbseal.checks import declared
from nbseal.course import TASKS, Course
from nbseal.errors import CourseError
from nbseal.notebook import files, marks

DELIMITER = re.compile(r"(BEGIN|END) SOLUTION")
CALLS = re.compile(r"^check\(\s*['\"](\w+)['\"]", re.M)
TITLE = re.compile(r"^#+ +(\w+ \d+)\b", re.M)


def task_folder(course: Course, assignment: str) -> Path:
    return course.root / TASKS / assignment


def task_files(course: Course, assignment: str) -> dict[str, Path]:
    """The task files of an assignment, by the names of their tasks."""
    return {path.stem: path for path in sorted(task_folder(course, assignment).glob("*.py"))}


@dataclass(frozen=True)
class Cell:
    """A solution cell. title: "Task 1", by the heading above it; points: of the cells that check
    it."""

    source: str
    title: str = ""
    points: float = 0
    marked: str = ""  # the source with BEGIN and END SOLUTION


@dataclass(frozen=True)
class Solved:
    """The instructor's notebook, solved."""

    path: Path
    notebook: NotebookNode

    @classmethod
    def all_of(cls, course: Course, assignment: str) -> list[Solved]:
        return [cls(path, files.read(path)) for path in course.source_notebooks(assignment)]

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The solution cells, by their names."""
        worth = self.checked
        title, found = "", {}
        for cell in self.notebook.cells:
            if cell.cell_type == "markdown" and (heading := TITLE.search(cell.source)):
                title = heading[1]
            elif cell.cell_type == "code" and marks.is_solution(cell):
                name = str(marks.grade_id(cell))
                lines = [line for line in cell.source.split("\n") if not DELIMITER.search(line)]
                source, points = "\n".join(lines), worth.get(name, 0)
                found[name] = Cell(source, title or name, points, cell.source)
        return found

    def cell_of(self, task: str) -> str | None:
        """The solution cell that a task asks: the one of its name; of a second task of one cell
        ("Block_projection") the one whose name it begins with."""
        found = [name for name in self.cells if f"{task}_".startswith(f"{name}_")]
        return max(found, key=len, default=None)

    @cached_property
    def checked(self) -> dict[str, float]:
        """The tasks that are checked by `check("NAME")`, and what they are worth."""
        return {
            name: marks.points(cell) or 0
            for cell in self.notebook.cells
            if marks.is_test(cell)
            for name in CALLS.findall(cell.source)
        }

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the notebook binds, but for its test cells and those that are skipped when it is
        graded. Raises CourseError where a cell fails."""
        names: dict[str, Any] = {"__name__": "__main__"}
        with _in(self.path.parent):
            for cell in self.notebook.cells:
                skipped = "skip-execution" in cell.metadata.get("tags", [])
                if cell.cell_type == "code" and not marks.is_test(cell) and not skipped:
                    self._run(cell.source, names, marks.grade_id(cell) or "a cell")
        return names

    def with_cell(self, source: str, what: str) -> dict[str, Any]:
        """The same names, with another source in the place of a solution cell."""
        names = dict(self.names)
        with _in(self.path.parent):
            self._run(source, names, what)
        return names

    def _run(self, source: str, names: dict[str, Any], what: str) -> None:
        try:
            exec(compile(as_python(source), f"<{what}>", "exec"), names)
        except Exception as error:
            raise CourseError(
                f"{self.path}: {what} fails with {type(error).__name__}: {error}"
            ) from error


@contextlib.contextmanager
def _in(folder: Path) -> Iterator[None]:
    """In a notebook's folder, with nothing printed."""
    before, path = Path.cwd(), list(sys.path)
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        os.chdir(before)
        sys.path[:] = path


def tasks_of(course: Course, assignment: str) -> list[Declared]:
    """Each task file beside the notebook that has its solution cell. Raises CourseError."""
    notebooks, found = Solved.all_of(course, assignment), list[Declared]()
    for name, path in task_files(course, assignment).items():
        solved = next((one for one in notebooks if one.cell_of(name)), None)
        if solved is None:
            names = ", ".join(cell for one in notebooks for cell in one.cells)
            raise CourseError(f"{path}: there is no solution cell {name!r}; there are: {names}.")
        found.append(Declared(course, solved, path))
    return found


# ---- one task, with its reference and its mistakes ----------------------------------------------


class Declared:
    """A task file beside the notebook that solves it. Raises CourseError for one that cannot be
    read."""

    def __init__(self, course: Course, solved: Solved, path: Path):
        self.course, self.solved, self.path, self.name = course, solved, path, path.stem
        own = str(solved.cell_of(self.name))
        self.cell = replace(solved.cells[own], points=solved.checked.get(self.name, 0))
        self.text = path.read_text(encoding="utf-8")
        try:
            names = solved.names  # torch is loaded where the notebook loads it
            self.task = declared.load(self.text)
            self.mistakes = declared.load_mistakes(self.text)
            # a second task of a cell takes the right variants of the first
            first = path.with_name(f"{own}.py")
            texts = [one.read_text(encoding="utf-8") for one in {first, path} if one.is_file()]
            self.variants = {
                k: v for text in texts for k, v in declared.load_variants(text).items()
            }
        except CourseError:
            raise
        except Exception as error:
            raise CourseError(f"{path}: {type(error).__name__}: {error}") from error
        if self.task.name != self.name:
            raise CourseError(f"{path} declares {self.task.name!r}: name the file after its task")
        self.reference: Mapping[str, Any] = names

    @cached_property
    def spaces(self) -> list[dict[str, Any]]:
        """For each mistake, the names of the notebook in which it was made."""
        return [self._space(mistake) for mistake in self.mistakes]

    def _space(self, mistake: declared.Mistake) -> dict[str, Any]:
        try:
            source = mistake.edit(self.cell.source)
        except (ValueError, SyntaxError) as error:
            raise CourseError(f"{self.path}: {error}") from None
        return self.solved.with_cell(source, f"the mistake {mistake.sentence!r} of {self.name}")

    @cached_property
    def sections(self) -> dict[str, declared.Section]:
        """Where the lectures explain its mistakes."""
        places = {one.see or self.task.see for one in self.mistakes}
        try:
            return {
                see: section(self.course, self.solved.path, self.solved.notebook, see)
                for see in sorted(filter(None, places))
            }
        except CourseError as error:
            raise CourseError(f"{self.path}: {error}") from None

    def asked(
        self, key: str = declared.PUBLIC, part: str = "visible"
    ) -> tuple[dict[str, declared.Wanted], list[declared.Known]]:
        """What is wanted, and what each mistake answers. Raises CourseError."""
        try:
            want = declared.wanted(self.task, self.reference, key, part=part)
        except declared.BadReference as error:
            raise CourseError(f"{self.path}: {error}") from None
        known = [
            declared.known_by(self.task, want, one.sentence, self._see(one), space, key, part)
            for one, space in zip(self.mistakes, self.spaces)
        ]
        return want, known

    def _see(self, mistake: declared.Mistake) -> declared.Section | None:
        return self.sections.get(mistake.see or self.task.see or "")

    def packed(self, key: str = declared.PUBLIC, part: str = "visible") -> dict[str, Any]:
        """What tasks.json, or graded.json, holds of it."""
        want, known = self.asked(key, part)
        source = declared.sections(self.text)["probes"]
        more = (self.cell.title, self.cell.points, key)
        try:
            return declared.packed(self.task, source, want, known, *more)
        except ValueError as error:
            raise CourseError(f"{self.path}: {error}") from None
