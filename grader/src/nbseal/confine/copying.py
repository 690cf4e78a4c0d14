"""Copying what was handed in, by a process that may read more than the student may: no link is ever
followed."""

import os
import stat
from pathlib import Path

from nbseal.confine.spec import ConfinementError

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def copy_tree(source: int, target: Path, owner: tuple[int, int]) -> None:
    """Copy the folder behind the descriptor `source` into `target` and give the copies to `owner`.

    Links are copied as links; sockets, pipes and devices are left out. Raises ConfinementError
    where it does not fit.
    """
    try:
        _copy_folder(source, str(target), owner)
    except RecursionError:
        raise ConfinementError("what was handed in has folders nested too deep to copy.") from None
    except OSError as error:
        raise ConfinementError(
            f"what was handed in could not be copied into the session: {error.strerror or error}."
        ) from None


def _copy_folder(source: int, target: str, owner: tuple[int, int]) -> None:
    for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
        copy, mode = os.path.join(target, entry.name), entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            os.mkdir(copy, 0o700)
            folder = os.open(entry.name, _READ | os.O_DIRECTORY, dir_fd=source)
            try:
                _copy_folder(folder, copy, owner)
            finally:
                os.close(folder)
        elif stat.S_ISLNK(mode):
            os.symlink(os.readlink(entry.name, dir_fd=source), copy)
        elif stat.S_ISREG(mode):
            _copy_file(source, entry.name, copy, 0o700 if mode & 0o100 else 0o600)
        else:
            continue
        os.chown(copy, *owner, follow_symlinks=False)


def _copy_file(folder: int, name: str, target: str, mode: int) -> None:
    read = os.open(name, _READ, dir_fd=folder)
    write = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        while chunk := os.read(read, 1 << 20):
            while chunk:
                chunk = chunk[os.write(write, chunk) :]
    finally:
        os.close(read)
        os.close(write)
