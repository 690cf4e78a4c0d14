"""What a session reports, taken only in the form and size that ours would have."""

from __future__ import annotations

import json
import time

from nbseal.records import CellOrder, Outcome, PackedAnswer, TestRecord

MAX_LINE, MAX_LINES = 4000, 100  # of an error that a reply tells
MAX_USED, MAX_IMPORTED = 20, 2000


class TestReport:
    """What a test sends while it runs."""

    __test__ = False  # not a pytest class

    def __init__(self, cell: CellOrder, token: str, room: int, outline_room: int):
        self.cell, self.token, self.room, self.outline_room = cell, token, room, outline_room
        self.began = time.monotonic()
        self.answers: list[PackedAnswer] = []
        self.size = self.outlines = 0  # bytes of tensors, and of JSON
        self.ready = False
        self.outcome: Outcome | None = None
        self.error: dict | None = None
        self.used: tuple[str, ...] = ()
        self.imported: tuple[str, ...] = ()

    def take(self, message: dict, blob: bytes) -> bool:
        """Keep one frame of the test's; returns whether it was one."""
        if message.get("token") != self.token or self.outcome is not None:
            return False
        if "answer" in message:
            if len(self.answers) > self.cell.checks:
                return False
            self.size += len(blob)
            try:
                self.outlines += len(json.dumps(message.get("outline")))
            except RecursionError:  # just shallow enough to be read
                return False
            if self.size > self.room or self.outlines > self.outline_room:
                return False
            self.answers.append(
                PackedAnswer(str(message["answer"])[:1000], message.get("outline"), blob)
            )
            return True
        if message.get("end") in ("completed", "raised"):
            self.outcome = message["end"]
            self.error = message["error"] if isinstance(message.get("error"), dict) else None
            self.used = texts(message.get("used"), MAX_USED, 500)
            self.imported = texts(message.get("imported"), MAX_IMPORTED, 200)
            return True
        return False

    def record(self, closing: dict, threads: int) -> TestRecord:
        """What a test came to. threads: of the session beside its main one, as seen from here."""
        ended: Outcome = "timed out" if closing.get("how") == "timed out" else "died"
        return TestRecord(
            self.cell.grade_id or "",
            self.outcome or ended,
            tuple(self.answers),
            self.error,
            threads,
            self.used,
            self.imported,
        )


def plain_reply(reply: dict) -> dict:
    """What a reply says, as texts of bounded length whatever it is made of."""
    if reply.get("status") != "error":
        return {"status": "ok"}
    lines = reply.get("traceback")
    return {
        "status": "error",
        "ename": _bounded_text(reply.get("ename", "Error")),
        "evalue": _bounded_text(reply.get("evalue", "")),
        "traceback": [_bounded_text(line) for line in lines[:MAX_LINES]]
        if isinstance(lines, list)
        else [],
    }


def texts(value: object, most: int, length: int) -> tuple[str, ...]:
    """A list of texts, of which so many are taken, each up to its length; none of anything else."""
    return tuple(str(item)[:length] for item in value[:most]) if isinstance(value, list) else ()


def _bounded_text(value: object) -> str:
    return value[:MAX_LINE] if isinstance(value, str) else ""
