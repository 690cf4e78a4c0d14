"""The folders of a submission on its way: collected where nobody looks, published in one step."""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from logging import Logger
from pathlib import Path, PurePosixPath

from nbgrader.utils import find_all_files

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


def collect(
    source: Path, folder: Path, ignore: list[str], log: Logger, leave_out: Collection[str] = ()
) -> None:
    """Copy what lies beside the notebooks of `source`, over what `folder` has. A link may lead only
    inside `source`."""
    inside = source.resolve()
    for name in find_all_files(str(source), [*ignore, "*.ipynb"]):
        relative = os.path.relpath(name, source)
        if relative in leave_out:
            continue
        if not os.path.isfile(name) or not Path(name).resolve().is_relative_to(inside):
            log.warning("Leaving out %s: it is not a file, or is a link to somewhere else", name)
            continue
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy(name, target)


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
    the timestamp of a submission, hidden files, and what a program of ours would run. So is what
    cannot be written because something else lies there. notebooks: their names, without a suffix.
    Raises ValueError for a path that leads out of the folder, OSError if the host cannot write.
    """
    left_out = []
    for name, content in written:
        path = PurePosixPath(name)
        forbidden = any(_is_not_a_sessions(part, notebooks) for part in path.parts)
        if forbidden or not _write_beside(folder, path, content):
            left_out.append(name)
    return left_out


def _is_not_a_sessions(part: str, notebooks: Collection[str]) -> bool:
    part = part.casefold()
    kept = {"timestamp.txt", *(f"{name.casefold()}.html" for name in notebooks)}
    return (
        (part.startswith(".") and part != "..")
        or part.endswith((".ipynb", ".pth"))
        or part in kept
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
