"""The trusted side's end of a session's socket: requests with tokens, replies by their deadlines.

What a session says is never believed further than it reaches: frames are bounded, a reply carries
the token of its request, every wait has a deadline, and only so many frames that nobody asked for
are read past.
"""

from __future__ import annotations

import secrets
import time

from nbseal import wire
from nbseal.engine.worker import CONTROL_SECONDS
from nbseal.records import Limits

START_SECONDS = 30.0  # for a forked session to say that it is there
GRACE_SECONDS = 4.0  # after an interrupt; nbclient's iopub_timeout
MAX_STRAY_FRAMES = 10_000
MAX_STRAY_JSON = 32 << 20  # bytes: to read so many takes seconds, in which nobody else is served
MAX_ESCAPE = 8  # a character of output may take so many bytes of JSON


class Line:
    """The line to one session. `theirs` is the end that the session is forked with."""

    def __init__(self, limits: Limits, files: int):
        """files: how many bytes of files the session may send at its end."""
        self.channel, self.theirs = wire.PacketChannel.pair()
        self.channel.max_json = 4 << 20
        largest = max(limits.answer_bytes, MAX_ESCAPE * limits.output_bytes, 2 * files)
        self.channel.max_blob = largest + (1 << 20)
        self._stray = self._stray_json = 0

    def ask(self, request: dict) -> str:
        """Send a request; returns the token that its reply will carry."""
        token = secrets.token_hex(8)
        self.send(request | {"token": token})
        return token

    def send(self, message: dict, blob: bytes = b"") -> None:
        """Send what expects no reply of its own."""
        self.channel.send(message, blob, deadline=time.monotonic() + CONTROL_SECONDS)

    def request(self, request: dict, seconds: float) -> tuple[dict, bytes]:
        """Ask, and wait so long for the reply. Raises wire.WireError."""
        return self.reply(self.ask(request), time.monotonic() + seconds)

    def reply(self, token: str, deadline: float) -> tuple[dict, bytes]:
        """The reply with this token. Raises wire.WireError."""
        while True:
            message, blob = self.frame(deadline)
            if message.get("did") == token:
                return message, blob
            self.stray(deadline)

    def frame(self, deadline: float) -> tuple[dict, bytes]:
        """Whatever comes next. Raises wire.WireError."""
        return self.channel.receive(deadline=deadline)

    def stray(self, deadline: float) -> None:
        """Count the last frame as one that nobody asked for. Raises wire.WireError for one too
        many, wire.Late where the time is over in which something else should have come."""
        self._stray += 1
        self._stray_json += self.channel.json_bytes
        if self._stray > MAX_STRAY_FRAMES or self._stray_json > MAX_STRAY_JSON:
            raise wire.WireError("it sent too much that nobody asked for")
        if time.monotonic() > deadline:
            raise wire.Late("nothing that was asked for came in time")

    def close(self) -> None:
        self.theirs.close()
        self.channel.close()
