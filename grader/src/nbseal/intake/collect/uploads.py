"""A download, cut into uploads: what lies under one outermost name.

Only that name, which the learning management system gave, and the system's own tables say whose an
upload is and when it came. What lies in it is content.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nbseal import apart
from nbseal.errors import CourseError
from nbseal.intake.collect.notebooks import is_notebook, key
from nbseal.intake.collect.unpacking import is_archive, is_junk

TABLE = "submission_metadata.yml"  # Gradescope's
# How systems begin a name. Where several fit, the one that ends first does: the rest is the
# student's. Moodle takes each `_` out of names.
SYSTEMS = {
    "moodle": re.compile(
        r"(?P<who>[^_]+?)(?:_(?P<number>\d+))?_assignsubmission_(?:file|onlinetext)_?"
    ),
    "canvas": re.compile(r"(?P<who>\w[\w-]*?)(?P<late>_LATE|_late)?_(?P<number>\d+)_\d+_(?=.)"),
    "canvas, anonymous": re.compile(r"(?P<late>LATE_)?(?P<who>anon_[^\W_]{5})_\d+_(?=.)"),
    "gradescope": re.compile(r"(?P<who>)submission_(?P<number>\d+)$"),
    "brightspace": re.compile(
        r"(?P<number>\d+)-\d+ ?- ?(?P<who>.+?) ?- ?[A-Z][a-z]+\.? \d{1,2}, \d{4}"
    ),
    "blackboard": re.compile(r".*?_(?P<who>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})_?"),
}
# Folders that name no student.
NOBODY = re.compile(
    r"(?:submissions?|submitted|downloads?|archive|assignment.*|export.*|.*_export|files?|notebooks?|src|work|home|"
    r"untitled.*|new folder.*|online ?text|homework\d*|hw\d*|exercises?)",
    re.I,
)
Ask = Callable[[str, dict], dict]


@dataclass(frozen=True)
class Source:
    """A file of an upload that is not opened yet."""

    archive: Path | None  # of the download; None where it is a folder
    key: int | str  # which member, or the file
    path: PurePosixPath  # below the outermost name; nothing where that is the file's own
    time: datetime | None  # by the download


@dataclass(frozen=True)
class Upload:
    """All under one outermost name of a download."""

    name: str
    around: PurePosixPath  # folders around everything in the download
    sources: list[Source] = field(default_factory=list)
    entry: dict = field(default_factory=dict)  # of Gradescope's table

    @property
    def is_file(self) -> bool:
        return not self.sources[0].path.parts

    @property
    def may_be_work(self) -> bool:
        """Whether it is worth asking whose it is."""
        return not self.is_file or is_notebook(self.name) or is_archive(self.name)

    @property
    def time(self) -> datetime | None:
        """The newest of its notebooks and archives, or of all files, as the download has them."""
        names = [(one.path.name or self.name, one.time) for one in self.sources if one.time]
        likely = [time for name, time in names if is_notebook(name) or is_archive(name)]
        return max(likely or [time for _, time in names], default=None)


def uploads_in(
    source: Path, assignment: str, notebooks: Iterable[str], ask: Ask, refused: list[str]
) -> list[Upload]:
    """All uploads of a download: a folder, an archive, or a notebook by itself. What is left out is
    added to `refused`. Raises CourseError where there is no such download."""
    if not source.exists():
        raise CourseError(f"{source} does not exist.")
    if source.is_dir():
        found = _in_folder(source, refused)
    elif is_archive(source.name):
        found = _in_archive(source, ask, refused)
    else:
        path = PurePosixPath(source.name)
        found = [(path, Source(None, str(source), path, _modified(source)))]
    generic = [assignment, re.sub(r"^\d+_", "", assignment), *notebooks]
    depth = _wrapped([path for path, _ in found], generic)
    uploads: dict[str, Upload] = {}
    for path, one in found:
        name, around = path.parts[depth], PurePosixPath(*path.parts[:depth])
        inside = PurePosixPath(*path.parts[depth + 1 :])
        upload = uploads.setdefault(name, Upload(name, around))
        upload.sources.append(Source(one.archive, one.key, inside, one.time))
    table = uploads.get(TABLE)
    if table is not None and any(name.startswith("submission_") for name in uploads):
        entries = _gradescope(uploads.pop(TABLE).sources[0], source, ask, refused)
        for name, entry in entries.items():
            if name in uploads:
                uploads[name].entry.update(entry)
    return list(uploads.values())


def is_generic(name: str, others: Iterable[str]) -> bool:
    """Whether a folder is called like one that everybody has, or like a notebook."""
    if any(pattern.match(name) for pattern in SYSTEMS.values()):
        return False
    return key(name) in map(key, others) or NOBODY.fullmatch(name.strip()) is not None


def _wrapped(paths: list[PurePosixPath], generic: list[str]) -> int:
    """How many folders lie around everything, and are nobody's."""
    depth = 0
    while paths and all(len(path.parts) > depth + 1 for path in paths):
        names = {path.parts[depth] for path in paths}
        if len(names) > 1 or not is_generic(names.pop(), generic):
            break
        depth += 1
    return depth


def _in_folder(folder: Path, refused: list[str]) -> list[tuple[PurePosixPath, Source]]:
    found = []
    for path in sorted(folder.rglob("*")):
        inside = PurePosixPath(path.relative_to(folder).as_posix())
        if is_junk(inside):
            continue
        if path.is_symlink():
            refused.append(f"{path} is a link, and links are not followed.")
        elif path.is_file():
            found.append((inside, Source(None, str(path), inside, _modified(path))))
        elif not path.is_dir():
            refused.append(f"{path} is no file.")
    return found


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _in_archive(archive: Path, ask: Ask, refused: list[str]) -> list[tuple[PurePosixPath, Source]]:
    try:
        members = ask("list", {"archive": str(archive)})["members"]
    except (apart.TooMuch, apart.Raised, OSError) as error:
        refused.append(f"{archive} {str(error).removeprefix('Refused: ')}.")
        return []
    found = []
    for number, (name, seconds, fault) in enumerate(members):
        if fault:
            refused.append(f"{name[:200]!r} in {archive} {fault}.")
            continue
        time = datetime.fromtimestamp(seconds, UTC) if seconds is not None else _modified(archive)
        path = PurePosixPath(name)
        found.append((path, Source(archive, number, path, time)))
    return found


def _gradescope(source: Source, shown: Path, ask: Ask, refused: list[str]) -> dict:
    archive = str(source.archive) if source.archive is not None else None
    try:
        return ask("table", {"archive": archive, "key": source.key})
    except (apart.TooMuch, apart.Raised, OSError) as error:
        refused.append(f"{TABLE} in {shown} is not Gradescope's table of submissions ({error}).")
        return {}
