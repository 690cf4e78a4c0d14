"""Orders as bytes: what travels to another machine, whoever carries it.

An order holds all that a session needs by value: cells, the key of the run, limits, and the files
that were handed in. The course's own files, and those that the instructor hands out beside a
notebook, are the same for a whole class: they travel once, as a *bundle*, which an order names by
its digest. Everything is JSON with bytes behind it, as on the wire; never pickle. What comes back
is in executions.py.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path

from nbseal import folders, wire
from nbseal.engine.session import safe_name
from nbseal.records import CellOrder, Limits, Order
from nbseal.view import CourseView

LARGEST = 1 << 30  # bytes of one order, bundle or execution
NOT_GIVEN = ("*.ipynb", ".*", "__pycache__")  # of the instructor's folder; as for the answer key
COMPARED = ("nbseal", "torch")  # packages that decide what a session answers


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


class Parts:
    """Bytes that are taken one part after another. Raises ValueError where there are too few."""

    def __init__(self, blob: bytes):
        self._blob, self._at = memoryview(blob), 0

    def next(self, size: int) -> bytes:
        if not isinstance(size, int) or not 0 <= size <= len(self._blob) - self._at:
            raise ValueError("parts that are not there")
        self._at += size
        return bytes(self._blob[self._at - size : self._at])


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
    parts = Parts(blob)
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
                "cells": tuple(
                    CellOrder(**cell | {"binds": tuple(cell["binds"])}) for cell in fields["cells"]
                ),
                "course": CourseView(""),
                "limits": Limits(**fields["limits"]),
                "modules": tuple(fields["modules"]),
                "accept_open": frozenset(fields["accept_open"]),
                "steps": tuple(map(tuple, fields["steps"])),
                "resting": tuple(fields["resting"]),
            }
        )
        return PackedOrder(order, message["bundle"], message["versions"], message, blob)
    except (KeyError, TypeError, AttributeError):
        raise wire.WireError("it is no order of this version") from None
