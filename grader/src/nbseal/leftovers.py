"""Temporary folders of this process, and those that killed runs have left.

All folders of one owner lie in one, beside a file that the owner holds locked for as long as it
lives. The kernel lets go of the lock however the owner ends, so whoever can take it knows that
nobody uses the folder any more, and removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX, LOCK = "nbseal-", ".in-use"


class OwnFolder:
    """A place for temporary folders, made when the first of them is."""

    def __init__(self, within: Path | None = None) -> None:
        """within: where its folder is made; in the temporary folder if not given."""
        self._within = within
        self._making = threading.Lock()
        self._path: Path | None = None
        self._close: weakref.finalize | None = None

    def new(self, prefix: str) -> Path:
        """A new, empty folder, which is removed with this place if not before."""
        with self._making:
            if self._path is None:
                remove_leftovers(self._within)
                self._path, lock = _make_locked(self._within)
                self._close = weakref.finalize(self, _remove, self._path, lock, os.getpid())
            return Path(tempfile.mkdtemp(prefix=prefix, dir=self._path))

    @contextmanager
    def make(self, prefix: str) -> Iterator[Path]:
        """A new, empty folder for as long as it is needed."""
        folder = self.new(prefix)
        try:
            yield folder
        finally:
            remove_tree(folder)

    def close(self) -> None:
        """Remove everything. The next folder begins a new place."""
        with self._making:
            self._path = None
            if self._close is not None:
                self._close()


def remove_leftovers(within: Path | None = None) -> None:
    """Remove what runs of this user have left in the temporary folder, or another, unless they
    still run."""
    with suppress(OSError):
        for folder in (within or Path(tempfile.gettempdir())).glob(f"{PREFIX}*"):
            with suppress(OSError):
                _remove_if_left(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, also one with thousands of folders in each other, at which
    Python's own way ends in an error."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, stderr=subprocess.DEVNULL)


def _make_locked(within: Path | None) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=within))
        folder.chmod(0o711)  # a session of another user has to reach its own folder in it
        try:
            lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if (folder / LOCK).stat().st_ino == os.fstat(lock).st_ino:
                return folder, lock
        except (BlockingIOError, FileNotFoundError):
            pass  # somebody took it for a leftover, and removes it or has already
        os.close(lock)


def _remove(folder: Path, lock: int, owner: int) -> None:
    if os.getpid() == owner:  # and not a process that was forked from it, and ends
        remove_tree(folder)
    os.close(lock)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder that is ours and in nobody's use. One without a lock is left alone: it is
    just being made, or none of ours."""
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
        return
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(folder)
    finally:
        os.close(lock)
