"""Orders and what comes back for them, as bytes: what travels to another machine, whoever carries
it.

An order holds all that a session needs by value: cells, the key of the run, limits, and the files
that were handed in. The course's own files, and those that the instructor hands out beside a
notebook, are the same for a whole class: they travel once, as a *bundle*, which an order names by
its digest. Everything is JSON with bytes behind it, as on the wire; never pickle.

What comes back was made on a machine that runs students' code. So it is believed no further than a
session is: bounded, checked for its form, and only for the cells that were asked for.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, get_args

from nbseal import folders, wire
from nbseal.engine.line import MAX_ESCAPE
from nbseal.engine.replies import MAX_IMPORTED, MAX_USED, plain_reply, texts
from nbseal.engine.sealed_tests import MAX_OUTLINES
from nbseal.engine.session import MAX_FILES, MAX_FULL_CELLS, safe_name
from nbseal.records import (
    CellOrder,
    Execution,
    Limits,
    Order,
    Outcome,
    PackedAnswer,
    Ran,
    TestRecord,
)
from nbseal.view import CourseView

LARGEST = 1 << 30  # bytes of one order, bundle or execution
NOT_GIVEN = ("*.ipynb", ".*", "__pycache__")  # of the instructor's folder; as for the answer key
COMPARED = ("nbseal", "torch")  # packages that decide what a session answers


class NotRun(Exception):
    """A submission could not be run on any machine, and the next run tries it again; the text is a
    sentence."""


class HostRefused(Exception):
    """A machine does not take orders: another version, an open boundary. The text says which."""

    def __init__(self, why: str, by: str):
        super().__init__(why)
        self.by = by


class Elsewhere(Protocol):
    """Where orders are executed that are not executed here."""

    @property
    def workers(self) -> int:
        """How many are executed at the same time, as far as is known now."""

    def send(self, order: Order, given: Path | None) -> Future[Execution]:
        """Have an order executed. given: what the instructor hands out beside the notebook."""

    def close(self) -> None:
        """Want no more of it."""


def framed(message: dict, blob: bytes = b"") -> bytes:
    """A message with bytes behind it, as one piece of bytes. Raises wire.WireError where it is too
    large."""
    text = json.dumps(message).encode()
    if len(text) > wire.MAX_JSON or len(blob) > LARGEST:
        raise wire.WireError(f"{(len(text) + len(blob)) >> 20} MB are too large to be sent")
    return wire.HEADER.pack(len(text), len(blob)) + text + blob


def unframed(data: bytes) -> tuple[dict, bytes]:
    """What `framed` made. Raises wire.WireError."""
    if len(data) < wire.HEADER.size:
        raise wire.WireError("it is cut off")
    size, blob_size = wire.HEADER.unpack_from(data)
    if len(data) != wire.HEADER.size + size + blob_size or size > wire.MAX_JSON:
        raise wire.WireError("its length is not what it says")
    begin = wire.HEADER.size + size
    try:
        message = json.loads(data[wire.HEADER.size : begin])
    except (ValueError, RecursionError):
        raise wire.WireError("it is not JSON") from None
    if not isinstance(message, dict):
        raise wire.WireError("it is not a JSON object")
    return message, data[begin:]


def versions() -> dict[str, str]:
    """What has to be equal here and there: Python without its last number, packages without what
    names their build."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in COMPARED:
        try:
            found[name] = metadata.version(name).partition("+")[0]
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --------------------------------------------------------------------------------------------------
# Bundles
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bundle:
    """The files that all orders for a notebook share. given: the instructor's, by their digests."""

    data: bytes
    digest: str
    given: Mapping[str, str]


def bundle(course: CourseView, given: Path | None) -> Bundle:
    """Pack the course's files, and the folder that the instructor hands out beside a notebook."""
    sources = [("course", name, Path(course.root, name)) for name in _course_files(course)]
    if given is not None:
        sources += [("given", name, given / name) for name in _files(given)]
    listed, blobs = [], []
    digests = {}
    for place, name, path in sources:
        blobs.append(path.read_bytes())
        listed.append([f"{place}/{name}", len(blobs[-1]), path.stat().st_mode & 0o777])
        if place == "given":
            digests[name] = digest(blobs[-1])
    data = framed({"files": listed, "course": list(course.files)}, b"".join(blobs))
    return Bundle(data, digest(data), digests)


