"""Whose an upload is: by the mapping file, by the system's tables, by the gradebook, or by its
outermost name alone. What names tell:

Moodle        Ada Lovelace_1234567_assignsubmission_file_/tiny.ipynb   (the folder may be part of
              the file's name; a team's has its name; mod/assign/classes/downloader.php)
Canvas        lovelaceada_LATE_4711_815_tiny-1.ipynb      (user, file; lib/content_zipper.rb)
Blackboard    02 tiny_ada_attempt_2026-01-30-15-00-00_tiny.ipynb
Brightspace   12345-678 - Ada Lovelace - Jan 30, 2026 3-00 PM/tiny.ipynb
Gradescope    assignment_1_export/submission_99/tiny.ipynb with submission_metadata.yml
anything      ada/01_tiny/tiny.ipynb, lastname_12345_tiny.ipynb, Copy of tiny_ada.ipynb

An upload that names nobody is not guessed at: a mapping file has to say whose it is.
"""

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

from nbseal.errors import CourseError
from nbseal.intake.collect.notebooks import notebook_in, stem_of
from nbseal.intake.collect.uploads import SYSTEMS, Upload, is_generic
from nbseal.lms.origins import Origin
from nbseal.lms.roster import Roster, letters
from nbseal.lms.tables import Person

Team = tuple[str, ...]  # ids of students who hand in together; mostly of one
Mapping = list[tuple[str, Team]]


@dataclass(frozen=True)
class Provenance:
    """Whose an upload is, and when it came. Made of what its system says, and of nothing else."""

    who: str = ""  # as the system spells it; nothing where it does not say
    origin: Origin = field(default_factory=Origin)
    time: datetime | None = None
    rest: str = ""  # of the name: what the student called the file
    given: str = ""  # of the name: what the system or a person gave
    note: str = ""  # what an instructor should look at
    is_sure: bool = False  # whether another of the same name is told apart

    @property
    def ticket(self) -> str:
        """A number that tells two students of the same name apart in this download only."""
        is_one = self.origin.system in ("moodle", "brightspace") and not self.is_sure
        return self.origin.number if is_one else ""


def provenance_of(upload: Upload, notebooks: Iterable[str]) -> Provenance:
    """What the outermost name of an upload tells."""
    matches = [(system, pattern.match(upload.name)) for system, pattern in SYSTEMS.items()]
    found = [(match.end(), system, match) for system, match in matches if match is not None]
    if not found:
        stem = stem_of(upload.name)
        notebook, _, who = notebook_in(stem, notebooks)
        if not upload.is_file:
            who = "" if is_generic(upload.name, notebooks) else upload.name
        elif notebook is None:  # an archive may be called as its student
            who = stem if upload.may_be_work and not upload.name.endswith(".ipynb") else ""
            who = "" if is_generic(who, notebooks) else who
        return Provenance(who, rest=upload.name, given=upload.name)
    end, system, match = min(found, key=lambda one: one[0])
    told, rest = match.groupdict(), upload.name[end:] if upload.is_file else ""
    if system == "canvas" and not any(map(str.isalpha, told["who"])):
        return Provenance(rest=upload.name)  # a date, maybe
    time = _time(told.get("time"))
    origin = Origin(system.partition(",")[0], told.get("number") or "", is_timed=time is not None)
    if origin.system == "canvas":
        origin = replace(origin, prefix=match[0], late=bool(told["late"]))
    return Provenance(told["who"], origin, time, rest or upload.name, upload.name[:end])


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", "%Y-%m-%d-%H-%M-%S").astimezone().astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def student_id(who: str, number: str = "") -> str:
    """A student's id from what a download tells: letters, digits and `_`."""
    text = re.sub(r"[^\w.@-]+", "_", unicodedata.normalize("NFC", who)).strip("_.-")
    return f"{text}_{number}" if number else text


