"""The folders of a submission on its way: collected where nobody looks, published in one step."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
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


def withdraw(destination: Path, notebooks: Collection[str]) -> None:
    """Remove the results of notebooks."""
    for name in notebooks:
        (destination / name).unlink(missing_ok=True)


def _write_beside(folder: Path, path: PurePosixPath, content: bytes) -> None:
    target = folder / path
    if (
        ".." in path.parts
        or not path.parts
        or not target.resolve().is_relative_to(folder.resolve())
    ):
        raise ValueError(f"a session named a file outside its folder: {str(path)!r}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    with open(
        os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644), "wb"
    ) as file:
        file.write(content)


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
