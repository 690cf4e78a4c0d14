"""A solution cell with its own test cells, and no others."""

import copy
from dataclasses import dataclass

from nbformat import NotebookNode
from nbseal.notebook.marks import grade_id, is_solution, is_test


@dataclass(frozen=True)
class Task:
    """A solution cell with its test cells, and no others."""

    name: str
    number: int  # the cell's place in the notebook
    tests: frozenset[str]
    notebook: NotebookNode

    def submission(self, source: str) -> NotebookNode:
        """The reference solution's notebook as far as this task needs it, with another solution."""
        cells = [
            copy.copy(cell) if number == self.number else cell
            for number, cell in enumerate(self.notebook.cells)
        ]
        cells[self.number].source = source
        notebook = copy.copy(self.notebook)
        notebook.cells = cells
        return notebook


def tasks(source: NotebookNode) -> list[Task]:
    """The solution cells of a notebook that are tested before the next one begins."""
    found = []
    solutions = [
        number
        for number, cell in enumerate(source.cells)
        if cell.cell_type == "code" and is_solution(cell)
    ]
    for start, end in zip(solutions, [*solutions[1:], len(source.cells)]):
        tests = [n for n in range(start, end) if is_test(source.cells[n])]
        if tests:
            notebook = copy.copy(source)
            notebook.cells = [
                cell
                for number, cell in enumerate(source.cells[: tests[-1] + 1])
                if number in tests or not is_test(cell)
            ]
            number = sum(not is_test(cell) for cell in source.cells[:start])
            name = str(grade_id(source.cells[start]))
            names = frozenset(str(grade_id(source.cells[n])) for n in tests)
            found.append(Task(name, number, names, notebook))
    return found
