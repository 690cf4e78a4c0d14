"""Whose file is it, and which notebook? What names in downloads tell.

Moodle        Ada Lovelace_1234567_assignsubmission_file_/layer_norm.ipynb     (the folder may be
part of the file's name; a team's has its name and number; mod/assign/classes/downloader.php)
Canvas        lovelaceada_LATE_4711_815_layer_norm-1.ipynb                     (user, file, and -1
for the second try; lib/content_zipper.rb)
Blackboard    02 layer norm_ada_attempt_2026-01-30-15-00-00_layer_norm.ipynb
Brightspace   12345-678 - Ada Lovelace - Jan 30, 2026 3-00 PM/layer_norm.ipynb
Gradescope    assignment_1_export/submission_99/layer_norm.ipynb with submission_metadata.yml
nbgrader      ada/02_layer_norm/layer_norm.ipynb, or only ada/layer_norm.ipynb
anything      lastname_12345_layer_norm.ipynb, Copy of layer_norm.ipynb, layer_norm (1).ipynb

A file that names nobody is not guessed at: a mapping file has to say whose it is.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from nbseal.lms.origins import Origin

MOODLE = re.compile(
    r"(?P<who>[^/]+?)(?:_(?P<number>\d+))?_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)"
)
# The name holds a letter: without one it is a date. Of an anonymous assignment a code is all.
CANVAS = re.compile(
    r"(?P<prefix>(?P<who>\w[\w-]*?)(?P<late>_LATE|_late)?_(?P<number>\d+)_\d+_)(?P<rest>.+)"
)
ANONYMOUS = re.compile(r"(?P<prefix>(?P<late>LATE_)?(?P<who>anon_[^\W_]{5})_\d+_)(?P<rest>.+)")
BLACKBOARD = re.compile(r".*?_(?P<who>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<rest>.*))?")
BRIGHTSPACE = re.compile(
    r"(?P<number>\d+)-\d+ ?- ?(?P<who>.+?) ?- ?[A-Z][a-z]+\.? \d{1,2}, \d{4}.*"
)
GRADESCOPE = re.compile(r"submission_(?P<number>\d+)")
EXPORT = re.compile(r"assignment_\d+_export.*")  # the folder of Gradescope's table

ENDINGS = (".ipynb.txt", ".ipynb.json", ".ipynb.zip", ".ipynb")
PREFIX = re.compile(r"^(?:copy of|copie de|kopie von|copia de|kopia|copy)[\s_-]+", re.I)
SUFFIX = re.compile(
    r"(?:\s*[(\[]\s*\d+\s*[)\]]|[\s_-]+(?:copy|kopie|copie|copia)\s*\d*|-copy\d*|[\s_-]+(?:final|solution|solved|submission|v\d+)|-\d+)$",
    re.I,
)
# Folders that name no student.
NOBODY = re.compile(
    r"(?:submissions?|submitted|downloads?|archive|assignment.*|export.*|.*_export|files?|notebooks?|src|work|home|"
    r"untitled.*|new folder.*|online ?text|homework\d*|hw\d*|exercises?)",
    re.I,
)


@dataclass(frozen=True)
class Name:
    """What a file's path tells: a student's key, a notebook, and how good that is."""

    student: str | None  # as the download spells it; None where nothing tells
    notebook: str | None  # one of the assignment's, None where the file is called something else
    number: str | None = None  # of the student, where the download gives one
    # a number that tells two students of the same name apart in this download only
    ticket: str | None = None
    time: datetime | None = None
    copy: int = 0  # the 1 in "layer_norm (1).ipynb": later copies are later tries
    origin: Origin = field(default_factory=Origin)
    note: str = ""  # what an instructor should look at


def name_of(path: PurePosixPath, notebooks: Iterable[str], assignment: str) -> Name:
    """What the path of a file tells."""
    stem = _stem(path.name)
    folders = list(path.parts[:-1])
    for part in [*reversed(folders), stem]:
        found = _from_system(part)
        if found is not None:
            name, rest = found
            inside = rest if part is stem and rest else stem if part is not stem else ""
            notebook, copy, _ = _notebook_in(inside, notebooks)
            return replace(name, notebook=notebook, copy=copy)
    notebook, copy, rest = _notebook_in(stem, notebooks)
    who: str | None = rest or _owner_folder(folders, assignment, notebooks)
    if notebook is None and _owner_folder(folders, assignment, notebooks):
        # ada/Untitled3.ipynb is Ada's, whatever it is called
        who = _owner_folder(folders, assignment, notebooks)
    elif notebook is None:
        who = None
    return Name(who, notebook, copy=copy)


def is_notebook(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def _stem(name: str) -> str:
    for ending in ENDINGS:
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name.rpartition(".")[0] or name


def _from_system(part: str) -> tuple[Name, str] | None:
    """What a name tells that a learning management system has made, and the rest of it, which the
    student has made."""
    if found := MOODLE.fullmatch(part):
        who, number = found["who"], found["number"]
        origin = Origin("moodle", number or "")
        return Name(who, None, ticket=number, origin=origin), found["rest"]
    if found := BLACKBOARD.fullmatch(part):
        time = _time(found["time"], "%Y-%m-%d-%H-%M-%S")
        origin = Origin(is_timed=time is not None)
        return Name(found["who"], None, time=time, origin=origin), found["rest"] or ""
    if found := BRIGHTSPACE.fullmatch(part):
        return Name(found["who"], None, ticket=found["number"]), ""
    if found := ANONYMOUS.fullmatch(part):
        origin = Origin("canvas", "", found["prefix"], bool(found["late"]))
        return Name(found["who"], None, origin=origin), found["rest"]
    if (found := CANVAS.fullmatch(part)) and any(map(str.isalpha, found["who"])):
        number = found["number"]
        origin = Origin("canvas", number, found["prefix"], bool(found["late"]))
        return Name(found["who"], None, number, origin=origin), found["rest"]
    return None


def is_from_system(part: str) -> bool:
    """Whether a folder's name is one that a system gives to a submission."""
    return GRADESCOPE.fullmatch(part) is not None or _from_system(part) is not None


