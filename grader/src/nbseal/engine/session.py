"""The trusted side of one session: starts it on a warm worker, asks for cell after cell, keeps the
clock.

A notebook of one cell and one test, as it goes over the session's socket (line.py) and the worker's
control socket. `t1`, `t2`, `t3` are tokens, drawn by this side for each request; `>` goes out, `<`
comes in.

    control > {"do": "session", "limits": ..., "scratch": ...}    with the session's end of its line
    control < {"did": "session"}                    the worker has forked and confined it
    session < {"did": "start"}
    session > {"do": "cell", "token": t1, "source": "def double(x): ...", "tests_before": 0,
              "room": ...}
    session < {"did": t1, "status": "ok"}           its blob: the messages that a kernel would send
    session > {"do": "test", "token": t2, "tests": [t3], "seconds": 30, "seconds_left": 290}
                                                    the session forks; its child answers on its line
    session < {"ready": t3}                         from the child
    session > {"key": ..., "binds": ["x"], "draws_with": ...}       its blob: the test, compiled
    session < {"answer": "doubled", "outline": ..., "token": t3}    its blob: the tensors
    session < {"end": "completed", "token": t3, "error": null, ...}    the child's last word
    session < {"did": t2, "how": "exited"}          the session has waited for its child
    session > {"do": "files", "token": ...}         where a folder was handed in
    control > {"do": "end", "dead": false}          the worker kills all that is left
    control < {"did": "end", "status": 0, "cpu": 0.4, "memory": ..., "excess": null, ...}

Until `ready` the session knows neither key nor test; after it, all that it says may carry both. So
what it says is bounded, checked for its form and believed in nothing but what it answers. How often
a submission is run is not decided here but in pool.py.
"""

from __future__ import annotations

import base64
import binascii
import json
import threading
import time
from dataclasses import asdict
from pathlib import Path, PurePosixPath

from nbseal import wire
from nbseal.engine.line import GRACE_SECONDS, MAX_ESCAPE, START_SECONDS, Line
from nbseal.engine.progress import Progress, Stop, how_it_ended, killed_from_outside
from nbseal.engine.replies import plain_reply
from nbseal.engine.sealed_tests import SealedTests
from nbseal.engine.worker import WarmWorker, WorkerDied
from nbseal.errors import CourseError
from nbseal.records import CellOrder, Execution, Order, Ran

MAX_FULL_CELLS = 8  # so many cells of a submission may say as much as one cell may
MAX_FILES = 64 << 20  # bytes that come back of what the cells wrote

TOO_MUCH = (
    b'[{"msg_type": "stream", "content": {"name": "stdout", '
    b'"text": "[dropped: this notebook says too much]\\n"}}]'
)

_confined_before = threading.Event()  # this process has seen a session start on this host


class Refused(CourseError):
    """This host does not let a session be confined, whatever the submission is."""


class _NotStarted(Exception):
    """The session could not be made ready for what was handed in."""


def execute(order: Order, worker: WarmWorker, scratch: Path, spent: float = 0.0) -> Execution:
    """Run an order's cells in a fresh session, once. Raises WorkerDied, with what the attempt had
    come to, when the worker and not the submission is at fault.

    scratch: an empty folder that the caller removes; spent: seconds that earlier attempts used.
    """
    worker.warm(order.modules, order.course)
    attempt = _Supervised(order, worker, scratch, spent)
    try:
        return attempt.run()
    except WorkerDied as death:
        death.seconds, death.shown = attempt.progress.seconds, attempt.tests.shown
        death.begun = attempt.progress.cell is not None
        raise


