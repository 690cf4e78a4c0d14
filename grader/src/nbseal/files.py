"""Files that are there whole or not at all, and how to tell that some have changed."""

import os
import secrets
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write into that stands at `path` once it is finished, and never in part: what was
    there stays until then, and if anything is raised. Raises OSError where nothing can be
    written."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(unfinished, flags, mode), "wb") as file:
            yield file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write a file, whole or not at all. Raises OSError."""
    with whole(path, mode) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """While nobody else of this machine is at work in a folder by this function; a file system that
    knows no locks lets everybody in."""
    import fcntl  # which not every system has on which notebooks are made

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def stamps(paths: Iterable[str | Path]) -> dict[str, tuple[int, ...] | None]:
    """Of each file and folder, and of all in it but what Python compiled, what changes when it
    does: time, size and number; None where there is none."""
    found: dict[str, tuple[int, ...] | None] = {}
    for path in map(str, paths):
        found[path] = _stamp(path)
        for folder, folders, names in os.walk(path):  # no link to a folder is followed
            folders[:] = [name for name in folders if name != "__pycache__"]
            inside = (os.path.join(folder, name) for name in (*folders, *names))
            found |= {one: _stamp(one) for one in inside}
    return found


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        about = os.stat(path)
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino


def loaded_files(known: Collection[str] = ()) -> list[str]:
    """The files of the modules that this process has loaded, but for those of known names."""
    modules = [module for name, module in list(sys.modules.items()) if name not in known]
    files = [vars(module).get("__file__") for module in modules if hasattr(module, "__dict__")]
    return [file for file in files if isinstance(file, str)]
