"""Reading the instructor's notebook: which cells are tests, what the reference run executes, what is skipped."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode

from grading.answer_key import ReferenceCell
from grading.cell_names import as_python

SKIP_TAG = "skip-execution"


def grade_id_of(cell: NotebookNode) -> str | None:
    """The name that nbgrader gives a cell."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_test(cell: NotebookNode) -> bool:
    """Whether nbgrader scores a cell by running it."""
    marks = cell.metadata.get("nbgrader", {})
    return cell.cell_type == "code" and bool(marks.get("grade")) and not marks.get("solution")


def reference_cells(source: NotebookNode, tests: NotebookNode, sealed: frozenset[str]) -> list[ReferenceCell]:
    """The code cells of the instructor's notebook that are executed, with the tests as nbgrader knows them."""
    cells = with_tests(source, tests).cells
    return [ReferenceCell(cell.source, grade_id_of(cell) if grade_id_of(cell) in sealed else None) for cell in cells
            if cell.cell_type == "code" and cell.source.strip() and SKIP_TAG not in cell.metadata.get("tags", [])]


def with_tests(source: NotebookNode, tests: NotebookNode) -> NotebookNode:
    """The instructor's notebook with locked cells as nbgrader's gradebook has them, which is what students are graded by."""
    texts = {grade_id_of(cell): cell.source for cell in tests.cells if grade_id_of(cell)}
    notebook = nbformat.from_dict(source)
    notebook.cells = [nbformat.from_dict(cell) for cell in source.cells]
    for cell in notebook.cells:
        if is_test(cell):
            cell.source = texts.get(grade_id_of(cell), cell.source)
    return notebook


def imported_modules(sources: Sequence[str]) -> tuple[str, ...]:
    """The modules that import statements of these cells name, in their order."""
    found: dict[str, None] = {}
    for source in sources:
        try:
            tree = ast.parse(as_python(source))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update({alias.name: None for alias in node.names})
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found[node.module] = None
    return tuple(name for name in found if name.split(".")[0] not in ("utils", "grading"))


@dataclass(frozen=True)
class Skipped:
    """Which cells are not executed: those that carry the tag in the instructor's notebook, whatever a submission says."""

    grade_ids: frozenset[str]
    cell_ids: frozenset[str]
    sources: frozenset[str]

    @classmethod
    def of(cls, notebook: NotebookNode) -> "Skipped":
        tagged = [cell for cell in notebook.cells if SKIP_TAG in cell.metadata.get("tags", [])]
        plain = [cell for cell in tagged if not grade_id_of(cell)]
        return cls(frozenset(grade_id_of(cell) for cell in tagged if grade_id_of(cell)),
                   frozenset(cell.id for cell in plain if cell.get("id")),
                   frozenset(cell.source.strip() for cell in plain))

    def __contains__(self, cell: NotebookNode) -> bool:
        name = grade_id_of(cell)
        return name in self.grade_ids if name else cell.get("id") in self.cell_ids or cell.source.strip() in self.sources
