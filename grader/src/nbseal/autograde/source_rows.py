"""What the gradebook knows of an assignment's source, read once a run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from nbgrader.api import GradeCell, SolutionCell, TaskCell

from nbseal.nbgrader_internals import base_cells


@dataclass(frozen=True)
class LockedCell:
    """A cell of the source notebook as the gradebook keeps it: what a submission's copy is restored
    from."""

    name: str
    cell_type: str
    source: str
    checksum: str
    locked: bool


@dataclass(frozen=True)
class GradedCell:
    """A cell that carries points."""

    id: str
    name: str
    cell_type: str
    max_score: float
    by_hand: bool  # scored by a person: written answers, free code, tasks


@dataclass(frozen=True)
class SourceNotebook:
    """What the gradebook knows about one notebook of an assignment."""

    id: str
    name: str
    kernelspec: dict | None
    cells: Mapping[str, LockedCell]
    graded: Mapping[str, GradedCell]
    commented: Mapping[str, str]  # name -> id of the cells that carry a comment

    @property
    def max_score(self) -> float:
        return sum(cell.max_score for cell in self.graded.values())

    @cached_property
    def tests_digest(self) -> str:
        """What it is graded by - its graded cells with their points - in a few characters."""
        cells = [
            (name, graded.max_score, self.cells[name].source if name in self.cells else "")
            for name, graded in self.graded.items()
        ]
        return hashlib.sha256(json.dumps(sorted(cells)).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class SourceAssignment:
    id: str
    name: str
    notebooks: Mapping[str, SourceNotebook]


def read_source(row) -> SourceNotebook:
    """From nbgrader's row of a source notebook."""
    cells = {
        cell.name: LockedCell(cell.name, cell.cell_type, cell.source, cell.checksum, cell.locked)
        for cell in row.source_cells
    }
    answers = {cell.name for cell in base_cells(row) if isinstance(cell, SolutionCell)}
    graded = {
        cell.name: GradedCell(
            cell.id,
            cell.name,
            cell.cell_type,
            float(cell.max_score),
            isinstance(cell, TaskCell) or cell.name in answers or cell.cell_type != "code",
        )
        for cell in base_cells(row)
        if isinstance(cell, (GradeCell, TaskCell))
    }
    commented = {
        cell.name: cell.id for cell in base_cells(row) if isinstance(cell, (SolutionCell, TaskCell))
    }
    kernelspec = json.loads(row.kernelspec) if row.kernelspec else None
    return SourceNotebook(row.id, row.name, kernelspec or None, cells, graded, commented)
