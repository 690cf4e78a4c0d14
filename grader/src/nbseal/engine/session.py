"""The trusted side of one session: starts it on a warm worker, asks for cell after cell, keeps the
clock.

What a session says is never believed further than it reaches: frames are bounded, replies carry the
token of their request, every wait has a deadline, and whoever breaks the protocol is killed with
all its descendants.
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import shutil
import signal
import socket
import tempfile
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath

from nbseal import wire
from nbseal.cells.sharing import steps
from nbseal.engine.replies import TestReport, plain_reply
from nbseal.engine.worker import CONTROL_SECONDS, WarmWorker, WorkerDied
from nbseal.errors import CourseError
from nbseal.records import CellOrder, Execution, Order, Ran, TestRecord

START_SECONDS = 30.0  # for a forked session to say that it is there
GRACE_SECONDS = 4.0  # after an interrupt; nbclient's iopub_timeout
MAX_STRAY_FRAMES = 10_000
MAX_OUTLINES = 8 << 20  # bytes of JSON in the answers of one submission
MAX_ESCAPE = 8  # a character of output may take so many bytes of JSON
MAX_FULL_CELLS = 8  # so many cells of a submission may say as much as one cell may

TOO_MUCH = b'[{"msg_type": "stream", "content": {"name": "stdout", "text": "[dropped: this notebook says too much]\\n"}}]'

_confined_before = threading.Event()  # this process has seen a session start on this host


def execute(order: Order, worker: WarmWorker) -> Execution:
    """Run an order's cells in a fresh session. Raises WorkerDied when the worker, not the
    submission, is at fault."""
    worker.warm(order.modules, order.course)
    execution = _Supervised(order, worker).run()
    # by itself, which it will do again, or by someone or something else on this machine, which was
    # bad luck
    if execution.killed:
        execution = _Supervised(order, worker).run()
    for index, record in execution.tests.items():
        # for a session and all its repetitions together
        left = 2 * order.limits.session_seconds - execution.seconds
        if (
            record.outcome == "timed out"
            and record.threads
            and not order.last_test_here
            and left > 0
        ):
            # The child may have waited for a lock that a thread of the student's held when it was
            # forked.
            limits = replace(order.limits, session_seconds=min(left, order.limits.session_seconds))
            execution = _without_fork(execution, replace(order, limits=limits), index, worker)
    return execution


def _without_fork(execution: Execution, order: Order, index: int, worker: WarmWorker) -> Execution:
    cells = tuple(cell for cell in order.cells if cell.index < index and not cell.test)
    test = next(cell for cell in order.cells if cell.index == index)
    again = _Supervised(replace(order, cells=(*cells, test), last_test_here=True), worker).run()
    tests = execution.tests | ({index: again.tests[index]} if index in again.tests else {})
    return replace(
        execution,
        tests=tests,
        seconds=execution.seconds + again.seconds,
        cpu_seconds=execution.cpu_seconds + again.cpu_seconds,
        peak_memory=max(execution.peak_memory, again.peak_memory),
    )


class Refused(CourseError):
    """This host does not let a session be confined, whatever the submission is."""


class _NotStarted(Exception):
    """The session could not be made ready for what was handed in."""


class _Stop(Exception):
    """The session cannot go on; the text is the problem to report."""


class _Supervised:
    """One session, from fork to kill."""

    def __init__(self, order: Order, worker: WarmWorker):
        self.order, self.worker, self.limits = order, worker, order.limits
        self.ran: dict[int, Ran] = {}
        self.tests: dict[int, TestRecord] = {}
        self.files: tuple = ()
        self.stray = 0
        self.killed = False
        self.now: CellOrder | None = None  # the cell that is being run
        self.tests_before = _tests_before(order.cells)
        # Of all tests together: answers are kept until they are judged.
        self.answer_room, self.outline_room = 2 * self.limits.answer_bytes, MAX_OUTLINES
        # of all cells together, likewise
        self.output_room = MAX_FULL_CELLS * MAX_ESCAPE * self.limits.output_bytes

    def run(self) -> Execution:
        started = time.monotonic()
        self.end = started + self.limits.session_seconds
        scratch = tempfile.mkdtemp(prefix="session-")
        try:
            self._start(scratch)
            problem, dead = self._converse()
            usage = self.worker.ask({"do": "end"})
        except _NotStarted as error:
            return Execution(
                {}, {}, time.monotonic() - started, 0.0, 0, f"The session did not start: {error}"
            )
        finally:
            self.channel.close()
            shutil.rmtree(scratch, ignore_errors=True)
        if dead:
            problem = f"{problem}: it {usage['excess'] or _how_it_ended(usage['status'])}."
            self.killed |= usage["status"] == -signal.SIGKILL and not usage["excess"]
        return Execution(
            self.ran,
            self.tests,
            time.monotonic() - started,
            usage["cpu"],
            usage["memory"],
            problem,
            self.files,
            self.killed,
        )

    def _start(self, scratch: str) -> None:
        self.channel, theirs = wire.Channel.pair()
        self.channel.max_json = 4 << 20
        self.channel.max_blob = max(
            self.limits.answer_bytes, MAX_ESCAPE * self.limits.output_bytes, self._file_room() * 2
        ) + (1 << 20)
        course = self.order.course
        links = {name: str(Path(course.root, name)) for name in course.files}
        request = {
            "do": "session",
            "limits": asdict(self.limits),
            "course": asdict(course),
            "scratch": scratch,
            "folder": self.order.folder,
            "accept_open": sorted(self.order.accept_open),
            "links": links,
        }
        problem = self._fork(request, theirs)
        if problem and self.order.folder and not self._fork(request | {"folder": None}, theirs):
            theirs.close()
            self.worker.ask({"do": "end"})
            raise _NotStarted(problem)  # without the files it starts: they are the reason
        theirs.close()
        if problem and _confined_before.is_set():
            # it could before: not the host is the reason
            raise WorkerDied(f"a session did not start ({problem})")
        if problem:
            raise Refused(f"no session can be started on this host: {problem}")
        try:
            message, _ = self.channel.receive(deadline=time.monotonic() + START_SECONDS)
        except wire.WireError:
            self.worker.kill()
            raise WorkerDied("a session did not start") from None
        assert message == {"did": "start"}
        _confined_before.set()

    def _fork(self, request: dict, theirs: socket.socket) -> str | None:
        """Have the worker fork the session; returns why it could not, None when it did."""
        return self.worker.ask(request, fds=(theirs.fileno(),)).get("problem")

    def _converse(self) -> tuple[str | None, bool]:
        """Run the cells. Returns the problem that ended the session early, if any, and whether the
        session had died."""
        try:
            if self.order.seed is not None:
                self._request({"do": "seed", "seed": self.order.seed}, START_SECONDS)
            for cells in steps(self.order.cells, self.order.modules):
                self._tests(cells) if cells[0].test else self._cell(cells[0])
            self.now = None
            self._fetch_files()
        except _Stop as stop:
            return f"{stop}.", False
        except wire.Closed:
            return f"The process that ran the notebook ended {_place(self.now)}", True
        except wire.Late:
            return f"The notebook stopped answering {_place(self.now)}.", False
        except wire.WireError as error:
            return (
                f"The notebook's process broke off its report {_place(self.now)} ({error}).",
                False,
            )
        return None, False

    def _turn_to(self, cell: CellOrder) -> None:
        if time.monotonic() > self.end:
            raise _Stop(f"The notebook took longer than {self.limits.session_seconds:g} s")
        self.now = cell

    # -- cells
    # ----------------------------------------------------------------------------------------------

    def _cell(self, cell: CellOrder) -> None:
        self._turn_to(cell)
        token = self._ask(
            {"do": "cell", "source": cell.source, "tests_before": self.tests_before[cell.index]}
        )
        deadline = min(time.monotonic() + self.limits.cell_seconds, self.end)
        timed_out = False
        try:
            reply, messages = self._reply(token, deadline)
        except wire.Late:
            timed_out = True
            self.worker.ask({"do": "interrupt"})
            try:
                reply, messages = self._reply(token, time.monotonic() + GRACE_SECONDS)
            except wire.Late:
                self.ran[cell.index] = Ran(b"[]", {"status": "error"}, timed_out=True)
                raise _Stop(
                    f"Cell {cell.index + 1} did not stop after {self.limits.cell_seconds:g} s, nor when it was "
                    "interrupted"
                ) from None
        self.ran[cell.index] = self._bounded(messages, reply, timed_out)

    def _bounded(self, messages: bytes, reply: dict, timed_out: bool) -> Ran:
        """How a cell ended, in no more room than there is left, and with a reply of the form that
        ours has."""
        if len(messages) > min(MAX_ESCAPE * self.limits.output_bytes, self.output_room):
            messages = TOO_MUCH
        plain = plain_reply(reply)
        size = len(messages) + len(json.dumps(plain))
        if size > self.output_room:
            messages, plain = b"[]", plain | {"evalue": "", "traceback": []}
        self.output_room -= min(size, self.output_room)
        return Ran(messages, plain, timed_out)

    def _tests(self, cells: tuple[CellOrder, ...]) -> None:
        """Run tests one after another in a process forked from the session. None has to pay for
        what another breaks."""
        self._turn_to(cells[0])
        left = max(0.1, self.end - time.monotonic())
        seconds = min(self.limits.cell_seconds, left)
        tokens = [secrets.token_hex(8) for _ in cells]
        here = self.order.last_test_here and cells[-1] is self.order.cells[-1]
        token = self._ask(
            {
                "do": "here" if here else "test",
                "tests": tokens,
                "seconds": seconds,
                "seconds_left": left,
            }
        )
        reports: list[TestReport] = []
        closing: dict | None = None
        try:
            while closing is None:
                self.now = cells[len(reports)]
                room = min(self.limits.answer_bytes, self.answer_room)
                reports.append(TestReport(self.now, tokens[len(reports)], room, self.outline_room))
                deadline = time.monotonic() + seconds + (0 if here else GRACE_SECONDS)
                closing = self._listen(
                    reports[-1],
                    token,
                    min(deadline, self.end + GRACE_SECONDS),
                    last=len(reports) == len(cells),
                )
        except wire.WireError as error:
            reports[-1].outcome = "timed out" if isinstance(error, wire.Late) else "died"
            if not (here and isinstance(error, wire.Late)):
                raise
        finally:
            for report in reports:
                self.tests[report.cell.index] = report.record(closing or {})
        self._tests_again(cells, reports, closing or {})

    def _listen(self, report: TestReport, token: str, deadline: float, last: bool) -> dict | None:
        """Hear a test out. Returns the session's closing word, None where the next test is to
        follow."""
        try:
            while last or report.outcome is None:
                message, blob = self._frame(deadline)
                if message.get("ready") == report.token and not report.ready:
                    report.ready = True
                    self._send(
                        {
                            "key": self.order.key,
                            "draws_with": self.order.draws_with,
                            "source": report.cell.source,
                        }
                    )
                elif message.get("did") == token:
                    return message
                elif not report.take(message, blob):
                    self._count_stray()
            return None
        finally:
            self.answer_room -= report.size
            self.outline_room -= report.outlines

    def _tests_again(
        self, cells: tuple[CellOrder, ...], reports: list[TestReport], closing: dict
    ) -> None:
        """Those that a shared process did not come to, or broke off in the middle, each in a
        process of its own."""
        broken_off, how = reports[-1].outcome is None, closing.get("how")
        if len(cells) == 1:
            self.killed |= broken_off and how == "killed"
            return
        # else what was left of the test before took the time
        timed_out = how == "timed out" and reports[-1].ready
        if broken_off:  # what it had answered does not count
            self.answer_room += reports[-1].size
            self.outline_room += reports[-1].outlines
        for cell in cells[len(reports) - (broken_off and not timed_out) :]:
            self._tests((cell,))

    def _fetch_files(self) -> None:
        if not self.order.folder:
            return
        _, blob = self._request({"do": "files", "room": self._file_room()}, GRACE_SECONDS + 6)
        try:
            files = json.loads(blob)
            self.files = tuple(
                sorted(
                    (_safe(name), base64.b64decode(text, validate=True))
                    for name, text in files.items()
                )
            )
        except (ValueError, RecursionError, AttributeError, TypeError, binascii.Error):
            self.files = ()  # not what our code sends: there are no files that one could believe

    def _file_room(self) -> int:
        return min(self.limits.scratch_bytes, 64 << 20)

    # -- frames
    # ----------------------------------------------------------------------------------------------

    def _ask(self, request: dict) -> str:
        token = secrets.token_hex(8)
        self._send(request | {"token": token})
        return token

    def _send(self, message: dict) -> None:
        self.channel.send(message, deadline=time.monotonic() + CONTROL_SECONDS)

    def _request(self, request: dict, seconds: float) -> tuple[dict, bytes]:
        return self._reply(self._ask(request), time.monotonic() + seconds)

    def _reply(self, token: str, deadline: float) -> tuple[dict, bytes]:
        while True:
            message, blob = self._frame(deadline)
            if message.get("did") == token:
                return message, blob
            self._count_stray()

    def _frame(self, deadline: float) -> tuple[dict, bytes]:
        return self.channel.receive(deadline=deadline)

    def _count_stray(self) -> None:
        self.stray += 1
        if self.stray > MAX_STRAY_FRAMES:
            raise wire.WireError("it sent thousands of messages that nobody asked for")


def _tests_before(cells: tuple[CellOrder, ...]) -> dict[int, int]:
    """Index of a cell -> how many tests stand directly before it; a kernel would have counted
    them."""
    counts, tests = {}, 0
    for cell in cells:
        counts[cell.index] = tests
        tests = tests + 1 if cell.test else 0
    return counts


def _safe(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name or len(name) > 1000:
        raise ValueError(name)
    name.encode()  # raises for text that cannot be a file's name
    return name


def _place(cell: CellOrder | None) -> str:
    return f"in cell {cell.index + 1}" if cell else "at its end"


def _how_it_ended(code: int) -> str:
    """An exit code, or minus a signal, in words."""
    if code >= 0:
        return "exited" if code == 0 else f"exited with status {code}"
    name = signal.Signals(-code).name
    return {
        "SIGKILL": "was killed, which is also what using too much memory leads to",
        "SIGSEGV": "crashed (segmentation fault)",
        "SIGXCPU": "used too much CPU time",
    }.get(name, f"died of {name}")
