"""What comes back from a machine of a cluster, as bytes: JSON, and behind it outputs, tensors and
files.

It was made on a machine that runs students' code. So it is never unpickled, and believed no further
than a session is: bounded, checked for its form, and only for the cells that were asked for.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any, get_args

from nbseal import wire
from nbseal.engine.line import MAX_ESCAPE
from nbseal.engine.replies import MAX_IMPORTED, MAX_USED, plain_reply, texts
from nbseal.engine.sealed_tests import MAX_OUTLINES
from nbseal.engine.session import MAX_FILES, MAX_FULL_CELLS, safe_name
from nbseal.records import Execution, Order, Outcome, PackedAnswer, Ran, TestRecord


class NotRun(Exception):
    """A submission could not be run on any machine, and the next run tries it again; the text is a
    sentence."""


def pack_execution(execution: Execution) -> bytes:
    """What came back from a session."""
    blobs: list[bytes] = []
    text = json.dumps(_plain(asdict(execution), blobs)).encode()
    return b"".join([len(text).to_bytes(4, "big"), text, *blobs])


def _plain(value: Any, blobs: list[bytes]) -> Any:
    """A value as JSON has it; of bytes, their number."""
    if isinstance(value, bytes):
        blobs.append(value)
        return len(value)
    if isinstance(value, dict):
        return {name: _plain(held, blobs) for name, held in value.items()}
    return [_plain(one, blobs) for one in value] if isinstance(value, (tuple, list)) else value


def unpack_execution(data: bytes, order: Order) -> Execution:
    """What `pack_execution` made, as far as a session may say it. Raises wire.WireError for any
    other."""
    try:
        end = 4 + int.from_bytes(data[:4], "big")
        if end > wire.MAX_JSON or len(data) < end:
            raise ValueError("a size that is not true")
        return _Unpacking(json.loads(data[4:end]), data[end:], order).execution()
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError):
        raise wire.WireError("it is not what a session brings back") from None


class _Unpacking:
    """One execution; in the order in which its bytes lie."""

    def __init__(self, told: dict, blob: bytes, order: Order):
        self.told, self.blob, self.at, self.limits = told, blob, 0, order.limits
        self.cells = {str(cell.index): cell for cell in order.cells}
        self.output_room = MAX_FULL_CELLS * MAX_ESCAPE * order.limits.output_bytes
        self.room, self.outlines = 2 * order.limits.answer_bytes, MAX_OUTLINES

    def execution(self) -> Execution:
        told, problem = self.told, self.told["problem"]
        ran = {int(index): self._ran(index, one) for index, one in told["ran"].items()}
        tests = {int(index): self._record(index, one) for index, one in told["tests"].items()}
        files = tuple(sorted((safe_name(name), self._bytes(size)) for name, size in told["files"]))
        _bound(sum(len(content) for _, content in files), self.limits.scratch_bytes, MAX_FILES)
        _bound(len(self.blob), self.at)  # nothing is left
        return Execution(
            ran,
            tests,
            _number(told["seconds"]),
            _number(told["cpu_seconds"]),
            int(_number(told["peak_memory"])),
            None if problem is None else _text(problem),
            files,
            *(told[name] is True for name in ("killed", "shown", "repeated")),
        )

    def _bytes(self, size: int) -> bytes:
        _bound(int(_number(size)), len(self.blob) - self.at)
        self.at += size
        return self.blob[self.at - size : self.at]

    def _ran(self, index: str, told: dict) -> Ran:
        messages, reply = self._bytes(told["messages"]), plain_reply(told["reply"])
        self.output_room -= len(messages) + len(json.dumps(reply))
        _bound(0, self.output_room)
        if self.cells[index].test:
            raise ValueError("a test that ran as a cell")
        return Ran(messages, reply, told["timed_out"] is True)

    def _record(self, index: str, told: dict) -> TestRecord:
        cell, error = self.cells[index], told["error"]
        if not cell.test or told["outcome"] not in get_args(Outcome):
            raise ValueError("no test, or no end of one")
        _bound(len(told["answers"]), cell.checks + 1)
        return TestRecord(
            cell.grade_id or "",
            told["outcome"],
            tuple(map(self._answer, told["answers"])),
            error if isinstance(error, dict) else None,
            int(_number(told["threads"])),
            texts(told["used"], MAX_USED, 500),
            texts(told["imported"], MAX_IMPORTED, 200),
        )

    def _answer(self, told: dict) -> PackedAnswer:
        tensors = self._bytes(told["tensors"])
        self.room -= len(tensors)
        self.outlines -= len(json.dumps(told["outline"]))
        _bound(0, self.room, self.outlines)
        return PackedAnswer(str(told["label"])[:1000], told["outline"], tensors)


def _bound(size: int, *rooms: int) -> None:
    if size > min(rooms):
        raise ValueError("more than a session may say")


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise ValueError("no number")
    return float(value)


def _text(value: Any) -> str:
    return str(value)[:1000].encode("utf-8", "replace").decode()
