"""A graded class of any size, without grading so many: some submissions of an assignment's task files are
graded, and their results - notebook, rows of the gradebook - copied to further students.

Each copy says who it is in a comment in every answer, so that no two students wrote the same.
"""

import shutil
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from uuid import uuid4

from nbgrader.api import Comment, Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook
from nbseal.notebook import files
from nbseal.notebook.marks import is_solution
from sqlalchemy import Connection, Table, insert, select

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader"))

from benchmarks.autograde import timed
from benchmarks.classes import Class, answers_class

STEPS = ("submitted", "autograded")


def graded_class(root: Path, assignment: str, really: int, folder: Path) -> Class:
    """A class of `really` submissions, handed in and graded."""
    a_class = answers_class(root, assignment, really, folder, spread=True)
    grade = ["-m", "nbseal", "autograde", assignment, "--workers", "2"]
    timed(grade, a_class.course.root, folder.with_name(f"{folder.name}.log"))
    return a_class


def grow(a_class: Class, students: int) -> None:
    """Copy results until the class has so many students."""
    course, assignment = a_class.course, a_class.assignment
    graded = sorted(path.name for path in (course.root / "autograded").iterdir())
    known = set(graded)
    names = [name for n in range(students) if (name := f"student{n:04}") not in known]
    pairs = list(zip(cycle(graded), names[: students - len(graded)]))
    notebook = course.source_notebook(assignment).name
    for like, student in pairs:
        for step in STEPS:
            shutil.copytree(
                course.root / step / like / assignment, course.root / step / student / assignment
            )
            _sign(course.root / step / student / assignment / notebook, student)
    with (
        Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook,
        gradebook.engine.begin() as connection,
    ):
        for like, student in pairs:
            _copy_rows(connection, like, student)


def _sign(path: Path, student: str) -> None:
    nb = files.loads(path.read_text(encoding="utf-8"))
    for cell in nb.cells:
        if cell.cell_type == "code" and is_solution(cell):
            cell.source += f"\n# by {student}"
    path.unlink()  # autograded notebooks are read-only
    path.write_text(files.by_cell(nb), encoding="utf-8")


def _copy_rows(connection: Connection, like: str, student: str) -> None:
    """All rows of the gradebook that hang on a student, with ids of their own."""
    students = Student.__table__
    row = dict(connection.execute(select(students).where(students.c.id == like)).one()._mapping)
    connection.execute(insert(students).values(row | {"id": student}))
    own = {like: student}
    for old, new in _copied(connection, SubmittedAssignment.__table__, "student_id", own):
        for row in _copied(connection, SubmittedNotebook.__table__, "assignment_id", {old: new}):
            for table in (Grade.__table__, Comment.__table__):
                list(_copied(connection, table, "notebook_id", dict([row])))


def _copied(
    connection: Connection, table: Table, column: str, parent: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Copies the rows that belong to one parent to another; yields (id, id of the copy)."""
    for old, new in parent.items():
        for row in connection.execute(select(table).where(table.c[column] == old)).all():
            copy = dict(row._mapping) | {"id": uuid4().hex, column: new}
            connection.execute(insert(table).values(copy))
            yield row.id, copy["id"]


if __name__ == "__main__":
    # python grader/benchmarks/simulated.py FOLDER STUDENTS [ASSIGNMENT]: a class to look at
    made = graded_class(
        ROOT, sys.argv[3] if len(sys.argv) > 3 else "02_layer_norm", 24, Path(sys.argv[1])
    )
    grow(made, int(sys.argv[2]))
    print(made.course.root)
