"""Reading the instructor's notebook: which cells are tests, what the reference run executes, what
is skipped."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode

from nbseal.cells import declared
from nbseal.cells.sealing import Sealed
from nbseal.notebook.marks import grade_id, is_test, points
from nbseal.records import CellOutputs, ReferenceCell

SKIP_TAG = "skip-execution"
OPEN_TASK = "NotImplementedError"  # what nbgrader puts in the place of a solution raises it


def reference_cells(
    source: NotebookNode, tests: NotebookNode, sealed: Mapping[str, Sealed]
) -> list[ReferenceCell]:
    """The code cells of the instructor's notebook that are executed, with the tests as nbgrader
    knows them."""
    cells = with_tests(source, tests).cells
    return [
        _test(cell.source, name, sealed[name])
        if (name := grade_id(cell)) and name in sealed
        else ReferenceCell(cell.source)
        for cell in cells
        if cell.cell_type == "code"
        and cell.source.strip()
        and SKIP_TAG not in cell.metadata.get("tags", [])
    ]


def _test(source: str, name: str, sealed: Sealed) -> ReferenceCell:
    """A test as the reference runs it: in full, or, if it asks declared tasks, with their
    probes."""
    asks = declared.is_sealed(sealed.source)
    return ReferenceCell(sealed.source if asks else source, name, sealed.shown)


def with_tests(source: NotebookNode, tests: NotebookNode) -> NotebookNode:
    """The instructor's notebook with locked cells as nbgrader's gradebook has them, which is what
    students are graded by."""
    texts = {grade_id(cell): cell.source for cell in tests.cells if grade_id(cell)}
    notebook: NotebookNode = nbformat.from_dict(source)
    notebook.cells = [nbformat.from_dict(cell) for cell in source.cells]
    for cell in notebook.cells:
        if is_test(cell):
            cell.source = texts.get(grade_id(cell), cell.source)
    return notebook


def shortfall(
    notebook: NotebookNode, shown: Mapping[int, CellOutputs], sealed: Collection[str]
) -> str | None:
    """How the first test without a seal gave less than its points, by nbgrader's rules; None where
    all gave everything, and where the notebook is no solution: it stops at a task left open."""
    earlier = ""  # what went wrong first is what has to be mended
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            continue
        outputs = shown[number - 1].outputs if number - 1 in shown else []
        failed = next((one for one in outputs if one.output_type == "error"), None)
        if failed is not None and failed.ename == OPEN_TASK:
            return None
        error = failed and _said(failed)
        if is_test(cell) and grade_id(cell) not in sealed and (most := points(cell)):
            if error:
                return f"fails in {grade_id(cell)!r} ({error}{earlier})"
            if (part := _partial(outputs)) is not None and part != most:
                return f"gets {part:g} of {most:g} points in {grade_id(cell)!r}"
        elif error and not earlier:
            earlier = f", after cell {number} failed: {error}"
    return None


def _said(error: NotebookNode) -> str:
    text = (str(error.evalue).strip().splitlines() or [""])[0][:300]
    return ": ".join(filter(None, (error.ename, text)))


def _partial(outputs: list[NotebookNode]) -> float | None:
    """The points that a test's value says; None where it says none, which gives all."""
    results = [output for output in outputs if output.output_type == "execute_result"]
    try:
        return float(results[0].data.get("text/plain")) if results else None
    except (TypeError, ValueError):
        return None


@dataclass(frozen=True)
class Skipped:
    """Which cells are not executed: those that carry the tag in the instructor's notebook, whatever
    a submission says."""

    grade_ids: frozenset[str]
    cell_ids: frozenset[str]
    sources: frozenset[str]

    @classmethod
    def of(cls, notebook: NotebookNode) -> Skipped:
        tagged = [cell for cell in notebook.cells if SKIP_TAG in cell.metadata.get("tags", [])]
        plain = [cell for cell in tagged if not grade_id(cell)]
        return cls(
            frozenset(name for cell in tagged if (name := grade_id(cell))),
            frozenset(cell.id for cell in plain if cell.get("id")),
            frozenset(cell.source.strip() for cell in plain),
        )

    def __contains__(self, cell: NotebookNode) -> bool:
        name = grade_id(cell)
        return (
            name in self.grade_ids
            if name
            else cell.get("id") in self.cell_ids or cell.source.strip() in self.sources
        )