def _time(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).astimezone().astimezone(UTC)
    except ValueError:
        return None


def _notebook_in(stem: str, notebooks: Iterable[str]) -> tuple[str | None, int, str]:
    """The notebook that a file's name ends with, the number of the copy, and what stands before
    it."""
    text, copy = unicodedata.normalize("NFC", stem).strip(), 0
    while (shorter := SUFFIX.sub("", text)) != text and not any(
        _key(text) == _key(name) for name in notebooks
    ):
        digits = re.search(r"\d+", text[len(shorter) :])
        copy = max(copy, int(digits.group()[:6]) if digits else 1)
        text = shorter.strip()
    while (shorter := PREFIX.sub("", text)) != text:
        text = shorter.strip()
    for name in sorted(notebooks, key=len, reverse=True):
        pattern = r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name)))
        found = re.fullmatch(
            rf"(?:(?P<who>.*?)[\s_-]+)?(?:\d\d[\s_-])?{pattern}(?:[\s_-]+(?P<after>.+))?",
            text,
            re.I,
        )
        if found:
            who = found["who"] or found["after"] or ""
            return name, copy, PREFIX.sub("", who).strip(" _-")
    return None, copy, ""


def _key(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text).lower()


def _owner_folder(folders: list[str], assignment: str, notebooks: Iterable[str]) -> str | None:
    """The innermost folder that can be a student's: not the assignment's, and not one of those that
    everybody has."""
    generic = {_key(assignment), _key(re.sub(r"^\d+_", "", assignment)), *map(_key, notebooks)}
    for part in reversed(folders):
        if _key(part) not in generic and not NOBODY.fullmatch(part.strip()):
            return part
    return None


def keys_of(name: Name) -> list[str]:
    """By what the gradebook may know somebody, the surest first. Older Moodles put a group's name
    and a hyphen before a student's."""
    who = name.student or ""
    keys = [name.number or "", who, *who.split("_"), student_id(name)]
    if name.origin.system == "moodle":
        parts = who.split("-")
        keys += ["-".join(parts[place:]) for place in range(1, len(parts))]
    return keys


def student_id(name: Name) -> str:
    """A student's id from what a download tells: letters, digits and `_`, the same for each of the
    student's files."""
    text = unicodedata.normalize("NFC", name.student or "")
    text = re.sub(r"[^\w.@-]+", "_", text).strip("_.-")
    return f"{text}_{name.number}" if name.number else text
