"""What a machine does that orders are sent to: an order and its bundle come in as bytes, what came
of it goes out as bytes.

Whatever carries them - a cluster (courier.py) or files (order_files.py) - calls `execute`. Before
its first session the machine sees that it has the versions that were asked for, and tries its own
boundaries. What it has unpacked and warmed for a course it keeps until another course's orders come
or until none have come for a while.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from nbseal import wire
from nbseal.confine import require_closed
from nbseal.engine import executions, memory, orders
from nbseal.engine.pool import WorkerPool
from nbseal.errors import CourseError
from nbseal.leftovers import OwnFolder, remove_tree
from nbseal.records import Execution, Limits
from nbseal.view import CourseView

IDLE_SECONDS = 600.0  # without an order, after which warm workers are given up


class _Course:
    """A course on this machine: its bundle, unpacked, and workers that have imported it."""

    def __init__(self, bundle: bytes, folder: Path, threads: int, limits: Limits):
        folder.chmod(0o755)  # a session of another user is to read it
        self.folder = folder
        self.view: CourseView = orders.open_bundle(bundle, folder)
        self.pool = WorkerPool()
        self.turns = threading.BoundedSemaphore(memory.fitting(threads, limits.memory_bytes)[0])
        self.users = 0

    def close(self) -> None:
        self.pool.close()
        remove_tree(self.folder)


class Host:
    """This machine, as one that takes orders."""

    def __init__(self, name: str = ""):
        """name: what its cluster calls it."""
        self.name = name
        self._own = OwnFolder()
        self._lock = threading.Lock()
        self._trying = threading.Lock()
        self._closed: set[frozenset[str]] = set()  # with which boundaries accepted as open
        self._courses: dict[str, _Course] = {}
        self._idle: threading.Timer | None = None

    def execute(self, data: bytes, bundle: bytes, threads: int = 1) -> bytes:
        """Execute an order. What goes wrong is in what comes back.

        threads: how many orders this process executes at the same time; no more of them run at
        once than fit into the machine's memory.
        """
        try:
            packed = orders.unpack_order(data)
            self._check_versions(packed.versions)
            self._try_boundaries(packed.order.accept_open)
            with self._course(packed, bundle, threads) as course, course.turns:
                execution = self._execute(packed, course)
            return executions.pack_execution(execution, self.name)
        except (CourseError, wire.WireError, OSError) as error:
            return executions.pack_refusal(f"{socket.gethostname()}: {error}", self.name)
        except Exception as error:  # ours: another machine would do no better
            said = f"{socket.gethostname()} could not ({type(error).__name__}: {error})."
            return executions.pack_failure(said, self.name)

    def _execute(self, packed: orders.PackedOrder, course: _Course) -> Execution:
        with self._own.make("handed-in-") as place:
            folder = packed.lay_out(course.folder, place)
            return course.pool.run(replace(packed.order, course=course.view, folder=folder))

    def _check_versions(self, wanted: dict[str, str]) -> None:
        """Raise CourseError where this machine differs in what decides an answer."""
        here = orders.versions()
        for name, version in wanted.items():
            if here.get(name) != version:
                raise CourseError(
                    f"it has {name} {here.get(name)}, and the machine that grades {version}: "
                    "install the same on both."
                )

    def _try_boundaries(self, accept_open: frozenset[str]) -> None:
        """Raise CourseError if this machine leaves a boundary open that is not accepted. Tried
        once."""
        with self._trying:
            if accept_open not in self._closed:
                require_closed(accept_open)
                self._closed.add(accept_open)

    @contextmanager
    def _course(self, packed: orders.PackedOrder, bundle: bytes, threads: int) -> Iterator[_Course]:
        with self._lock:
            if packed.bundle not in self._courses:
                if orders.digest(bundle) != packed.bundle:
                    raise wire.WireError("the course's files are not those that the order names")
                self._give_up_idle()
                self._courses[packed.bundle] = _Course(
                    bundle, self._own.new("course-"), threads, packed.order.limits
                )
            course = self._courses[packed.bundle]
            course.users += 1
            if self._idle is not None:
                self._idle.cancel()
        try:
            yield course
        finally:
            with self._lock:
                course.users -= 1
                self._idle = threading.Timer(IDLE_SECONDS, self.rest)
                self._idle.daemon = True
                self._idle.start()

    def rest(self) -> None:
        """Give up what is warm and not in use."""
        with self._lock:
            self._give_up_idle()

    def _give_up_idle(self) -> None:
        for name, course in list(self._courses.items()):
            if not course.users:
                del self._courses[name]
                course.close()

    def close(self) -> None:
        """End all that is warm."""
        self.rest()
        self._own.close()
