"""How processes talk: frames of JSON and raw bytes. Never pickle.

A frame is ``(message, blob)``. Its sizes stand in front and are checked before anything is
allocated, so the other side - which may be a student's process - can at most be refused.
"""

from __future__ import annotations

import errno
import json
import select
import socket
import struct
import time
from typing import Self

CROWDED = 60.0  # seconds to wait until descriptors may be sent
HEADER = struct.Struct(">II")  # bytes of JSON, bytes of blob
MAX_JSON = 24 << 20
MAX_BLOB = 160 << 20
_PART = 1 << 18  # bytes that are received at a time; a socket holds less
PACKET = 1 << 16  # bytes of a frame in one packet
MOST_SHORT = 1000  # packets that are not full, in a frame; ours has two
FIRST, MORE = b"\1", b"\0"  # how a packet begins that a frame begins with, and any other
Data = bytes | bytearray | memoryview


class WireError(Exception):
    """The other side broke the protocol: sent something too large, damaged or not expected."""


class Closed(WireError):
    """The other side is gone."""


class Late(WireError):
    """Nothing came in time."""


class Channel:
    """One end of a socket pair that carries frames."""

    kind = socket.SOCK_STREAM

    def __init__(self, sock: socket.socket, *, max_json: int = MAX_JSON, max_blob: int = MAX_BLOB):
        self.sock = sock
        self.max_json, self.max_blob = max_json, max_blob
        self.json_bytes = 0  # of the last frame that came

    @classmethod
    def pair(cls) -> tuple[Self, socket.socket]:
        """A channel and the raw socket of its other end, to be handed to another process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, cls.kind)
        return cls(ours), theirs

    def send(
        self,
        message: dict,
        blob: bytes = b"",
        *,
        deadline: float | None = None,
        fds: tuple[int, ...] = (),
    ) -> None:
        """Send one frame, and file descriptors with it. Raises Closed, or Late if the other side
        does not read."""
        text = json.dumps(message).encode("utf-8", "surrogatepass")
        if len(text) > self.max_json or len(blob) > self.max_blob:
            raise WireError(f"a message of {len(text) + len(blob)} bytes is too large to send")
        try:
            self._send(HEADER.pack(len(text), len(blob)) + text, blob, deadline, fds)
        except TimeoutError:
            raise Late("the other side does not read") from None
        except OSError as error:
            raise Closed(str(error)) from None

    def _send_with(self, head: bytes, fds: tuple[int, ...], deadline: float | None) -> int:
        """Send descriptors along. How many may be on their way is counted for all processes of a
        user: where sessions keep too many, theirs are given back when they end."""
        until = time.monotonic() + CROWDED if deadline is None else deadline
        while True:
            try:
                return socket.send_fds(self.sock, [head], list(fds))
            except OSError as error:
                if error.errno != errno.ETOOMANYREFS:
                    raise
            if time.monotonic() > until:
                raise TimeoutError
            time.sleep(0.05)

    def _send(self, head: bytes, blob: bytes, deadline: float | None, fds: tuple[int, ...]) -> None:
        sent = self._send_with(head, fds, deadline) if fds else 0
        for data in (memoryview(head)[sent:], memoryview(blob)):
            while data:
                self._wait_until(deadline)
                data = data[self.sock.send(data) :]

    def _wait_until(self, deadline: float | None) -> None:
        """Have the next call on the socket end by then."""
        self.sock.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))

    def receive(self, *, deadline: float | None = None, with_fds: int = 0) -> tuple[dict, bytes]:
        """The next frame as (message, blob). Raises Late after the deadline (time.monotonic),
        Closed, or WireError.

        With `with_fds`, file descriptors that came along are listed in ``self.received_fds``.
        """
        try:
            text, blob = self._parts(deadline, with_fds)
        except TimeoutError:
            raise Late("nothing came in time") from None
        except OSError as error:
            raise Closed(str(error)) from None
        self.json_bytes = len(text)
        try:
            message = json.loads(bytes(text))
        except (ValueError, RecursionError):
            raise WireError("a message is not JSON") from None
        if not isinstance(message, dict):
            raise WireError("a message is not a JSON object")
        return message, bytes(blob)

    def _parts(self, deadline: float | None, with_fds: int) -> tuple[Data, Data]:
        """The JSON and the blob of the next frame."""
        size, blob_size = self._sizes(self._read(HEADER.size, deadline, with_fds))
        return self._read(size, deadline), self._read(blob_size, deadline)

    def _sizes(self, head: Data) -> tuple[int, int]:
        size, blob_size = HEADER.unpack(head)
        if size > self.max_json or blob_size > self.max_blob:
            # how large, is the sender's to choose: a number to pass on
            raise WireError("a message is larger than allowed")
        return size, blob_size

    def _read(self, size: int, deadline: float | None, with_fds: int = 0) -> bytearray:
        part: bytes | memoryview
        data = bytearray()
        room = memoryview(bytearray(min(size, _PART)))  # one for all parts: fresh pages cost most
        while len(data) < size:
            if data:
                _not_after(deadline)
            self._wait_until(deadline)
            wanted = min(size - len(data), _PART)
            if with_fds and not data:
                part, self.received_fds, *_ = socket.recv_fds(self.sock, wanted, with_fds)
            else:
                part = room[: self.sock.recv_into(room, wanted)]
            if not part:
                raise Closed("the other side has closed")
            data += part
        return data

    def ready(self, seconds: float) -> bool:
        """Whether something can be read within so many seconds."""
        return bool(select.select([self.sock], [], [], max(0, seconds))[0])

    def close(self) -> None:
        self.sock.close()


class PacketChannel(Channel):
    """One end of a line whose other end several processes hold, one of which may be killed in the
    middle of a frame. A packet arrives whole or not at all, and says whether a frame begins with
    it: what was cut off is dropped when the next frame begins."""

    kind = socket.SOCK_SEQPACKET

    def _send(self, head: bytes, blob: bytes, deadline: float | None, fds: tuple[int, ...]) -> None:
        assert not fds, (
            "no descriptor travels here: another process could have the kernel refuse it"
        )
        begin = FIRST
        for data in (memoryview(head), memoryview(blob)):
            for at in range(0, len(data), PACKET):
                self._wait_until(deadline)
                self.sock.sendmsg([begin, data[at : at + PACKET]])
                begin = MORE

    def _parts(self, deadline: float | None, with_fds: int) -> tuple[Data, Data]:
        room = memoryview(bytearray(1 + PACKET))
        frame: bytearray | None = None
        short = 0
        while True:
            self._wait_until(deadline)
            if not (count := self.sock.recv_into(room)):
                raise Closed("the other side has closed")
            if room[:1] == FIRST:
                frame = bytearray()
            if frame is not None:
                frame += room[1:count]
                if len(frame) >= HEADER.size:
                    size, blob_size = self._sizes(frame[: HEADER.size])
                    if len(frame) >= HEADER.size + size + blob_size:
                        break
            short += count <= PACKET
            if short > MOST_SHORT:
                raise WireError("a message comes in too many pieces")
            _not_after(deadline)
        end = HEADER.size + size
        if len(frame) > end + blob_size:
            raise WireError("a message is longer than it says")
        return memoryview(frame)[HEADER.size : end], memoryview(frame)[end:]


def _not_after(deadline: float | None) -> None:
    """However little is missing of a frame: what comes in pieces is late, too."""
    if deadline is not None and time.monotonic() > deadline:
        raise TimeoutError