def _course_files(course: CourseView) -> Iterator[str]:
    for name in course.files:
        place = Path(course.root, name)
        if place.is_dir():
            yield from (f"{name}/{file}" for file in _files(place, ("__pycache__",)))
        else:
            yield name


def _files(folder: Path, ignore: tuple[str, ...] = NOT_GIVEN) -> list[str]:
    return sorted(folders.ordinary_files(folder, ignore, bounded=False)[0])


def open_bundle(data: bytes, folder: Path) -> CourseView:
    """Unpack a bundle into an empty folder. Returns what sessions see of the course there."""
    message, blob = unframed(data)
    for part in ("course", "given"):
        (folder / part).mkdir()
    _write(message["files"], blob, folder)
    return CourseView(str(folder / "course"), tuple(message["course"]))


def _write(files: list, blob: bytes, folder: Path) -> None:
    parts = _Parts(blob)
    for name, size, mode in files:
        path = folder / safe_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(parts.next(size))
        path.chmod(mode | 0o444)  # a session of another user is to read it


# --------------------------------------------------------------------------------------------------
# Orders
# --------------------------------------------------------------------------------------------------


def pack_order(order: Order, shared: Bundle) -> bytes:
    """An order, with the files handed in; those that the bundle has travel by their names."""
    files, given, blobs = [], [], []
    folder = Path(order.folder) if order.folder else None
    for name in _files(folder, ()) if folder else ():
        path = Path(str(folder), name)
        data = path.read_bytes()
        if shared.given.get(name) == digest(data):
            given.append(name)
        else:
            files.append([name, len(data), path.stat().st_mode & 0o777])
            blobs.append(data)
    fields = asdict(replace(order, course=CourseView("")))
    del fields["course"], fields["folder"]
    fields["accept_open"] = sorted(order.accept_open)
    message = {
        "order": fields,
        "folder": folder is not None,
        "files": files,
        "given": given,
        "bundle": shared.digest,
        "versions": versions(),
    }
    return framed(message, b"".join(blobs))


@dataclass(frozen=True)
class PackedOrder:
    """An order as it arrives: `order` without its course and folder, which are still to be made."""

    order: Order
    bundle: str
    versions: dict[str, str]
    _message: dict
    _blob: bytes

    def lay_out(self, bundled: Path, folder: Path) -> str | None:
        """Put what was handed in into an empty folder. bundled: where its bundle was unpacked.
        Returns the folder's name for the order."""
        if not self._message["folder"]:
            return None
        folder.chmod(0o755)
        _write(self._message["files"], self._blob, folder)
        folders.copy_named(bundled / "given", map(safe_name, self._message["given"]), folder)
        return str(folder)


def unpack_order(data: bytes) -> PackedOrder:
    """What `pack_order` made. Raises wire.WireError."""
    message, blob = unframed(data)
    try:
        fields = message["order"]
        order = Order(
            **fields
            | {
                "cells": tuple(CellOrder(**cell) for cell in fields["cells"]),
                "course": CourseView(""),
                "limits": Limits(**fields["limits"]),
                "modules": tuple(fields["modules"]),
                "accept_open": frozenset(fields["accept_open"]),
                "steps": tuple(map(tuple, fields["steps"])),
            }
        )
        return PackedOrder(order, message["bundle"], message["versions"], message, blob)
    except (KeyError, TypeError, AttributeError):
        raise wire.WireError("it is no order of this version") from None


# --------------------------------------------------------------------------------------------------
# Executions
# --------------------------------------------------------------------------------------------------


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
        return _Unpacking(message["execution"], _Parts(blob), order).execution()
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError):
        raise wire.WireError("it is not what a session brings back") from None


def _sentence(text: object) -> str:
    return str(text)[:1000].encode("utf-8", "replace").decode()


class _Parts:
    """Bytes that are taken one part after another. Raises ValueError where there are too few."""

    def __init__(self, blob: bytes):
        self._blob, self._at = memoryview(blob), 0

    def next(self, size: int) -> bytes:
        if not isinstance(size, int) or not 0 <= size <= len(self._blob) - self._at:
            raise ValueError("parts that are not there")
        self._at += size
        return bytes(self._blob[self._at - size : self._at])


class _Unpacking:
    """One execution; in the order in which its bytes lie."""

    def __init__(self, fields: dict, parts: _Parts, order: Order):
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
