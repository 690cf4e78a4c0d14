"""What comes back for an order, as bytes.

It was made on a machine that runs students' code. So it is believed no further than a session is:
bounded, checked for its form, and only for the cells that were asked for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, get_args

from nbseal import wire
from nbseal.engine.line import MAX_ESCAPE
from nbseal.engine.orders import Parts, framed, unframed
from nbseal.engine.replies import MAX_IMPORTED, MAX_USED, plain_reply, texts
from nbseal.engine.sealed_tests import MAX_OUTLINES
from nbseal.engine.session import MAX_FILES, MAX_FULL_CELLS, safe_name
from nbseal.records import Execution, Order, Outcome, PackedAnswer, Ran, TestRecord


class NotRun(Exception):
    """A submission could not be run on any machine, and the next run tries it again; the text is a
    sentence."""


class HostRefused(Exception):
    """A machine does not take orders: another version, an open boundary. The text says which."""

    def __init__(self, why: str, by: str):
        super().__init__(why)
        self.by = by


def pack_refusal(why: str, by: str) -> bytes:
    """That a machine does not take an order. by: the machine's name, as its cluster has it."""
    return framed({"refused": why, "by": by})


def pack_failure(why: str, by: str) -> bytes:
    """That something of the machine went wrong while an order was executed."""
    return framed({"failed": why, "by": by})


def pack_execution(execution: Execution, by: str) -> bytes:
    """What came back from a session."""
    blobs = [ran.messages for ran in execution.ran.values()]
    blobs += [one.tensors for record in execution.tests.values() for one in record.answers]
    blobs += [content for _, content in execution.files]
    fields = asdict(replace(execution, ran={}, tests={}, files=()))
    fields |= {
        "ran": [
            [index, len(ran.messages), ran.reply, ran.timed_out]
            for index, ran in execution.ran.items()
        ],
        "tests": [
            [index, asdict(replace(record, answers=())), _outlines(record)]
            for index, record in execution.tests.items()
        ],
        "files": [[name, len(content)] for name, content in execution.files],
    }
    return framed({"execution": fields, "by": by}, b"".join(blobs))


def _outlines(record: TestRecord) -> list:
    return [[one.label, one.outline, len(one.tensors)] for one in record.answers]


def unpack_execution(data: bytes, order: Order) -> Execution:
    """What `pack_execution` made, as far as a session may say it. Raises wire.WireError for any
    other, HostRefused, and NotRun where the machine could not."""
    message, blob = unframed(data)
    by = str(message.get("by"))[:200]
    if "refused" in message:
        raise HostRefused(_sentence(message["refused"]), by)
    if "failed" in message:
        raise NotRun(f"This submission could not be run: {_sentence(message['failed'])}")
    try:
        return _Unpacking(message["execution"], Parts(blob), order).execution()
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError):
        raise wire.WireError("it is not what a session brings back") from None


def _sentence(text: object) -> str:
    return str(text)[:1000].encode("utf-8", "replace").decode()


class _Unpacking:
    """One execution; in the order in which its bytes lie."""

    def __init__(self, fields: dict, parts: Parts, order: Order):
        self.fields, self.parts, self.limits = fields, parts, order.limits
        self.cells = {cell.index: cell for cell in order.cells}
        self.room = 2 * order.limits.answer_bytes
        self.outlines = MAX_OUTLINES

    def execution(self) -> Execution:
        fields = self.fields
        ran = dict(self._ran())
        tests = {index: self._record(index, *more) for index, *more in fields["tests"]}
        files = tuple(
            sorted((safe_name(name), self.parts.next(size)) for name, size in fields["files"])
        )
        if sum(len(content) for _, content in files) > min(self.limits.scratch_bytes, MAX_FILES):
            raise ValueError("files that are too large")
        problem = fields["problem"]
        return Execution(
            ran,
            tests,
            _number(fields["seconds"]),
            _number(fields["cpu_seconds"]),
            int(_number(fields["peak_memory"])),
            None if problem is None else _sentence(problem),
            files,
            *(fields[name] is True for name in ("killed", "shown", "repeated")),
        )

    def _ran(self) -> Iterator[tuple[int, Ran]]:
        room = MAX_FULL_CELLS * MAX_ESCAPE * self.limits.output_bytes
        for index, size, reply, timed_out in self.fields["ran"]:
            if self.cells[index].test:
                raise ValueError("a test that ran as a cell")
            messages, plain = self.parts.next(size), plain_reply(reply)
            room -= len(messages) + len(json.dumps(plain))
            if room < 0:
                raise ValueError("more output than a session may make")
            yield index, Ran(messages, plain, timed_out is True)

    def _record(self, index: int, told: dict, answers: list) -> TestRecord:
        cell = self.cells[index]
        if not cell.test or len(answers) > cell.checks + 1:
            raise ValueError("answers that nobody asked for")
        if told["outcome"] not in get_args(Outcome):
            raise ValueError("an outcome that there is not")
        error = told["error"]
        return TestRecord(
            cell.grade_id or "",
            told["outcome"],
            tuple(self._answer(*one) for one in answers),
            error if isinstance(error, dict) else None,
            int(_number(told["threads"])),
            texts(told["used"], MAX_USED, 500),
            texts(told["imported"], MAX_IMPORTED, 200),
        )

    def _answer(self, label: object, outline: Any, size: int) -> PackedAnswer:
        self.room -= size
        self.outlines -= len(json.dumps(outline))
        if self.room < 0 or self.outlines < 0:
            raise ValueError("answers that are too large")
        return PackedAnswer(str(label)[:1000], outline, self.parts.next(size))


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise ValueError("no number")
    return float(value)
