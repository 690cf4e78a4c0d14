"""Whose a file is: by the mapping file, by tables of the learning management systems, by the
gradebook, or by its name alone."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import yaml

from nbseal.errors import CourseError
from nbseal.intake.collect.archives import Found
from nbseal.intake.collect.naming import (
    EXPORT,
    GRADESCOPE,
    Name,
    is_from_system,
    keys_of,
    student_id,
)
from nbseal.lms.origins import Origin
from nbseal.lms.roster import Roster, letters
from nbseal.lms.tables import Person

Team = tuple[str, ...]  # ids of students who hand in together; mostly of one
Mapping = list[tuple[str, Team]]


def read_mapping(path: Path | None) -> Mapping:
    """The rows of a mapping file: a file or folder, which may hold * and ?, or a team's name; and
    its students. Raises CourseError by line."""
    if path is None:
        return []
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"the mapping file {path} could not be read: {error}.") from None
    mapping = []
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and cells[1:2] == ["student"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise CourseError(
                f"{path}, line {number}: a line is `file-or-folder,student`, or for a team "
                f"`file-or-folder,student;student`, and this one is {','.join(row)!r}."
            )
        team = tuple(dict.fromkeys(student.strip() for student in cells[1].split(";")))
        for student in team:
            if not student or student_id(Name(student, None)) != student:
                raise CourseError(
                    f"{path}, line {number}: {student!r} cannot be a student's id: "
                    "use letters, digits, '_', '-', '.' and '@'."
                )
        mapping.append((cells[0].strip("/"), team))
    return mapping


@dataclass(frozen=True)
class _Entry:
    """A submission in Gradescope's table."""

    people: list[list[str]]  # of each who handed in: email, number and name, where they are known
    time: datetime | None


class Owners:
    """Tells whose the files of one run are, and what else is known of them."""

    def __init__(
        self,
        files: Iterable[Found],
        mapping: Mapping,
        roster: Roster,
        people: Iterable[Person] = (),
    ):
        """people: the rows of Moodle's or Canvas's table. Raises CourseError for a table of
        Gradescope's that is none."""
        self._mapping, self._roster = mapping, roster
        self._gradescope = _gradescope(files)
        self._rows = {person.number: person for person in people}
        self._rows_of = {person.student: person for person in people if person.student}

    def of(self, path: PurePosixPath, name: Name) -> tuple[Team, Name]:
        """A file's student, or the students of its team, nobody where that cannot be told; and what
        is known of it."""
        team, name = self._team(path, name)
        row = self._row(name) or next(
            (self._rows_of[student] for student in team if student in self._rows_of), None
        )
        if row is not None and row.time is not None and name.time is None:
            name = replace(name, time=row.time, origin=replace(name.origin, is_timed=True))
        return team, name

    def _team(self, path: PurePosixPath, name: Name) -> tuple[Team, Name]:
        for pattern, team in self._mapping:
            places = [
                name.student or "",
                str(path),
                path.name,
                *(str(parent) for parent in path.parents),
                *(parent.name for parent in path.parents),
            ]
            if any(place == pattern or fnmatchcase(place, pattern) for place in places):
                return team, replace(self._in_gradescope(path, name)[1], ticket=None)
        people, name = self._in_gradescope(path, name)
        if people:
            found = (self._roster.find(*keys) or _id(keys[0]) for keys in people)
            return tuple(dict.fromkeys(filter(None, found))), name
        # a number, and no table that says whose it is
        if any(GRADESCOPE.fullmatch(part) for part in path.parts):
            return (), name
        row = self._row(name)
        if row is not None and row.student:
            return (row.student,), replace(name, ticket=None)
        student = self._roster.find(*keys_of(name))
        if student is None:
            return ((student_id(name),) if student_id(name) else ()), name
        if name.origin.system and not self._roster.is_called(student, name.student or ""):
            name = replace(
                name,
                note=f"called {name.student!r} there: if that is a team, say who is in it with "
                "--students",
            )
        return (student,), name

    def _in_gradescope(self, path: PurePosixPath, name: Name) -> tuple[list[list[str]], Name]:
        """Who handed in, by Gradescope; and what is known with its table."""
        folder = next((parent for parent in path.parents if parent in self._gradescope), None)
        if folder is None:
            return [], name
        entry = self._gradescope[folder]
        number = folder.name.removeprefix("submission_")
        emails = tuple(keys[0] for keys in entry.people if "@" in keys[0])
        origin = Origin("gradescope", number, is_timed=entry.time is not None, emails=emails)
        return entry.people, replace(name, time=entry.time, origin=origin)

    def _row(self, name: Name) -> Person | None:
        """The row about whom a name means by its number. Moodle numbers teams, too, so that the
        name has to agree."""
        row = self._rows.get(name.origin.number)
        if row is None or name.origin.system != "moodle":
            return row
        return row if letters(name.student or "").endswith(letters(row.name)) else None


def _id(text: str) -> str:
    return student_id(Name(text, None))


def _gradescope(files: Iterable[Found]) -> dict[PurePosixPath, _Entry]:
    """Folder of a submission -> who, all of a team, and when, from Gradescope's own
    submission_metadata.yml. One that a student has handed in says nothing."""
    entries: dict[PurePosixPath, _Entry] = {}
    for file in files:
        folder = file.path.parent
        if file.path.name != "submission_metadata.yml" or any(map(is_from_system, folder.parts)):
            continue
        is_sure = not folder.parts or EXPORT.fullmatch(folder.name) is not None
        if not is_sure and len(folder.parts) > 1:
            continue
        try:
            table = yaml.safe_load(file.content.read_text(encoding="utf-8"))
            for name, entry in table.items():
                made = entry.get(":created_at")
                entries[folder / name] = _Entry(
                    [
                        [str(one[key]) for key in (":email", ":sid", ":name") if one.get(key)]
                        for one in entry[":submitters"]
                    ],
                    made.astimezone(UTC) if isinstance(made, datetime) else None,
                )
        except (
            yaml.YAMLError,
            UnicodeDecodeError,
            AttributeError,
            KeyError,
            IndexError,
            TypeError,
        ) as error:
            if not is_sure:
                continue
            raise CourseError(
                f"{file.path} is not Gradescope's table of submissions ({type(error).__name__}: "
                f"{error})."
            ) from None
    return entries
