"""The one open gradebook of a run: sources are read once, a submission is one transaction.

nbgrader opens its gradebook nine times for a submission and commits after every cell, and each of
its queries joins six tables. Here the rows of one submission are fetched together, changed in
memory and committed once, so the time does not grow with the class. Rows, columns and meaning are
nbgrader's own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import func, select
from sqlalchemy.orm import Session, load_only

from nbseal.autograde.source_rows import (
    GradedCell,
    LockedCell,
    SourceAssignment,
    SourceNotebook,
    read_source,
)
from nbseal.notebook.text import without_paths

# Begins every comment this program writes, so that a later run knows its own flag from one a person
# has set.
ATTENTION = "Needs a look: "


@dataclass
class NotebookRows:
    """One submitted notebook's rows, by cell name. Changes are kept when the submission is
    committed."""

    source: SourceNotebook
    row: SubmittedNotebook
    grades: dict[str, Grade] = field(default_factory=dict)
    comments: dict[str, Comment] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """What the student gets, before any late penalty; nbgrader's rule for manual scores and
        extra credit."""
        return sum(_score(grade) for grade in self.grades.values())

    def ask_for_a_look(self, reason: str) -> None:
        """Flag the notebook for a person, and say why where people will see it."""
        self.row.flagged = True
        for comment in list(self.comments.values())[:1]:
            comment.auto_comment = ATTENTION + without_paths(reason)

    def withdraw_flag(self) -> None:
        """Take back a flag of an earlier run; one that a person has set stays."""
        ours = [c for c in self.comments.values() if (c.auto_comment or "").startswith(ATTENTION)]
        if ours:
            self.row.flagged = False
            for comment in ours:
                comment.auto_comment = None

    def give_zero(self) -> None:
        """The notebook was not handed in: 0 points, nothing to look at."""
        for grade in self.grades.values():
            grade.auto_score = 0
            grade.needs_manual_grade = False

    def give_nothing(self, reason: str) -> None:
        """The notebook could not be graded: 0 points, a reason, and a person has to look. Manual
        scores stay."""
        for grade in self.grades.values():
            grade.auto_score = 0
            grade.needs_manual_grade = True
        for comment in self.comments.values():
            comment.auto_comment = None
        self.row.late_submission_penalty = None
        self.ask_for_a_look(reason)


def _score(grade: Grade) -> float:
    base = grade.manual_score if grade.manual_score is not None else grade.auto_score
    return 0.0 if base is None else base + (grade.extra_credit or 0.0)


def _is_graded(notebook: NotebookRows) -> bool:
    return any(
        grade.auto_score is not None or grade.manual_score is not None
        for grade in notebook.grades.values()
    )


class SubmissionRows:
    """All rows of one student's submission, inside the transaction that will keep or drop them.
    `before` is the score in them as they were found; None where there was none."""

    def __init__(
        self, session: Session, row: SubmittedAssignment, notebooks: dict[str, NotebookRows]
    ):
        self.session = session
        self.row = row
        self.notebooks = notebooks
        self.before = self._score() if any(map(_is_graded, notebooks.values())) else None

    def _score(self) -> float:
        return sum(
            notebook.score - (notebook.row.late_submission_penalty or 0.0)
            for notebook in self.notebooks.values()
        )

    @contextmanager
    def committed(self) -> Iterator[None]:
        """For code that opens the gradebook itself: it finds all changes so far, and what it
        changes is seen here."""
        self.session.commit()
        yield
        self.session.expire_all()


class OpenGradebook:
    """nbgrader's gradebook, open for the length of a run."""

    def __init__(self, db_url: str, course_id: str):
        self._gradebook = Gradebook(db_url, course_id)
        self._sources: dict[str, SourceAssignment] = {}

    def close(self) -> None:
        self._gradebook.close()

    def __enter__(self) -> "OpenGradebook":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def find_notebook(self, name: str, assignment: str):
        """nbgrader's own row of a source notebook."""
        return self._gradebook.find_notebook(name, assignment)

    def source(self, assignment: str) -> SourceAssignment:
        """What `nbgrader generate_assignment` stored, read once. Raises MissingEntry for an unknown
        assignment."""
        if assignment not in self._sources:
            row = self._gradebook.find_assignment(assignment)
            notebooks = {notebook.name: read_source(notebook) for notebook in row.notebooks}
            self._sources[assignment] = SourceAssignment(row.id, assignment, notebooks)
            self._gradebook.db.remove()
        return self._sources[assignment]

    def has_student(self, student: str) -> bool:
        with Session(self._gradebook.engine) as session:
            return session.scalar(select(Student.id).where(Student.id == student)) is not None

    def scored(self, assignment: str) -> dict[str, set[str]]:
        """Student -> the notebooks of which the gradebook holds grades, or which have none to
        give."""
        source = self.source(assignment)
        names = {notebook.id: notebook.name for notebook in source.notebooks.values()}
        graded = select(Grade.id).where(Grade.notebook_id == SubmittedNotebook.id).exists()
        found: dict[str, set[str]] = {}
        with Session(self._gradebook.engine) as session:
            rows = session.execute(
                select(SubmittedAssignment.student_id, SubmittedNotebook.notebook_id, graded)
                .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .where(SubmittedAssignment.assignment_id == source.id)
            )
            for student, notebook, has_grades in rows:
                name = names.get(notebook)
                if name and (has_grades or not source.notebooks[name].graded):
                    found.setdefault(student, set()).add(name)
        return found

    @contextmanager
    def submission(
        self, assignment: str, student: str, timestamp: datetime | None
    ) -> Iterator[SubmissionRows]:
        """One submission's rows, made where they are missing; committed at the end, dropped on any
        exception."""
        source = self.source(assignment)
        with Session(self._gradebook.engine, expire_on_commit=False) as session:
            _one_writer_a_student(session, student)
            row = _submission_row(session, source, student, timestamp)
            yield SubmissionRows(session, row, _notebook_rows(session, source, row))
            session.commit()


