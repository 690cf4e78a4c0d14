"""What travels to a machine of a cluster, and what that machine does with it.

An order holds all that a session needs by value. The course's own files, and those that the
instructor hands out beside a notebook, are the same for a whole class: they travel once, as a
*bundle*. A machine believes who sends it work, as Dask's do, so both are pickled; what comes back
never is (executions.py).
"""

from __future__ import annotations

import hashlib
import pickle
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from nbseal import folders
from nbseal.confine import require_closed
from nbseal.engine import memory
from nbseal.engine.executions import pack_execution
from nbseal.engine.pool import WorkerPool
from nbseal.errors import CourseError
from nbseal.leftovers import OwnFolder, remove_tree
from nbseal.records import Order
from nbseal.view import CourseView

LARGEST = 1 << 30  # bytes of one order, bundle or execution
NOT_GIVEN = ("*.ipynb", ".*", "__pycache__")  # of the instructor's folder; as for the answer key
COMPARED = ("nbseal", "torch")  # packages that decide what a session answers
Files = dict[str, tuple[bytes, int]]  # name -> content and mode


def versions() -> dict[str, str]:
    """What has to be equal here and there: Python without its last number, packages without what
    names their build."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in COMPARED:
        found[name] = "none"
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name).partition("+")[0]
    return found


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _files(folder: Path, ignore: tuple[str, ...]) -> Files:
    names = sorted(folders.ordinary_files(folder, ignore, bounded=False)[0])
    return {name: _read(folder / name) for name in names}


def _read(path: Path) -> tuple[bytes, int]:
    return path.read_bytes(), path.stat().st_mode & 0o777


def pack_bundle(course: CourseView, given: Path | None) -> tuple[bytes, dict[str, str]]:
    """The course's files, and the folder that the instructor hands out beside a notebook, with the
    digests of what lies in it."""
    shared: Files = {}
    for name in course.files:
        place = Path(course.root, name)
        if place.is_dir():
            found = _files(place, ("__pycache__",))
            shared |= {f"{name}/{file}": content for file, content in found.items()}
        else:
            shared[name] = _read(place)
    beside = _files(given, NOT_GIVEN) if given is not None else {}
    digests = {name: digest(content) for name, (content, _) in beside.items()}
    return pickle.dumps((course.files, shared, beside)), digests


def pack_order(order: Order, given: dict[str, str]) -> bytes:
    """An order, with the files handed in; those that its bundle has (`given`) by name alone."""
    handed_in = _files(Path(order.folder), ()) if order.folder is not None else None
    if handed_in is not None:
        same = [name for name, (one, _) in handed_in.items() if given.get(name) == digest(one)]
        handed_in |= dict.fromkeys(same)  # type: ignore[arg-type]  # None: as in the bundle
    bare = replace(order, course=CourseView(""), folder=None)
    # versions first: an order of another version may be none that can be unpickled
    return pickle.dumps((versions(), pickle.dumps((bare, handed_in))))


def _write(files: Files, folder: Path) -> None:
    folder.chmod(0o755)  # a session of another user is to read it
    for name, (content, mode) in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode | 0o444)


class _Course:
    """A course on this machine: its bundle, unpacked, and workers that have imported it."""

    def __init__(self, bundle: bytes, folder: Path, threads: int, memory_bytes: int):
        names, shared, self.given = pickle.loads(bundle)
        _write(shared, folder)
        self.folder, self.view, self.pool = folder, CourseView(str(folder), names), WorkerPool()
        self.turns = threading.BoundedSemaphore(memory.fitting(threads, memory_bytes)[0])
        self.users = 0


class Host:
    """This machine, as one that takes orders; it keeps what is warm until another course comes."""

    def __init__(self) -> None:
        self._own, self._lock, self._trying = OwnFolder(), threading.Lock(), threading.Lock()
        self._closed: set[frozenset[str]] = set()  # with which boundaries accepted as open
        self._courses: dict[str, _Course] = {}

    def execute(self, data: bytes, bundle: bytes, digest: str, threads: int = 1) -> bytes:
        """Execute an order. digest: of its bundle; threads: how many this process executes at the
        same time, if the machine's memory holds so many. Raises CourseError and OSError where this
        machine cannot execute any."""
        wanted, packed = pickle.loads(data)
        here = versions()
        if other := next((name for name in wanted if here.get(name) != wanted[name]), None):
            raise CourseError(
                f"it has {other} {here.get(other)}, and the machine that grades {wanted[other]}: "
                "install the same on both."
            )
        order, handed_in = pickle.loads(packed)
        with self._trying:
            if order.accept_open not in self._closed:
                require_closed(order.accept_open)
                self._closed.add(order.accept_open)
        making = self._own.make("handed-in-")
        with self._course(bundle, digest, threads, order) as course, course.turns, making as folder:
            order = replace(order, course=course.view)
            if handed_in is not None:
                _write({name: one or course.given[name] for name, one in handed_in.items()}, folder)
                order = replace(order, folder=str(folder))
            return pack_execution(course.pool.run(order))

    @contextmanager
    def _course(self, bundle: bytes, name: str, threads: int, order: Order) -> Iterator[_Course]:
        with self._lock:
            if name not in self._courses:
                for old in [old for old, one in self._courses.items() if not one.users]:
                    self._courses[old].pool.close()
                    remove_tree(self._courses.pop(old).folder)
                made = _Course(bundle, self._own.new("course-"), threads, order.limits.memory_bytes)
                self._courses[name] = made
            course = self._courses[name]
            course.users += 1
        try:
            yield course
        finally:
            with self._lock:
                course.users -= 1
