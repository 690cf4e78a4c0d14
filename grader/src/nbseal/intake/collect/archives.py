"""Every file in what an instructor downloaded: folders, zip and tar archives, and archives inside
them.

Archives come from strangers. Nothing is extracted under its own name: members become numbered files
in a folder of ours, and other modules decide where they go. An archive that tries to escape or to
fill the disk is refused as a whole, by name; a single file in it that swells is left out, since one
student's must not keep back all others'.
"""

import stat
import tarfile
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from nbseal.errors import CourseError

MOST_BYTES = 4 << 30  # unpacked, of one archive with all archives inside it
MOST_FILES = 50_000
LARGEST_FILE = 512 << 20
DEEPEST = 4  # archives inside archives
MOST_RATIO = 200  # a file may unpack to so many times its size, once it is larger than SMALL
SMALL = 128 << 20  # a notebook that printed one line a million times packs very well

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
JUNK = {
    "__MACOSX",
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    ".ipynb_checkpoints",
    "__pycache__",
    ".git",
}


class Refused(CourseError):
    """An archive, or a file, that is not opened. The text names it and says why."""


@dataclass(frozen=True)
class Found:
    """One file: where it was, when it was written, and what it holds."""

    path: PurePosixPath  # below what was named on the command line; an archive counts as a folder
    modified: datetime | None
    content: Path  # where its bytes are now


@dataclass
class _Unpacking:
    """Where an archive, with all inside it, is unpacked, and what it may still hold."""

    into: Path
    bytes: int = MOST_BYTES
    files: int = MOST_FILES


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def files_in(source: Path, into: Path, refused: list[str]) -> Iterator[Found]:
    """All files of a folder, an archive, or a file by itself; what archives hold is unpacked into
    `into`.

    Why something was left out is added to `refused`. Raises CourseError where there is nothing at
    all.
    """
    if not source.exists():
        raise CourseError(f"{source} does not exist.")
    names = sorted(source.rglob("*")) if source.is_dir() else [source]
    for path in names:
        name = PurePosixPath(
            path.relative_to(source if source.is_dir() else source.parent).as_posix()
        )
        if _is_junk(name):
            continue
        if path.is_symlink():
            refused.append(f"{path} is a link, and links are not followed.")
        elif path.is_file():
            modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            # An archive given by itself is not part of its files' names: they are told apart inside
            # it.
            inside = PurePosixPath() if path == source else _stem(name)
            yield from _open(
                Found(name, modified, path), inside, str(path), _Unpacking(into), 0, refused
            )


def _is_junk(path) -> bool:
    return any(part in JUNK or part.startswith("._") for part in path.parts)


def _stem(name: PurePosixPath) -> PurePosixPath:
    ending = next(
        ending
        for ending in ("", *ARCHIVES)
        if name.name.lower().endswith(ending) and (ending or not is_archive(name.name))
    )
    return name.with_name(name.name[: -len(ending)] or "archive") if ending else name


def _open(
    found: Found,
    inside: PurePosixPath,
    shown: str,
    budget: _Unpacking,
    depth: int,
    refused: list[str],
) -> Iterator[Found]:
    """The file itself, or what is in it if it is an archive. One bad archive does not spoil those
    beside it."""
    if not is_archive(found.path.name):
        yield found
        return
    if depth > DEEPEST:
        refused.append(
            f"{shown} is refused: it lies in more than {DEEPEST} archives inside each other."
        )
        return
    try:
        members = _unpacked(found.content, shown, budget, refused)
    except Refused as reason:
        refused.append(str(reason))
        return
    for member in members:
        path = inside / member.path
        file = Found(path, member.modified or found.modified, member.content)
        yield from _open(file, _stem(path), f"{shown} > {member.path}", budget, depth + 1, refused)