def _one_writer_a_student(session: Session, student: str) -> None:
    """Have other machines wait with this student until the transaction ends: both might make the
    same rows. SQLite has one writer at a time anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(func.hashtext(student))))


def _submission_row(
    session: Session, source: SourceAssignment, student: str, timestamp: datetime | None
):
    if session.get(Student, student, options=[load_only(Student.id)]) is None:
        session.add(Student(id=student))
        session.flush()
    row = session.scalar(
        select(SubmittedAssignment).where(
            SubmittedAssignment.assignment_id == source.id,
            SubmittedAssignment.student_id == student,
        )
    )
    if row is None:
        row = SubmittedAssignment(id=new_uuid(), assignment_id=source.id, student_id=student)
        session.add(row)
        session.flush()
    if timestamp is not None:
        row.timestamp = timestamp
    return row


def _notebook_rows(
    session: Session, source: SourceAssignment, submission: SubmittedAssignment
) -> dict[str, NotebookRows]:
    """The rows of all its notebooks, and new ones for what the source gained since. Every lookup is
    by an index."""
    found = {
        row.notebook_id: row
        for row in session.scalars(
            select(SubmittedNotebook).where(
                SubmittedNotebook.assignment_id == submission.id,
                SubmittedNotebook.notebook_id.in_(
                    [notebook.id for notebook in source.notebooks.values()]
                ),
            )
        )
    }
    result = {}
    for notebook in source.notebooks.values():
        row = found.get(notebook.id)
        if row is None:
            row = SubmittedNotebook(
                id=new_uuid(), notebook_id=notebook.id, assignment_id=submission.id
            )
            session.add(row)
            session.flush()
        graded = {name: cell.id for name, cell in notebook.graded.items()}
        result[notebook.name] = NotebookRows(
            notebook,
            row,
            _cell_rows(session, Grade, row.id, graded, GRADE_COLUMNS),
            _cell_rows(session, Comment, row.id, dict(notebook.commented), COMMENT_COLUMNS),
        )
    session.flush()
    return result


# Only what is read or written here: the other properties of these tables are queries of their own.
GRADE_COLUMNS = (
    Grade.id,
    Grade.cell_id,
    Grade.auto_score,
    Grade.manual_score,
    Grade.extra_credit,
    Grade.needs_manual_grade,
)
COMMENT_COLUMNS = (Comment.id, Comment.cell_id, Comment.auto_comment, Comment.manual_comment)


def _cell_rows(session: Session, table, notebook_id: str, cells: dict[str, str], columns) -> dict:
    found = {
        row.cell_id: row
        for row in session.scalars(
            select(table)
            .options(load_only(*columns))
            .where(table.cell_id.in_(cells.values()), table.notebook_id == notebook_id)
        )
    }
    missing = {
        cell: table(id=new_uuid(), cell_id=cell, notebook_id=notebook_id)
        for cell in cells.values()
        if cell not in found
    }
    session.add_all(missing.values())
    return {name: found.get(cell) or missing[cell] for name, cell in cells.items()}


__all__ = [
    "ATTENTION",
    "GradedCell",
    "LockedCell",
    "MissingEntry",
    "NotebookRows",
    "OpenGradebook",
    "SourceAssignment",
    "SourceNotebook",
    "SubmissionRows",
]