class _Supervised:
    """One session, from fork to kill."""

    def __init__(self, order: Order, worker: WarmWorker, scratch: Path, spent: float):
        self.order, self.worker, self.limits = order, worker, order.limits
        self.scratch = scratch
        self.line = Line(self.limits, self._file_room())
        self.progress = Progress(self.limits, spent)
        self.tests = SealedTests(order, worker, self.line, self.progress)
        self.ran: dict[int, Ran] = {}
        self.files: tuple = ()
        self.tests_before = _tests_before(order.cells)
        # of all cells together
        self.output_room = MAX_FULL_CELLS * MAX_ESCAPE * self.limits.output_bytes

    def run(self) -> Execution:
        try:
            self._start()
            problem, dead = self._converse()
            usage = self.worker.ask({"do": "end", "dead": dead})
        except _NotStarted as error:
            problem = f"The session did not start: {error}"
            return Execution({}, {}, self.progress.seconds, 0.0, 0, problem)
        finally:
            self.line.close()
        killed = usage["short"] and self._lost_a_process(dead)
        if dead:
            problem = f"{problem}: it {how_it_ended(usage, self.limits)}."
            killed = killed or killed_from_outside(usage, self.limits)
        return Execution(
            self.ran,
            self.tests.records,
            self.progress.seconds,
            usage["cpu"],
            usage["memory"],
            problem,
            self.files,
            killed,
            self.tests.shown,
        )

    def _lost_a_process(self, dead: bool) -> bool:
        """Whether a process of this session was among those that memory was short for."""
        return dead or any(record.outcome == "died" for record in self.tests.records.values())

    def _start(self) -> None:
        problem = self._fork(self._request())
        if problem and self.order.folder and not self._fork(self._request() | {"folder": None}):
            self.worker.ask({"do": "end"})
            raise _NotStarted(problem)  # without the files it starts: they are the reason
        self.line.theirs.close()
        if problem and _confined_before.is_set():
            # it could before: not the host is the reason
            raise WorkerDied(f"a session did not start ({problem})")
        if problem:
            raise Refused(f"no session can be started on this host: {problem}")
        try:
            message, _ = self.line.frame(time.monotonic() + START_SECONDS)
        except wire.WireError:
            self.worker.kill()
            raise WorkerDied("a session did not start") from None
        assert message == {"did": "start"}
        _confined_before.set()

    def _request(self) -> dict:
        course = self.order.course
        return {
            "do": "session",
            "limits": asdict(self.limits),
            "course": asdict(course),
            "scratch": str(self.scratch),
            "folder": self.order.folder,
            "accept_open": sorted(self.order.accept_open),
            "links": {name: str(Path(course.root, name)) for name in course.files},
        }

    def _fork(self, request: dict) -> str | None:
        """Have the worker fork the session; returns why it could not, None when it did."""
        return self.worker.ask(request, fds=(self.line.theirs.fileno(),)).get("problem")

    def _converse(self) -> tuple[str | None, bool]:
        """Run the cells. Returns the problem that ended the session early, if any, and whether the
        session had died."""
        try:
            if self.order.seed is not None:
                self.line.request({"do": "seed", "seed": self.order.seed}, START_SECONDS)
            for cells in _steps(self.order):
                self.tests.run(cells) if cells[0].test else self._cell(cells[0])
            self.progress.cell = None
            if not self.tests.stuck:
                self._fetch_files()
        except Stop as stop:
            return f"{stop}.", False
        except wire.Closed:
            return f"The process that ran the notebook ended {self.progress.place()}", True
        except wire.WireError as error:
            return self.progress.problem(error), False
        return None, False

    def _cell(self, cell: CellOrder) -> None:
        self.progress.turn_to(cell)
        before = self.tests_before[cell.index]
        room = self.limits.output_of(cell)
        token = self.line.ask(
            {"do": "cell", "source": cell.source, "tests_before": before, "room": room}
        )
        deadline = min(time.monotonic() + self.limits.cell_seconds, self.progress.end)
        timed_out = False
        try:
            reply, messages = self.line.reply(token, deadline)
        except wire.Late:
            timed_out = True
            reply, messages = self._interrupt(cell, token)
        self.ran[cell.index] = self._bounded(messages, reply, timed_out, room)

    def _interrupt(self, cell: CellOrder, token: str) -> tuple[dict, bytes]:
        """What a cell says that is interrupted. Raises Stop where it does not heed it."""
        self.worker.ask({"do": "interrupt"})
        try:
            return self.line.reply(token, time.monotonic() + GRACE_SECONDS)
        except wire.Late:
            self.ran[cell.index] = Ran(b"[]", {"status": "error"}, timed_out=True)
            raise Stop(
                f"Cell {cell.index + 1} did not stop after {self.limits.cell_seconds:g} s, nor "
                "when "
                "it was interrupted"
            ) from None

    def _bounded(self, messages: bytes, reply: dict, timed_out: bool, room: int) -> Ran:
        """How a cell ended, in no more room than there is left, and with a reply of the form that
        ours has."""
        if len(messages) > min(MAX_ESCAPE * room, self.output_room):
            messages = TOO_MUCH
        plain = plain_reply(reply)
        size = len(messages) + len(json.dumps(plain))
        if size > self.output_room:
            messages, plain = b"[]", plain | {"evalue": "", "traceback": []}
        self.output_room -= min(size, self.output_room)
        return Ran(messages, plain, timed_out)

    def _fetch_files(self) -> None:
        if not self.order.folder:
            return
        request = {"do": "files", "room": self._file_room()}
        _, blob = self.line.request(request, GRACE_SECONDS + 6)
        try:
            files = json.loads(blob).items()
            self.files = tuple(sorted((safe_name(name), _decoded(text)) for name, text in files))
        except (ValueError, RecursionError, AttributeError, TypeError, binascii.Error):
            self.files = ()  # not what our code sends: there are no files that one could believe

    def _file_room(self) -> int:
        return min(self.limits.scratch_bytes, MAX_FILES)


def _steps(order: Order) -> list[tuple[CellOrder, ...]]:
    cells = {cell.index: cell for cell in order.cells}
    steps = order.steps or [(index,) for index in cells]
    return [tuple(cells[index] for index in step) for step in steps]


def _tests_before(cells: tuple[CellOrder, ...]) -> dict[int, int]:
    """Index of a cell -> how many tests stand directly before it; a kernel would have counted
    them."""
    counts, tests = {}, 0
    for cell in cells:
        counts[cell.index] = tests
        tests = tests + 1 if cell.test else 0
    return counts


def safe_name(name: str) -> str:
    """The name of a file that may be written below a folder. Raises ValueError for any other."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name or len(name) > 1000:
        raise ValueError(name)
    name.encode()  # raises for text that cannot be a file's name
    return name


def _decoded(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
