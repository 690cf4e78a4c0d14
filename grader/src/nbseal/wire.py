"""How processes talk: frames of JSON and raw bytes. Never pickle.

A frame is ``(message, blob)``. Its sizes stand in front and are checked before anything is
allocated, so the other side - which may be a student's process - can at most be refused.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time

HEADER = struct.Struct(">II")  # bytes of JSON, bytes of blob
MAX_JSON = 24 << 20
MAX_BLOB = 160 << 20
_PART = 1 << 18  # bytes that are received at a time; a socket holds less


class WireError(Exception):
    """The other side broke the protocol: sent something too large, damaged or not expected."""


class Closed(WireError):
    """The other side is gone."""


class Late(WireError):
    """Nothing came in time."""


class Channel:
    """One end of a socket pair that carries frames."""

    def __init__(self, sock: socket.socket, *, max_json: int = MAX_JSON, max_blob: int = MAX_BLOB):
        self.sock = sock
        self.max_json, self.max_blob = max_json, max_blob

    @classmethod
    def pair(cls) -> tuple[Channel, socket.socket]:
        """A channel and the raw socket of its other end, to be handed to another process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
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
            head = HEADER.pack(len(text), len(blob)) + text
            sent = socket.send_fds(self.sock, [head], list(fds)) if fds else 0
            self._send_all(memoryview(head)[sent:], deadline)
            self._send_all(memoryview(blob), deadline)
        except TimeoutError:
            raise Late("the other side does not read") from None
        except OSError as error:
            raise Closed(str(error)) from None

    def _send_all(self, data: memoryview, deadline: float | None) -> None:
        while data:
            self.sock.settimeout(
                None if deadline is None else max(0.001, deadline - time.monotonic())
            )
            data = data[self.sock.send(data) :]

    def receive(self, *, deadline: float | None = None, with_fds: int = 0) -> tuple[dict, bytes]:
        """The next frame as (message, blob). Raises Late after the deadline (time.monotonic),
        Closed, or WireError.

        With `with_fds`, file descriptors that came along are listed in ``self.received_fds``.
        """
        head = self._read(HEADER.size, deadline, with_fds)
        size, blob_size = HEADER.unpack(head)
        if size > self.max_json or blob_size > self.max_blob:
            # how large, is the sender's to choose: a number to pass on
            raise WireError("a message is larger than allowed")
        text, blob = self._read(size, deadline), self._read(blob_size, deadline)
        try:
            message = json.loads(bytes(text))
        except (ValueError, RecursionError):
            raise WireError("a message is not JSON") from None
        if not isinstance(message, dict):
            raise WireError("a message is not a JSON object")
        return message, bytes(blob)

    def _read(self, size: int, deadline: float | None, with_fds: int = 0) -> bytearray:
        part: bytes | memoryview
        data = bytearray()
        room = memoryview(bytearray(min(size, _PART)))  # one for all parts: fresh pages cost most
        try:
            while len(data) < size:
                self.sock.settimeout(
                    None if deadline is None else max(0.001, deadline - time.monotonic())
                )
                wanted = min(size - len(data), _PART)
                if with_fds and not data:
                    part, self.received_fds, *_ = socket.recv_fds(self.sock, wanted, with_fds)
                else:
                    part = room[: self.sock.recv_into(room, wanted)]
                if not part:
                    raise Closed("the other side has closed")
                data += part
                if deadline is not None and time.monotonic() > deadline and len(data) < size:
                    raise TimeoutError
        except TimeoutError:
            raise Late("nothing came in time") from None
        except OSError as error:
            raise Closed(str(error)) from None
        return data

    def ready(self, seconds: float) -> bool:
        """Whether something can be read within so many seconds."""
        return bool(select.select([self.sock], [], [], max(0, seconds))[0])

    def close(self) -> None:
        self.sock.close()
