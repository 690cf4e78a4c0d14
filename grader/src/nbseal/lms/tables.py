"""The tables that Moodle and Canvas export and take back: who has which number there, when work was
handed in, and a column for grades.

Moodle's is the grading worksheet of an assignment, as its mod/assign/feedback/offline/
importgradeslib.php reads it: `Identifier`, `Grade` and `Last modified (grade)` by name, in English.
Canvas's is the gradebook, as lib/gradebook_importer.rb reads it: columns about the student up to
`Section`, then `Title (id)` for each assignment, and points possible in a row of their own.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from dateutil import parser

from nbseal.errors import CourseError
from nbseal.lms.roster import Roster

MOODLE = ("Identifier", "Grade", "Last modified (grade)")
SUBMITTED, MOST = "Last modified (submission)", "Maximum grade"
# by what Moodle's worksheet may say who somebody is: the best first
CALLED = ("ID number", "Username", "Email address", "Full name")
USER = ("ID", "SIS Login ID", "SIS User ID", "Student")  # and Canvas's gradebook
ITEM = re.compile(r"(?P<title>.*)\s\((?P<id>\d+)\)")
POINTS_POSSIBLE = "Points Possible"


@dataclass(frozen=True)
class Person:
    """A row about a student."""

    row: int  # its place among the rows
    number: str  # Moodle's participant, Canvas's user
    name: str
    student: str | None  # the id here; None where the gradebook has nobody who is called so
    rank: int  # by which of its names: 0 is the surest
    time: datetime | None = None  # when the work was handed in, by Moodle


@dataclass(frozen=True)
class Table:
    """A table as it was exported."""

    path: Path
    system: str
    head: list[str]
    rows: list[list[str]]

    def people(self, roster: Roster) -> list[Person]:
        """Everybody in the table. Where several rows may mean one student, the one with the surest
        name does, and none if there are two of these. Raises CourseError for a wrong time."""
        read = self._participant if self.system == "moodle" else self._user
        found = [
            person
            for place, row in enumerate(self.rows)
            if (person := read(place, dict(zip(self.head, row)), roster)) is not None
        ]
        claims = Counter((person.student, person.rank) for person in found)
        surest = dict(sorted(claims, key=lambda one: -one[1]))
        return [
            person
            if person.rank == surest[person.student] and claims[person.student, person.rank] == 1
            else replace(person, student=None)
            for person in found
        ]

    def filled(self, people: list[Person], scores: Mapping[str, float], column: int) -> str:
        """The table as text, with the scores of students, by their ids here, in one column. Who has
        no score keeps what stands there."""
        rows = [list(row) for row in self.rows]
        for person in people:
            if person.student is not None and person.student in scores:
                rows[person.row][column] = f"{scores[person.student]:.5f}".rstrip("0").rstrip(".")
        lines = [self.head, *rows]
        if self.system == "canvas":  # other columns of grades stay as they are in Canvas
            keep = [*range(self.head.index("Section") + 1), column]
            lines = [[line[place] for place in keep] for line in lines]
        text = io.StringIO()
        csv.writer(text).writerows(lines)
        return text.getvalue()

    def grades(self, assignment: str, wanted: str | None) -> int:
        """Which column has the grades of an assignment: Moodle's only one, or Canvas's that
        `wanted` names by title or id, or that is called as the assignment. Raises CourseError."""
        if self.system == "moodle":
            return self.head.index("Grade")
        items = {
            place: found
            for place, title in enumerate(self.head)
            if place > self.head.index("Section") and (found := ITEM.fullmatch(title))
        }
        name = wanted or assignment
        fits = [
            place
            for place, found in items.items()
            if name in (found["id"], self.head[place]) or _key(found["title"]) == _key(name)
        ]
        if len(fits) != 1:
            known = "; ".join(self.head[place] for place in items) or "none"
            raise CourseError(
                f"{self.path} has {len(fits) or 'no'} columns of grades for {name!r}: name one "
                f"with --column, by its title or its number. There are: {known}."
            )
        return fits[0]

    def most(self, column: int) -> float | None:
        """The points that the system has for the assignment, where the table says so."""
        try:
            if self.system == "canvas":
                row = next(row for row in self.rows if POINTS_POSSIBLE in row[0])
                return float(row[column])
            return float(self.rows[0][self.head.index(MOST)])
        except (StopIteration, ValueError, IndexError):
            return None

    def _participant(self, place: int, line: dict[str, str], roster: Roster) -> Person | None:
        number = re.search(r"\d+$", line["Identifier"])
        if number is None:
            return None
        student, rank = _whose([line.get(key) for key in CALLED], roster)
        time = self._time(line.get(SUBMITTED, ""))
        return Person(place, number[0], line.get("Full name", ""), student, rank, time)

    def _user(self, place: int, line: dict[str, str], roster: Roster) -> Person | None:
        if not line["ID"].strip().isdigit():
            return None
        student, rank = _whose([line.get(key) for key in USER], roster)
        return Person(place, line["ID"].strip(), line["Student"], student, rank)

    def _time(self, text: str) -> datetime | None:
        """A time as Moodle writes it in English, by this machine's clock."""
        if text.strip() in ("", "-"):
            return None
        try:
            return parser.parse(text, dayfirst=True).astimezone().astimezone(UTC)
        except (ValueError, OverflowError):
            raise CourseError(
                f"{self.path}: {text!r} is no time that can be read: download the grading "
                "worksheet again with Moodle's language set to English."
            ) from None


def read(path: Path) -> Table:
    """A table that Moodle or Canvas has exported. Raises CourseError for anything else."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        sign = ";" if first.count(";") > first.count(",") else ","
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
        rows = [row for row in lines if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"the table {path} could not be read: {error}.") from None
    head, *rows = rows or [[]]
    rows = [row + [""] * (len(head) - len(row)) for row in rows]
    if set(MOODLE) <= set(head):
        return Table(path, "moodle", head, rows)
    if head[:2] == ["Student", "ID"] and "Section" in head:
        return Table(path, "canvas", head, rows)
    raise CourseError(
        f"{path} is neither Moodle's grading worksheet (columns {', '.join(MOODLE)}: download it "
        "with Moodle's language set to English) nor Canvas's gradebook (columns Student, ID, ..., "
        "Section)."
    )


def _whose(names: list[str | None], roster: Roster) -> tuple[str | None, int]:
    """The student whom the first of these names can mean, and which that was."""
    for rank, name in enumerate(names):
        if student := roster.find(name):
            return student, rank
    return None, len(names)


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
