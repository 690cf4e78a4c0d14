"""Opening what students packed, in a process with limits (`nbseal.apart`).

Nothing is extracted under its own name: members become numbered files in a folder of ours. What
is wrong with an archive, a lie about its sizes or any error of a decoder, costs that archive alone.
"""

import stat
import tarfile
import uuid
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import IO

import yaml

from nbseal.intake.collect.notebooks import is_notebook, notebook_in, stem_of
from nbseal.intake.damage import LARGEST_NOTEBOOK

MOST_BYTES = 1 << 30  # of all that one student handed in, unpacked
MOST_FILES = 10_000  # of one student
MOST_LISTED = 100_000  # members of a download
DEEPEST = 4  # archives inside archives
LONGEST_NAME = 1000  # bytes of a path
LATEST = 4e9  # seconds: in 2096
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
JUNK = set("__MACOSX .DS_Store Thumbs.db desktop.ini .ipynb_checkpoints __pycache__ .git".split())


class Refused(Exception):
    """An archive that is not opened, and why."""


@dataclass(frozen=True)
class Member:
    """A file in an archive, or in a folder."""

    path: PurePosixPath
    size: int
    time: float | None
    fault: str  # why it is not opened
    open: Callable[[], IO[bytes] | None]
    content: Path | None = None  # where its bytes are already


@dataclass
class _Room:
    """What one student's files may still take."""

    into: Path
    bytes: int = MOST_BYTES
    files: int = MOST_FILES


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def is_junk(path: PurePosixPath) -> bool:
    return any(part in JUNK or part.startswith("._") for part in path.parts)


def list_download(request: dict) -> dict:
    """Task: the members of a download, with their times and what is wrong with them."""
    found = _members(Path(request["archive"]))
    return {"members": [[str(one.path), one.time, one.fault] for one in found]}


