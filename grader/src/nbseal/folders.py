"""The folders of a submission on its way: collected where nobody looks, published in one step."""

import errno
import fcntl
import fnmatch
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

# hidden, so that nbgrader and Formgrader, who look for autograded/*/, never see it
PREFIX = ".grading-"


@contextmanager
def staging_area(beside: Path) -> Iterator[Path]:
    """A folder on the same file system as the results. Those of killed runs are removed first."""
    beside.mkdir(parents=True, exist_ok=True)
    for left_over in beside.glob(f"{PREFIX}*"):
        if _is_abandoned(left_over):
            shutil.rmtree(left_over, ignore_errors=True)
    area = Path(tempfile.mkdtemp(prefix=PREFIX, dir=beside))
    with open(area / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # held until this process ends, however it ends
        try:
            yield area
        finally:
            shutil.rmtree(area, ignore_errors=True)


def _is_abandoned(area: Path) -> bool:
    try:
        with open(area / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another run is at work there, or is just making it
        return False
    return True


# What may lie beside a notebook: an honest submission has a dozen files in a folder or two.
MOST_FILES, DEEPEST = 1000, 20


class TooMuch(Exception):
    """A folder holds more than is copied; the text is a sentence that names the limit."""


def ordinary_files(
    folder: Path, ignore: Sequence[str], bounded: bool = True
) -> tuple[dict[str, int], list[str]]:
    """The files below a folder, by their paths in it, with their sizes: what is copied beside a
    notebook. And the paths of what cannot be: no file, unreadable, or a link out of the folder.

    ignore: nbgrader's patterns for the names of files and folders. Where it is bounded, raises
    TooMuch after MOST_FILES entries, of whatever kind, or more than DEEPEST folders in each other.
    """
    ignored, inside = _matcher(ignore), folder.resolve()
    found: dict[str, int] = {}
    left_out: list[str] = []
    folders, seen = [(folder, 0)], 0
    while folders:
        place, depth = folders.pop()
        for entry in _entries(place, left_out):
            seen += 1
            if bounded and seen > MOST_FILES:
                raise TooMuch(f"It holds more than {MOST_FILES:,} files and folders.")
            if ignored(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                if bounded and depth == DEEPEST:
                    raise TooMuch(f"It holds folders more than {DEEPEST} deep in each other.")
                folders.append((Path(entry.path), depth + 1))
            elif (size := _size(Path(entry.path), inside)) is None:
                left_out.append(entry.path)
            else:
                found[os.path.relpath(entry.path, folder)] = size
    return found, left_out


def _entries(folder: Path, left_out: list[str]) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except PermissionError:
        left_out.append(str(folder))


def _size(path: Path, inside: Path) -> int | None:
    """Bytes of a regular file that can be read, or of one inside the folder that a link leads to;
    None for anything else."""
    try:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            path = path.resolve(strict=True)
            about = path.lstat()
            if not path.is_relative_to(inside):
                return None
    except (OSError, RuntimeError):  # a link to itself, or to nothing
        return None
    return about.st_size if stat.S_ISREG(about.st_mode) and os.access(path, os.R_OK) else None


def _matcher(patterns: Sequence[str]) -> Callable[[str], object]:
    """Whether a name fits one of nbgrader's patterns, which are those of a shell: `*` stands for no
    hidden file."""
    plain = [fnmatch.translate(one) for one in patterns if not one.startswith(".")]
    hidden = [fnmatch.translate(one) for one in patterns if one.startswith(".")]
    visible, other = (re.compile("|".join(one or ["(?!)"])) for one in (plain, hidden))
    return lambda name: other.match(name) if name.startswith(".") else visible.match(name)


def copy_named(source: Path, names: Iterable[str], folder: Path) -> None:
    """Copy files, by their paths in `source`, over what `folder` has, be it a file where a folder
    is needed or the other way round."""
    for name in names:
        target = folder / name
        for above in target.relative_to(folder).parents:
            if (folder / above).is_file():
                (folder / above).unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        remove(target)
        shutil.copy(source / name, target)


def publish(folder: Path, destination: Path, notebooks: Collection[str]) -> None:
    """Move a finished folder to where nbgrader looks for it.

    In one step where nothing is there yet. Where other notebooks of the assignment are, file by
    file, and `notebooks`
    are gone until everything else has arrived: what is there is always finished.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    if not destination.exists():
        folder.rename(destination)
        return
    withdraw(destination, notebooks)
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in sorted(
        files, key=lambda path: (path.parent == folder and path.name in notebooks, path)
    ):
        target = destination / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def move_over(folder: Path, destination: Path, names: Iterable[str]) -> None:
    """Move files, by their paths in `folder`, over what `destination` has. Each is whole at any
    time: the one from before until it is the new one."""
    if not destination.exists():
        destination.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(destination)
        return
    for name in names:
        target = destination / name
        for above in reversed(target.relative_to(destination).parents[:-1]):
            if not (destination / above).is_dir():
                remove(destination / above)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir() and not target.is_symlink():
            remove(target)
        (folder / name).replace(target)


def remove(path: Path) -> None:
    """Make a place free, whatever is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def withdraw(destination: Path, notebooks: Collection[str]) -> None:
    """Remove the results of notebooks."""
    for name in notebooks:
        remove(destination / name)


# What programs of the trusted side read, run or import when they find it in a folder.
RUN_WHEN_FOUND = {"nbgrader_config.py", "sitecustomize.py", "usercustomize.py", "conftest.py"}


def write_session_files(
    written: Iterable[tuple[str, bytes]], folder: Path, notebooks: Collection[str]
) -> list[str]:
    """Put what a session wrote beside its notebook; returns the names that were left out.

    Left out is what is not a session's to write, in any part of a path: notebooks, the reports and
    the timestamp of a submission, hidden files, and what a program of ours would run. So is what is
    too deep, what comes after MOST_FILES, and what cannot be written because something else lies
    there. notebooks: their names, without a suffix.
    Raises ValueError for a path that leads out of the folder, OSError if the host cannot write.
    """
    left_out = []
    for number, (name, content) in enumerate(written):
        path = PurePosixPath(name)
        forbidden = number >= MOST_FILES or len(path.parts) > DEEPEST
        forbidden |= any(_is_not_a_sessions(part, notebooks) for part in path.parts)
        if forbidden or not _write_beside(folder, path, content):
            left_out.append(name)
    return left_out


def _is_not_a_sessions(part: str, notebooks: Collection[str]) -> bool:
    return is_anothers(part, notebooks) or part.casefold() == "timestamp.txt"


def is_anothers(part: str, notebooks: Collection[str]) -> bool:
    """Whether a part of a path is the name of a notebook or its report, is hidden, is looked for by
    a program of ours, or acts on the terminal that shows it: nothing of a student's may lie there
    among the results."""
    part = part.casefold()
    return (
        (part.startswith(".") and part != "..")
        or not part.isprintable()
        or part.endswith((".ipynb", ".pth"))
        or part in {f"{name.casefold()}.html" for name in notebooks}
        or part in RUN_WHEN_FOUND
    )


def _write_beside(folder: Path, path: PurePosixPath, content: bytes) -> bool:
    """Whether the file could be written: not where there is a folder, nor below a file."""
    target = folder / path
    if (
        ".." in path.parts
        or not path.parts
        or not target.resolve().is_relative_to(folder.resolve())
    ):
        raise ValueError(f"a session named a file outside its folder: {str(path)!r}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(target, flags, 0o644), "wb") as file:
            file.write(content)
    except (FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError):
        return False
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False
    return True


def copy_files(source: Path, target: Path, leave_out: frozenset[str] = frozenset()) -> None:
    """Copy a folder's ordinary files, without links, devices and the notebooks named in
    `leave_out`."""
    for folder, _, files in os.walk(source):
        for name in files:
            path = Path(folder, name)
            if (
                path.is_symlink()
                or not path.is_file()
                or (path.suffix == ".ipynb" and path.stem in leave_out)
            ):
                continue
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
