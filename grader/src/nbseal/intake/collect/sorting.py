"""The files of one student, put together: which is the notebook, which lie beside it, and when it
was handed in."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import yaml
from nbgrader.utils import parse_utc

from nbseal.errors import CourseError
from nbseal.intake.collect.archives import Found
from nbseal.intake.collect.naming import GRADESCOPE, Name, Roster, is_notebook, name_of, student_id

TIMESTAMP = "timestamp.txt"  # nbgrader's
# What people hand in in the place of a notebook, the likeliest first.
INSTEAD = (".json", ".txt", ".py", ".html", ".htm", ".pdf", ".docx", ".doc", ".odt", ".rtf", "")


@dataclass(frozen=True)
class Submission:
    """What one student handed in."""

    student: str
    files: dict[str, Path]  # name in the submission's folder -> where its bytes are
    timestamp: datetime
    notes: tuple[str, ...] = ()


@dataclass
class Sorted:
    """All submissions, and the files that could not be given to anybody."""

    submissions: list[Submission] = field(default_factory=list)
    unknown: list[PurePosixPath] = field(default_factory=list)


def read_mapping(path: Path | None) -> list[tuple[str, str]]:
    """The rows of a mapping file: a file or folder, which may hold * and ?, and its student. Raises
    CourseError by line."""
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
                f"{path}, line {number}: a line is `file-or-folder,student`, and this one is "
                f"{','.join(row)!r}."
            )
        if student_id(Name(cells[1], None)) != cells[1]:
            raise CourseError(
                f"{path}, line {number}: {cells[1]!r} cannot be a student's id: "
                "use letters, digits, '_', '-', '.' and '@'."
            )
        mapping.append((cells[0].strip("/"), cells[1]))
    return mapping


def sort(
    files: Iterable[Found],
    assignment: str,
    notebooks: list[str],
    mapping: list[tuple[str, str]],
    roster: Roster,
    named_by_plugin=lambda path: None,
) -> Sorted:
    """Give every file to a student. Later versions of the same notebook count, others are named in
    a note."""
    files = list(files)
    gradescope = _gradescope(files)
    told = []
    for file in files:
        name = named_by_plugin(file.path) or name_of(file.path, notebooks, assignment)
        told.append((file, *_student(file.path, name, mapping, roster, gradescope)))
    result = Sorted()
    homonyms = _homonyms(told)
    groups: dict[str, list[tuple[Found, Name]]] = {}
    owners: dict[PurePosixPath, set[str]] = {}  # folder -> whose notebooks lie in it
    others = []
    for file, student, name in told:
        if not is_notebook(file.path.name):
            others.append((file, student, name))
        elif not student or student in homonyms:
            result.unknown.append(file.path)
        else:
            groups.setdefault(student, []).append((file, name))
            owners.setdefault(file.path.parent, set()).add(student)
    for file, student, name in others:
        # A file beside a notebook belongs to it, whatever it is called.
        folder = next(
            (folder for folder in file.path.parents if len(owners.get(folder, ())) == 1), None
        )
        if folder is not None:
            [student] = owners[folder]
            groups[student].append((replace(file, path=file.path.relative_to(folder)), name))
        elif student and student not in homonyms and file.path.suffix.lower() in INSTEAD:
            groups.setdefault(student, []).append(
                (replace(file, path=PurePosixPath(file.path.name)), name)
            )
    result.submissions = [
        _submission(student, group, notebooks) for student, group in sorted(groups.items())
    ]
    return result


def _homonyms(told: list[tuple[Found, str | None, Name]]) -> set[str]:
    """Ids that stand for several people of the same name."""
    tickets: dict[str, set[str]] = {}
    for _, student, name in told:
        if student and name.ticket:
            tickets.setdefault(student, set()).add(name.ticket)
    return {student for student, found in tickets.items() if len(found) > 1}


def _student(
    path: PurePosixPath, name: Name, mapping, roster: Roster, gradescope: dict
) -> tuple[str | None, Name]:
    """A file's student, by the mapping file, Gradescope's table, the gradebook, or the name alone;
    and what its name tells."""
    for pattern, student in mapping:
        places = [
            str(path),
            path.name,
            *(str(parent) for parent in path.parents),
            *(parent.name for parent in path.parents),
        ]
        if any(place == pattern or fnmatchcase(place, pattern) for place in places):
            return student, replace(name, ticket=None)
    for part in path.parts:
        if part in gradescope:
            who, time = gradescope[part]
            name = replace(name, student=who, time=time)
            return roster.find(name) or student_id(name) or None, name
    # a number, and no table that says whose it is
    if any(GRADESCOPE.fullmatch(part) for part in path.parts):
        return None, name
    return roster.find(name) or student_id(name) or None, name


def _gradescope(files: list[Found]) -> dict[str, tuple[str, datetime | None]]:
    """Folder of a submission -> who and when, from Gradescope's submission_metadata.yml."""
    people = {}
    for file in files:
        if file.path.name != "submission_metadata.yml":
            continue
        try:
            table = yaml.safe_load(file.content.read_text(encoding="utf-8"))
            for folder, entry in table.items():
                submitter = entry[":submitters"][0]
                who = submitter.get(":email") or submitter.get(":sid") or submitter.get(":name")
                made = entry.get(":created_at")
                people[folder] = (
                    str(who),
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
            raise CourseError(
                f"{file.path} is not Gradescope's table of submissions ({type(error).__name__}: "
                f"{error})."
            ) from None
    return people


def _submission(student: str, group: list[tuple[Found, Name]], notebooks: list[str]) -> Submission:
    notes: list[str] = []
    versions: dict[str, list[tuple[Found, Name]]] = {}
    beside: list[Found] = []
    for file, name in group:
        if is_notebook(file.path.name) and name.notebook:
            versions.setdefault(name.notebook, []).append((file, name))
        else:
            beside.append(file)
    missing = [notebook for notebook in notebooks if notebook not in versions]
    if len(missing) == 1 and not (
        len(notebooks) > 1 and versions and not any(is_notebook(one.path.name) for one in beside)
    ):
        _take_another(missing[0], beside, versions, {id(file): name for file, name in group}, notes)
    files, times = {}, []
    for notebook, found in versions.items():
        found.sort(
            key=lambda pair: (
                pair[0].modified or _NEVER,
                pair[1].time or _NEVER,
                pair[1].copy,
                str(pair[0].path),
            )
        )
        chosen, name = found[-1]
        files[f"{notebook}.ipynb"] = chosen.content
        times.append(name.time or chosen.modified)
        notes += [
            f"{old.path} was left out for {chosen.path.name}, which is later"
            for old, _ in found[:-1]
        ]
        if chosen.path.name != f"{notebook}.ipynb":
            notes.append(f"{chosen.path.name} is taken as {notebook}.ipynb")
    stamp = next((file for file in beside if str(file.path) == TIMESTAMP), None)
    for file in beside:
        place = file.path.name if is_notebook(file.path.name) else str(file.path)
        if file is not stamp and place not in files:
            files[place] = file.content
    known = [time for time in times if time] or [
        file.modified for file, _ in group if file.modified
    ]
    return Submission(
        student,
        files,
        _read_stamp(stamp) or (max(known) if known else datetime.now(UTC)),
        tuple(notes),
    )


_NEVER = datetime.min.replace(tzinfo=UTC)


def _take_another(
    notebook: str, beside: list[Found], versions: dict, names: dict, notes: list[str]
) -> None:
    """Where no file has the notebook's name: the only other notebook, else what was handed in in
    its place."""
    candidates = [file for file in beside if is_notebook(file.path.name)]
    if not candidates and not versions:
        ranked = [
            (INSTEAD.index(file.path.suffix.lower()), str(file.path), file)
            for file in beside
            if file.path.suffix.lower() in INSTEAD and str(file.path) != TIMESTAMP
        ]
        candidates = [min(ranked)[2]] if ranked else []
    if candidates:
        versions[notebook] = [(file, names[id(file)]) for file in candidates]
        for file in candidates:
            beside.remove(file)


def _read_stamp(file: Found | None) -> datetime | None:
    """The time in nbgrader's timestamp.txt."""
    if file is None:
        return None
    try:
        found = parse_utc(file.content.read_text(encoding="utf-8").strip())
    except (ValueError, OverflowError, UnicodeDecodeError, AttributeError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