def read_table(request: dict) -> dict:
    """Task: Gradescope's table, as submission -> its submitters and the time it was made."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with _source(request["archive"], request["key"]).open() as file:  # type: ignore[union-attr]
        table = yaml.load(file.read(LARGEST_NOTEBOOK), loader)
    found = {}
    for name, entry in table.items():
        made = entry.get(":created_at")
        found[name] = {
            "people": [
                [str(one[key]) for key in (":email", ":sid", ":name") if one.get(key)]
                for one in entry[":submitters"]
            ],
            "time": made.timestamp() if isinstance(made, datetime) else None,
        }
    return found


def open_upload(request: dict) -> dict:
    """Task: the files of one student, and sentences about what was refused. sources: of each its
    archive or None, its key there, its path as the student called it, and what to call it."""
    room = _Room(Path(request["into"]))
    files: list[list] = []
    refused: list[str] = []
    for place, (archive, key, path, shown) in enumerate(request["sources"]):
        member = _source(archive, key)
        for name, time, content in _opened(member, PurePosixPath(path), shown, room, 0, refused):
            notebook, copy = None, 0
            if is_notebook(name.name):
                notebook, copy, _ = notebook_in(stem_of(name.name), request["notebooks"])
            files.append([place, str(name), time, str(content), notebook, copy])
    return {"files": files, "refused": refused}


TASKS = {"list": list_download, "table": read_table, "open": open_upload}


def _source(archive: str | None, key: int | str) -> Member:
    if archive is not None:
        return _members(Path(archive))[int(key)]
    path = Path(str(key))  # a file in a folder
    size = path.stat().st_size
    fault = _fault(path.name, set(), size, False)
    return Member(PurePosixPath(path), size, None, fault, lambda: open(path, "rb"), path)


@lru_cache(maxsize=1)
def _members(path: Path) -> list[Member]:
    """All of an archive. Raises Refused."""
    try:
        if zipfile.is_zipfile(path):
            found = _zip_members(zipfile.ZipFile(path))
        else:
            found = _tar_members(tarfile.open(path, mode="r:*"))  # noqa: SIM115 - kept open
    except Exception as error:  # whatever a decoder makes of hostile bytes
        raise Refused(f"is not an archive that can be opened ({_named(error)})") from None
    if len(found) > MOST_LISTED:
        raise Refused(f"holds more than {MOST_LISTED:,} files")
    return found


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200] if str(error) else type(error).__name__


def _zip_members(archive: zipfile.ZipFile) -> list[Member]:
    members: list[Member] = []
    seen: set[str] = set()
    for info in archive.infolist():
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if info.is_dir() or is_junk(path):
            continue
        is_odd = stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG)
        fault = "is encrypted" if info.flag_bits & 1 else ""
        fault = _fault(info.filename, seen, info.file_size, is_odd) or fault
        time = None
        with suppress(ValueError, OverflowError):  # local time; in 1980 there is none
            time = datetime(*info.date_time).timestamp() if info.date_time[0] > 1980 else None
        opening = partial(archive.open, info)
        members.append(Member(path, info.file_size, _time(time), fault, opening))
    return members


def _tar_members(archive: tarfile.TarFile) -> list[Member]:
    members: list[Member] = []
    seen: set[str] = set()
    for info in archive:
        path = PurePosixPath(info.name.replace("\\", "/"))
        if info.isdir() or is_junk(path):
            continue
        if len(members) > MOST_LISTED:
            break
        fault = _fault(info.name, seen, info.size, not info.isreg())
        opening = partial(archive.extractfile, info)
        members.append(Member(path, info.size, _time(info.mtime), fault, opening))
    return members


def _time(seconds: float | None) -> float | None:
    return float(seconds) if seconds is not None and 0 < seconds < LATEST else None


def _fault(name: str, seen: set[str], size: int, is_odd: bool) -> str:
    """What is wrong with a member, by what its archive says of it."""
    path = PurePosixPath(name.replace("\\", "/"))
    key = str(path)
    is_twice = key in seen
    seen.add(key)
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        return "has a name that is not text"
    first = path.parts[0] if path.parts else ""
    if path.is_absolute() or ".." in path.parts or "\0" in name or first.endswith(":"):
        return "leads out of the archive"
    for wrong, said in (
        (length > LONGEST_NAME, f"has a name of {length:,} bytes"),
        (not path.parts, "has no name"),
        (is_odd, "is a link or a device"),
        (is_twice, "is there more than once"),
        (size > LARGEST_NOTEBOOK, f"is larger than {LARGEST_NOTEBOOK >> 20} MB"),
    ):
        if wrong:
            return said
    return ""


def _opened(
    member: Member, path: PurePosixPath, shown: str, room: _Room, depth: int, refused: list[str]
) -> list[tuple[PurePosixPath, float | None, Path]]:
    """A file, or what is in it if it is an archive. A bad one does not spoil those beside it."""
    try:
        if member.fault:
            raise Refused(member.fault)
        content = member.content or _copy(member, room)
        if not is_archive(path.name):
            return [(path, member.time, content)]
        if depth > DEEPEST:
            raise Refused(f"lies in more than {DEEPEST} archives inside each other")
        members = _members.__wrapped__(content)
        wrong = next((one for one in members if one.fault), None)
        if wrong is not None:
            raise Refused(f"holds {str(wrong.path)[:200]!r}, which {wrong.fault}")
        if len(members) > room.files:
            raise Refused(f"holds more than {MOST_FILES:,} files")
        room.files -= len(members)
        if sum(one.size for one in members) > room.bytes:
            raise Refused(f"is larger than {MOST_BYTES >> 20:,} MB when unpacked")
        ending = next(ending for ending in ARCHIVES if path.name.lower().endswith(ending))
        inside, found = path.with_name(path.name[: -len(ending)] or "archive"), []
        for one in members:
            name = f"{shown} > {str(one.path)[:200]}"
            found += _opened(one, inside / one.path, name, room, depth + 1, refused)
        if member.content is None:
            content.unlink()
        return found
    except Refused as reason:
        refused.append(f"{shown} {reason}.")
    except Exception as error:
        refused.append(f"{shown} cannot be read ({_named(error)}).")
    return []


def _copy(member: Member, room: _Room) -> Path:
    """Its bytes as a file of ours. What its archive says about its size is not believed."""
    target, read = room.into / uuid.uuid4().hex, 0
    source = member.open()
    assert source is not None, "only links and devices have no content, and they are refused"
    with source, open(target, "wb") as copy:
        while chunk := source.read(1 << 20):
            read += len(chunk)
            room.bytes -= len(chunk)
            if read > member.size:
                raise Refused("is larger than its archive says")
            if room.bytes < 0:
                raise Refused(f"is more than the {MOST_BYTES >> 20:,} MB that are unpacked")
            copy.write(chunk)
    return target