def read_mapping(path: Path | None) -> Mapping:
    """The rows of a mapping file: an outermost name, which may hold * and ?, or a team's name; and
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
            if not student or student_id(student) != student:
                raise CourseError(
                    f"{path}, line {number}: {student!r} cannot be a student's id: "
                    "use letters, digits, '_', '-', '.' and '@'."
                )
        mapping.append((cells[0].strip("/"), team))
    return mapping


@dataclass
class Owners:
    """Tells whose the uploads of one run are."""

    mapping: Mapping
    roster: Roster
    people: Iterable[Person] = ()  # the rows of Moodle's or Canvas's table
    system: str = ""  # whose table that is
    named: Callable[[str], str | None] = lambda name: None  # by the course's own rule

    def of(self, upload: Upload, told: Provenance) -> tuple[Team, Provenance]:
        """The student or team of an upload, nobody where that cannot be told; and what is known of
        it."""
        if told.origin.system == "gradescope":
            told = _by_gradescope(upload, told)
        team, told = self._team(upload, told)
        rows = [person for person in self.people if person.student in team]
        row = self._row(told) or (rows[0] if rows else None)
        if row is not None and row.time is not None:
            told = replace(told, time=row.time, origin=replace(told.origin, is_timed=True))
        return team, told

    def _team(self, upload: Upload, told: Provenance) -> tuple[Team, Provenance]:
        whole = {upload.name, str(upload.around / upload.name)}
        given = [name for name in (told.who, told.given, str(upload.around / told.given)) if name]
        for pattern, team in self.mapping:  # no * may reach into what a student wrote
            if pattern in whole or any(fnmatchcase(name, pattern) for name in given):
                return team, replace(told, is_sure=True)
        if told.origin.system == "gradescope":
            people = upload.entry.get("people", ())
            ids = (self.roster.find(*keys) or student_id(keys[0]) for keys in people if keys)
            return tuple(dict.fromkeys(filter(None, ids))), told
        row = self._row(told)
        if row is not None and row.student:
            return (row.student,), replace(told, is_sure=True)
        own = self.named(upload.name) if not told.origin.system else None
        if own:
            return (self.roster.find(own) or student_id(own),), told
        number = told.origin.number if told.origin.system == "canvas" else ""
        new = student_id(told.who, number)
        student = self._by_name(told, number, new)
        if student is None:
            return ((new,) if new else ()), told
        if told.origin.system and not self.roster.is_called(student, told.who):
            told = replace(
                told,
                note=f"called {told.who!r} there: if that is a team, say who is in it with "
                "--students",
            )
        return (student,), told

    def _by_name(self, told: Provenance, number: str, new: str) -> str | None:
        """Whom the gradebook knows by one of these, the surest first. Older Moodles put a group's
        name and a hyphen before a student's."""
        keys = [number, told.who, new]
        if told.origin.system == "moodle":
            parts = told.who.split("-")
            keys += ["-".join(parts[place:]) for place in range(1, len(parts))]
        if student := self.roster.find(*keys):
            return student
        found = {self.roster.find(part) for part in told.who.split("_")} - {None}
        return found.pop() if len(found) == 1 else None

    def _row(self, told: Provenance) -> Person | None:
        """The row about whom a number means. Moodle numbers teams, too, so that the name has to
        agree."""
        if told.origin.system != self.system or not told.origin.number:
            return None
        row = next((one for one in self.people if one.number == told.origin.number), None)
        if row is None or self.system != "moodle":
            return row
        return row if letters(told.who).endswith(letters(row.name)) else None


def _by_gradescope(upload: Upload, told: Provenance) -> Provenance:
    seconds = upload.entry.get("time")
    time = datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
    people = upload.entry.get("people", ())
    emails = tuple(keys[0] for keys in people if keys and "@" in keys[0])
    return replace(
        told, time=time, origin=replace(told.origin, is_timed=time is not None, emails=emails)
    )
