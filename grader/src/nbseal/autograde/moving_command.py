"""`nbseal move-gradebook`: everything in a gradebook - scores, comments, what was given by hand,
the roster - into another one, such as from SQLite to PostgreSQL and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import sqlalchemy.exc
import typer
from sqlalchemy import Connection, Table, create_engine, func, inspect, select, text
from sqlalchemy.engine import make_url

from nbseal.course import Course
from nbseal.errors import CourseError

AT_ONCE = 1000  # rows


def command(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="The other gradebook, new or empty, such as sqlite:///gradebook.db or "
            "postgresql+psycopg://user:password@host/name.",
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="URL", help="The course's gradebook, if not given."),
    ] = None,
) -> None:
    """Copy a gradebook into another one, whole or not at all. The old one stays as it is."""
    course: Course = context.obj
    rows = move(source or course.coursedir.db_url, to, course.coursedir.course_id)
    print(
        f"{rows['student']} students, {rows['assignment']} assignments and "
        f"{rows['submitted_assignment']} submissions, {sum(rows.values())} rows in all, are now in "
        f"{_shown(to)} too. Name it as c.CourseDirectory.db_url from now on, and keep the old one: "
        "what is graded into one does not appear in the other."
    )


def move(source: str, to: str, course_id: str) -> dict[str, int]:
    """Copy every row of every table, in one transaction. Returns how many there are of each.

    Raises CourseError where the other gradebook is not empty, or is of another version.
    """
    from nbgrader.api import Base, Gradebook

    if _url(source) == _url(to):
        raise CourseError(f"{_shown(to)} is the course's gradebook already.")
    if not _is_there(source):
        raise CourseError(f"there is no gradebook {_shown(source)}.")
    with _connected(source) as old, _connected(to) as new:
        if "alembic_version" not in inspect(old).get_table_names():
            raise CourseError(f"{_shown(source)} is no gradebook.")
        tables = Base.metadata.sorted_tables  # each after those that it refers to
        there = set(inspect(new).get_table_names())
        _require_empty(new, [table for table in tables if table.name in there], to)
        new.rollback()
        Gradebook(to, course_id).close()  # makes the tables
        _require_same_version(old, new)
        try:
            rows = {table.name: _copy(table, old, new) for table in tables}
        except sqlalchemy.exc.StatementError as error:
            raise CourseError(
                f"{_shown(to)} does not take what the gradebook has ({str(error.orig).strip()}): "
                "nothing was moved."
            ) from None
        new.commit()
    return rows


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    engine = create_engine(_url(url))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _url(text: str) -> sqlalchemy.URL:
    try:
        return make_url(text)
    except sqlalchemy.exc.ArgumentError:
        raise CourseError(
            f"{text!r} is no address of a database: write it like sqlite:///gradebook.db."
        ) from None


def _is_there(url: str) -> bool:
    """Whether a database can hold anything: SQLite makes a file where it finds none."""
    address = _url(url)
    return address.get_backend_name() != "sqlite" or Path(address.database or "").is_file()


def _shown(url: str) -> str:
    return _url(url).render_as_string(hide_password=True)


def _require_empty(new: Connection, tables: list[Table], url: str) -> None:
    for table in tables:
        count = new.scalar(select(func.count()).select_from(table))
        if count and table.name != "course":
            raise CourseError(
                f"{_shown(url)} is not empty: it has {count} rows in {table.name!r}. Name a new "
                "database, so that nothing is mixed up or lost."
            )


def _require_same_version(old: Connection, new: Connection) -> None:
    ask = text("SELECT version_num FROM alembic_version")
    if old.scalar(ask) != new.scalar(ask):
        raise CourseError(
            "the gradebook was made by another version of nbgrader: back it up, run "
            "`nbgrader db upgrade`, and then move it."
        )


def _copy(table: Table, old: Connection, new: Connection) -> int:
    """All rows of a table in the place of those that are there, which nbgrader has just made.
    Returns how many."""
    new.execute(table.delete())
    count = 0
    if table.name == "course":
        count += _add_courses_without_a_row(table, old, new)
    for rows in old.execute(select(table)).mappings().partitions(AT_ONCE):
        new.execute(table.insert(), [dict(row) for row in rows])
        count += len(rows)
    return count


def _add_courses_without_a_row(table: Table, old: Connection, new: Connection) -> int:
    """Where c.CourseDirectory.course_id is not set, nbgrader's assignments are those of a course ''
    that has no row, and only SQLite puts up with that. Returns how many were added."""
    of_assignments = text("SELECT course_id FROM assignment EXCEPT SELECT id FROM course")
    missing = [{"id": one} for one in old.scalars(of_assignments)]
    if missing:
        new.execute(table.insert(), missing)
    return len(missing)
