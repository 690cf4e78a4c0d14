"""The bank: right and wrong solutions of an assignment, each a small file that says what it is.

    # wrong: divides by n - 1
    # fails: row_stats, layer_norm
    # told: You divided by D - 1

    # %% row_stats
    def row_stats(x):
        ...

The first line says what the solution does, and whether it is `right` or `wrong`. A wrong one names
the tasks that lose their points (`fails`) and a part of the message that the student must read
(`told`; left out where none is diagnosed). Then each `# %% NAME` begins the full source of the
solution cell of that name; a cell that is not given is the reference solution's. This module knows
nothing about how a submission is graded.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files, marks

HEADER = re.compile(r"# (right|wrong|fails|told): (.+)")
CELL = re.compile(r"# %% (\S+)")
DELIMITER = re.compile(r"(BEGIN|END) SOLUTION")


@dataclass(frozen=True)
class BankEntry:
    """One solution of an assignment and what grading it must give."""

    assignment: str
    name: str  # the file's name without .py
    is_right: bool
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
                marks.grade_id(cell): _without_delimiters(cell.source)
                for cell in cells
                if marks.is_solution(cell)
            },
            points={marks.grade_id(cell): worth for cell in cells if (worth := marks.points(cell))},
        )

    def tests_of(self, task: str) -> set[str]:
        """The graded cells of a task: `layer_norm` stands for `layer_norm_test`."""
        return {name for name in (task, f"{task}_test") if name in self.points}


def _without_delimiters(source: str) -> str:
    return "\n".join(line for line in source.split("\n") if not DELIMITER.search(line))


def bank_folder(course: Course, assignment: str) -> Path:
    """Where the solutions of an assignment are."""
    return course.root / "bank" / assignment


def load_bank(course: Course, assignment: str) -> list[BankEntry]:
    """All solutions of an assignment, sorted by name. Raises CourseError, with file and line, for
    one that is not valid."""
    known = Assignment.of(course, assignment)
    folder = bank_folder(course, assignment)
    entries = [_load(path, assignment, known) for path in sorted(folder.glob("*.py"))]
    if not entries:
        raise CourseError(f"{folder} holds no solutions: the bank of {assignment} is empty.")
    return entries


def _load(path: Path, assignment: str, known: Assignment) -> BankEntry:
    header, cells = _parse(path)
    kinds = [kind for kind in ("right", "wrong") if kind in header]
    if len(kinds) != 1:
        raise CourseError(
            f"{path} must begin with `# right: ...` or `# wrong: ...` that says what the solution does."
        )
    if not cells:
        raise CourseError(f"{path} holds no solution cell: begin one with `# %% NAME`.")
    for name in cells:
        if name not in known.reference:
            raise CourseError(
                f"{path} fills in a cell {name!r} that {assignment} does not have; it has: "
                f"{', '.join(known.reference)}."
            )
    is_right = kinds == ["right"]
    if is_right != ("fails" not in header) or (is_right and "told" in header):
        raise CourseError(
            f"{path}: a wrong solution names the tasks that it `fails`, a right one has neither that nor `told`."
        )
    tasks = [task.strip() for task in header.get("fails", "").split(",") if task.strip()]
    for task in tasks:
        if not known.tests_of(task):
            raise CourseError(
                f"{path} fails {task!r}, which is not a task of {assignment} with points; those are tested by: "
                f"{', '.join(known.points)}."
            )
    fails = frozenset().union(*map(known.tests_of, tasks))
    return BankEntry(
        assignment, path.stem, is_right, header[kinds[0]], cells, fails, header.get("told")
    )


def _parse(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The header's lines by their first word, and the cells by their name."""
    header: dict[str, str] = {}
    cells: dict[str, list[str]] = {}
    current = None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if begins := CELL.fullmatch(line.rstrip()):
            current = begins.group(1)
            if current in cells:
                raise CourseError(f"{path}, line {number}: the cell {current!r} is given twice.")
            cells[current] = []
        elif current is not None:
            cells[current].append(line)
        elif field := HEADER.fullmatch(line.rstrip()):
            if field.group(1) in header:
                raise CourseError(f"{path}, line {number}: `{field.group(1)}` is given twice.")
            header[field.group(1)] = field.group(2)
        elif line.strip():
            raise CourseError(
                f"{path}, line {number}: {line.strip()!r} stands before the first cell and is no line like "
                "`# wrong: ...`, `# fails: ...` or `# told: ...`."
            )
    return header, {name: "\n".join(lines).strip("\n") for name, lines in cells.items()}


def build_submission(course: Course, entry: BankEntry) -> NotebookNode:
    """The released notebook with its solution cells filled in, as a student would hand it in."""
    reference = Assignment.of(course, entry.assignment).reference
    notebook = files.read(course.released_notebook(entry.assignment))
    for cell in notebook.cells:
        if marks.is_solution(cell):
            name = marks.grade_id(cell)
            cell.source = entry.cells.get(name, reference[name])
    return notebook
