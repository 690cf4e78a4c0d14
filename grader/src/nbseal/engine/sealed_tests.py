"""The sealed tests of one session: each in a process forked from it, neighbours in one together.

Where nothing can be carried from one test to the next (cells/sharing.py) tests share a process.
None of them has to pay for what another breaks: those that a shared process did not come to, or
broke off in the middle, are asked for again, each in a process of its own.
"""

from __future__ import annotations

import ast
import marshal
import secrets
import time
from functools import lru_cache

from nbseal import wire
from nbseal.cells.sealing import key_of
from nbseal.engine.line import GRACE_SECONDS, Line
from nbseal.engine.progress import Progress
from nbseal.engine.replies import TestReport
from nbseal.engine.worker import WarmWorker
from nbseal.records import CellOrder, Order, TestRecord

MAX_OUTLINES = 8 << 20  # bytes of JSON in the answers of one submission


class SealedTests:
    """Runs tests and keeps what they bring: `records`, by the index of their cells."""

    def __init__(self, order: Order, worker: WarmWorker, line: Line, progress: Progress):
        self.order, self.worker, self.line, self.progress = order, worker, line, progress
        self.records: dict[int, TestRecord] = {}
        self.stuck = False  # the session itself runs a test that does not end
        self.shown = False  # the session was sent a test, and from then on knows one
        # Of all tests together: answers are kept until they are judged.
        self.room, self.outline_room = 2 * order.limits.answer_bytes, MAX_OUTLINES

    def run(self, cells: tuple[CellOrder, ...]) -> None:
        """Run tests one after another in a process forked from the session."""
        self.progress.turn_to(cells[0])
        seconds = min(self.order.limits.cell_seconds, self.progress.seconds_left)
        tokens = [secrets.token_hex(8) for _ in cells]
        here = self.order.last_test_here and cells[-1] is self.order.cells[-1]
        request = {"do": "here" if here else "test", "tests": tokens, "seconds": seconds}
        token = self.line.ask(request | {"seconds_left": self.progress.seconds_left})
        reports: list[TestReport] = []
        closing: dict | None = None
        try:
            while closing is None:
                self.progress.cell = cells[len(reports)]
                reports.append(self._report(self.progress.cell, tokens[len(reports)]))
                deadline = time.monotonic() + seconds + (0 if here else GRACE_SECONDS)
                deadline = min(deadline, self.progress.end + GRACE_SECONDS)
                closing = self._listen(reports[-1], token, deadline, len(reports) == len(cells))
        except wire.WireError as error:
            if reports[-1].outcome is None:
                reports[-1].outcome = "timed out" if isinstance(error, wire.Late) else "died"
            if not (here and isinstance(error, wire.Late)):
                raise
            self.stuck = True
        finally:
            for report in reports:
                self.records[report.cell.index] = report.record(
                    closing or {}, self._threads(report, closing, seconds)
                )
        self._run_again(cells, reports, closing or {})

    def _report(self, cell: CellOrder, token: str) -> TestReport:
        room = min(self.order.limits.answer_bytes, self.room)
        return TestReport(cell, token, room, self.outline_room)

    def _threads(self, report: TestReport, closing: dict | None, seconds: float) -> int:
        """How many threads beside the main one the session has, where a test took all its time.

        Both are seen from here: a session that only says so is not run again.
        """
        says_so = report.outcome is None and (closing or {}).get("how") == "timed out"
        if not says_so or time.monotonic() - report.began < 0.9 * seconds:
            return 0
        return int(self.worker.ask({"do": "threads"})["threads"])

    def _listen(self, report: TestReport, token: str, deadline: float, last: bool) -> dict | None:
        """Hear a test out. Returns the session's closing word, None where the next test is to
        follow."""
        try:
            while last or report.outcome is None:
                message, blob = self.line.frame(deadline)
                if message.get("ready") == report.token and not report.ready:
                    report.ready = True
                    self._show(report.cell)
                elif message.get("did") == token:
                    return message
                elif not report.take(message, blob):
                    self.line.stray(deadline)
            return None
        finally:
            self.room -= report.size
            self.outline_room -= report.outlines

    def _show(self, cell: CellOrder) -> None:
        """Send a test and its key to the process that is to run it."""
        self.shown = True
        order = self.order
        shown = {
            "key": key_of(order.key, cell.grade_id or ""),
            "draws_with": order.draws_with,
            "binds": cell.binds,
        }
        self.line.send(shown, _compiled(cell.source))

    def _run_again(
        self, cells: tuple[CellOrder, ...], reports: list[TestReport], closing: dict
    ) -> None:
        """Those that a shared process did not come to, or broke off, each in one of its own."""
        if len(cells) == 1:
            return
        broken_off = reports[-1].outcome is None
        # else what was left of the test before took the time
        timed_out = closing.get("how") == "timed out" and reports[-1].ready
        if broken_off:  # what it had answered does not count
            self.room += reports[-1].size
            self.outline_room += reports[-1].outlines
        for cell in cells[len(reports) - (broken_off and not timed_out) :]:
            self.run((cell,))


@lru_cache(maxsize=512)
def _compiled(source: str) -> bytes:
    """A test's code, for a session of this very Python: compiled here once for a whole class, where
    each session would take a tenth of its time for it."""
    try:
        code = compile(source, "<test>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, RecursionError) as error:  # a `return` in no function, say
        return _compiled(f"raise SyntaxError({str(error)!r})")
    return marshal.dumps(code)
