"""The released notebook as what submissions are rebuilt on."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import nbformat
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from nbseal.cells.python import defines
from nbseal.intake.repair.likeness import normal

# Marks that decide what becomes of a cell. A checksum may differ, nbgrader writes it anew.
MARKS = ("grade_id", "grade", "solution", "locked", "task", "points", "schema_version")

Role = Literal["solution", "locked", "free"]


@dataclass(frozen=True)
class ReleasedCell:
    """One cell of the released notebook."""

    index: int
    node: NotebookNode
    # written by students; restored by nbgrader; theirs to change or delete
    role: Role

    @property
    def kind(self) -> str:
        return self.node.cell_type

    @property
    def source(self) -> str:
        return self.node.source

    @property
    def name(self) -> str | None:
        return self.node.metadata.get("nbgrader", {}).get("grade_id")

    @property
    def id(self) -> str | None:
        return self.node.get("id")

    def is_untouched(self, source: str) -> bool:
        """Whether a source is what was released, or nothing."""
        return normal(source) in ("", normal(self.source))

    def is_marked_as_released(self, marks) -> bool:
        """Whether a submitted cell's nbgrader metadata say what the released cell's say."""
        mine = self.node.metadata["nbgrader"]
        return isinstance(marks, dict) and all(marks.get(key) == mine.get(key) for key in MARKS)


class Skeleton:
    """The released notebook and what is known of each cell in it."""

    def __init__(self, released: NotebookNode):
        self.nb = released
        self.cells = [
            ReleasedCell(index, node, _role(node)) for index, node in enumerate(released.cells)
        ]

    @cached_property
    def solutions(self) -> list[ReleasedCell]:
        return [cell for cell in self.cells if cell.role == "solution"]

    @cached_property
    def by_name(self) -> dict[str | None, ReleasedCell]:
        return {cell.name: cell for cell in self.cells if cell.name}

    def marked(self, cell: NotebookNode) -> ReleasedCell | None:
        """The released cell that the marks of a student's cell name, whatever stands there."""
        marks = cell.metadata.get("nbgrader")
        name = marks.get("grade_id") if isinstance(marks, dict) else None
        return self.by_name.get(name) if isinstance(name, str) else None

    @cached_property
    def by_id(self) -> dict[str, ReleasedCell]:
        return {cell.id: cell for cell in self.cells if cell.id}

    @cached_property
    def owner(self) -> dict[str, ReleasedCell]:
        """Name -> the one solution cell that defines it; names that several cells bind tell
        nothing."""
        bound = {cell.index: defines(cell.source) for cell in self.cells if cell.kind == "code"}
        times = Counter(name for names in bound.values() for name in names)
        return {
            name: cell
            for cell in self.solutions
            for name in bound.get(cell.index, ())
            if times[name] == 1
        }

    def owners(self, source: str) -> list[ReleasedCell]:
        """The solution cells whose names a source defines, in the notebook's order."""
        found = {self.owner[name].index for name in self.owner.keys() & defines(source)}
        return [self.cells[index] for index in sorted(found)]

    @cached_property
    def _names(self) -> dict[int, frozenset[str]]:
        return {
            cell.index: frozenset(name for name, owner in self.owner.items() if owner is cell)
            for cell in self.solutions
        }

    def names_of(self, cell: ReleasedCell) -> frozenset[str]:
        """The names that this solution cell alone defines."""
        return self._names.get(cell.index, frozenset())


def _role(node: NotebookNode) -> Role:
    if utils.is_solution(node):
        return "solution"
    return "locked" if node.metadata.get("nbgrader", {}).get("grade_id") else "free"


_read: dict[Path, tuple[int, Skeleton]] = {}


def skeleton_of(coursedir: CourseDirectory, assignment: str, notebook: str) -> Skeleton | None:
    """The skeleton of a notebook: as released, else made from the instructor's.

    None where the course keeps neither, and where nbgrader has marked no cell of it: there is
    nothing to rebuild on.
    """
    for step, make in (
        (coursedir.release_directory, lambda nb: nb),
        (coursedir.source_directory, lambda nb: _without_answers(nb, coursedir)),
    ):
        path = Path(coursedir.format_path(step, ".", assignment)) / f"{notebook}.ipynb"
        if path.is_file():
            changed = path.stat().st_mtime_ns
            if path not in _read or _read[path][0] != changed:
                _read[path] = changed, Skeleton(make(nbformat.read(path, as_version=4)))
            skeleton = _read[path][1]
            return skeleton if any(cell.name for cell in skeleton.cells) else None
    return None


def _without_answers(nb: NotebookNode, coursedir: CourseDirectory) -> NotebookNode:
    nb.metadata.setdefault("kernelspec", {}).setdefault("language", "python")
    for preprocessor in (ClearSolutions, ClearHiddenTests):
        nb, _ = preprocessor(config=coursedir.config).preprocess(nb, {})
    return nb
