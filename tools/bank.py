"""The bank: right and wrong solutions of an assignment, in one file for each solution cell.

`bank_files` says how a file is written. A cell that a solution does not fill in is the reference
solution's. This module knows nothing about how a submission is graded.
"""

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode
from nbseal.authoring.bank_folder import bank_folder
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files, marks

from tools.bank_files import SEVERAL, Solution, read, refusal

DELIMITER = re.compile(r"(BEGIN|END) SOLUTION")


@dataclass(frozen=True)
class BankEntry:
    """One solution of an assignment and what grading it must give."""

    assignment: str
    name: str  # made of the task and of what it does: layer_norm-wrong-no-gamma
    is_right: bool
    is_sly: bool  # wrong, and written to get past the tests
    what: str  # one line that says what it does
    cells: dict[str, str]  # solution cell -> its source
    fails: frozenset[str]  # graded cells that give no points; all others give all of theirs
    told: str | None  # part of a message that a failing check shows


@dataclass(frozen=True)
class Assignment:
    """The cells of an assignment that the bank speaks of."""

    reference: dict[str, str]  # solution cell -> the reference solution's source
    points: dict[str, float]  # graded cell -> what it is worth

    @classmethod
    def of(cls, course: Course, assignment: str) -> "Assignment":
        cells = files.read(course.source_notebook(assignment)).cells
        return cls(
            reference={
                _name(cell): _without_delimiters(cell.source)
                for cell in cells
                if marks.is_solution(cell)
            },
            points={_name(cell): worth for cell in cells if (worth := marks.points(cell))},
        )

    def tests_of(self, task: str) -> set[str]:
        """The graded cells of a task: `layer_norm` stands for `layer_norm_test`."""
        return {name for name in (task, f"{task}_test") if name in self.points}


def _name(cell: NotebookNode) -> str:
    return str(marks.grade_id(cell))  # nbgrader names every cell that it marks


def _without_delimiters(source: str) -> str:
    return "\n".join(line for line in source.split("\n") if not DELIMITER.search(line))


def load_bank(course: Course, assignment: str) -> list[BankEntry]:
    """All solutions of an assignment, right ones first, in the order of the files. Raises
    CourseError, with file and line, for one that is not valid."""
    known = Assignment.of(course, assignment)
    folder = bank_folder(course, assignment)
    entries = [
        entry for path in sorted(folder.glob("*.py")) for entry in _load(path, assignment, known)
    ]
    if not entries:
        raise CourseError(f"{folder} holds no solutions: the bank of {assignment} is empty.")
    return sorted(entries, key=lambda entry: not entry.is_right)


def find_entry(course: Course, assignment: str, name: str) -> BankEntry:
    """The solution of this name. Raises CourseError with names like it where there is none."""
    entries = {entry.name: entry for entry in load_bank(course, assignment)}
    if name not in entries:
        alike = difflib.get_close_matches(name, entries, cutoff=0)
        raise CourseError(
            f"the bank of {assignment} has no solution {name!r}; names like it: {', '.join(alike)}."
        )
    return entries[name]


def _load(path: Path, assignment: str, known: Assignment) -> list[BankEntry]:
    title, solutions = read(path, known.reference)
    if path.stem != SEVERAL:
        _check_title(path, title, known)
    return [
        BankEntry(
            assignment,
            solution.name,
            solution.is_right,
            solution.is_sly,
            solution.what,
            solution.cells,
            _failed(path, solution, known),
            solution.told,
        )
        for solution in solutions
    ]


def _check_title(path: Path, title: str, known: Assignment) -> None:
    worth = sum(known.points[test] for test in known.tests_of(path.stem))
    if not worth:
        raise refusal(
            path,
            1,
            f"{path.stem!r} is not a task with points; move its solutions into `{SEVERAL}.py`.",
        )
    expected = f'"""{path.stem}, {worth:g} point{"s" * (worth != 1)}."""'
    if title != expected:
        raise refusal(path, 1, f"{title} is not what the notebook says; write {expected}.")


def _failed(path: Path, solution: Solution, known: Assignment) -> frozenset[str]:
    """The graded cells that a solution gets no points for."""
    if solution.is_right:
        return frozenset()
    if solution.fails is None:
        return frozenset(known.tests_of(path.stem))
    tasks = [task.strip() for task in solution.fails.text.split(",")]
    for task in tasks:
        if not known.tests_of(task):
            raise refusal(
                path,
                solution.fails.number,
                f"it fails {task!r}, which is not a task with points; write some of those that are "
                f"tested by: {', '.join(known.points)}.",
            )
    return frozenset().union(*map(known.tests_of, tasks))


def build_submission(course: Course, entry: BankEntry) -> NotebookNode:
    """The released notebook with its solution cells filled in, as a student would hand it in."""
    reference = Assignment.of(course, entry.assignment).reference
    notebook = files.read(course.released_notebook(entry.assignment))
    for cell in notebook.cells:
        if marks.is_solution(cell):
            name = _name(cell)
            cell.source = entry.cells.get(name, reference[name])
    return notebook