def _unpacked(path: Path, shown: str, budget: _Unpacking, refused: list[str]) -> list[Found]:
    """The members of an archive, after every one of them has been checked. Raises Refused for the
    whole archive."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _read_all(_zip_members(archive, shown), shown, budget, refused)
        with tarfile.open(path, mode="r:*") as archive:
            return _read_all(_tar_members(archive, shown), shown, budget, refused)
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        UnicodeDecodeError,
    ) as error:
        raise Refused(
            f"{shown} is not an archive that can be opened ({error or type(error).__name__})."
        ) from None


@dataclass(frozen=True)
class _Member:
    path: PurePosixPath
    size: int
    packed: int
    modified: datetime | None
    open: Callable[[], IO[bytes]]


def _zip_members(archive: zipfile.ZipFile, shown: str) -> list[_Member]:
    members = []
    for info in archive.infolist():
        path = _checked(info.filename, shown)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise Refused(f"{shown} is refused: {info.filename!r} in it is a link or a device.")
        if info.flag_bits & 1:
            raise Refused(f"{shown} is refused: {info.filename!r} in it is encrypted.")
        if not info.is_dir() and not _is_junk(path):
            members.append(
                _Member(
                    path,
                    info.file_size,
                    info.compress_size,
                    _zip_time(info.date_time),
                    partial(archive.open, info),
                )
            )
    return members


def _zip_time(parts: tuple[int, int, int, int, int, int]) -> datetime | None:
    """Zip files keep local time without saying whose; 1980 means that there is none."""
    try:
        return datetime(*parts).astimezone().astimezone(UTC) if parts[0] > 1980 else None
    except (ValueError, OverflowError):
        return None


def _content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = archive.extractfile(info)
    assert file is not None, "only links and devices have no content, and they are refused"
    return file


def _tar_members(archive: tarfile.TarFile, shown: str) -> list[_Member]:
    members = []
    for number, info in enumerate(archive):
        path = _checked(info.name, shown)
        if number > MOST_FILES:
            raise Refused(f"{shown} is refused: it holds more than {MOST_FILES} files.")
        if not (info.isreg() or info.isdir()):
            raise Refused(f"{shown} is refused: {info.name!r} in it is a link or a device.")
        if info.isreg() and not _is_junk(path):
            modified = datetime.fromtimestamp(info.mtime, UTC) if info.mtime > 0 else None
            members.append(
                _Member(path, info.size, info.size, modified, partial(_content, archive, info))
            )
    return members


def _checked(name: str, shown: str) -> PurePosixPath:
    """A member's path. Raises Refused for one that leads out of the archive."""
    path = PurePosixPath(name.replace("\\", "/"))
    if (
        path.is_absolute()
        or ".." in path.parts
        or "\0" in name
        or (path.parts and path.parts[0].endswith(":"))
    ):
        raise Refused(f"{shown} is refused: {name!r} in it leads out of the archive.")
    return path


def _read_all(
    members: list[_Member], shown: str, budget: _Unpacking, refused: list[str]
) -> list[Found]:
    """Unpack members within the budget: what an archive says about sizes is checked first, and not
    believed."""
    names = [member.path for member in members]
    if len(names) != len(set(names)):
        twice = next(name for name in names if names.count(name) > 1)
        raise Refused(f"{shown} is refused: it holds {str(twice)!r} more than once.")
    budget.files -= len(members)
    if budget.files < 0:
        raise Refused(f"{shown} is refused: it holds more than {MOST_FILES} files.")
    kept = [member for member in members if not _swells(member)]
    refused += [
        f"{str(member.path)!r} in {shown} is refused: it unpacks from {member.packed} to "
        f"{member.size} bytes."
        for member in members
        if _swells(member)
    ]
    if sum(member.size for member in kept) > budget.bytes:
        raise Refused(
            f"{shown} is refused: unpacked it would be larger than {budget.bytes >> 20} MB."
        )
    return [_read(member, shown, budget) for member in kept]


def _swells(member: _Member) -> bool:
    return member.size > LARGEST_FILE or (
        member.size > SMALL and member.size > MOST_RATIO * max(member.packed, 1)
    )


def _read(member: _Member, shown: str, budget: _Unpacking) -> Found:
    target, read = budget.into / uuid.uuid4().hex, 0
    with member.open() as file, open(target, "wb") as copy:
        while chunk := file.read(1 << 20):
            read += len(chunk)
            if read > member.size:
                raise Refused(
                    f"{shown} is refused: {str(member.path)!r} in it is larger than the archive "
                    "says."
                )
            copy.write(chunk)
    budget.bytes -= read
    return Found(member.path, member.modified, target)
