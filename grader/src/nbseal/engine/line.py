"""The trusted side's ends of a session's sockets: requests with tokens, replies by their deadlines.

A session has one line, and its tests one of their own each time that it forks for them: a process
that is killed in the middle of a frame breaks no line but its own.

What is said on either is never believed further than it reaches: frames are bounded, a reply
carries the token of its request, every wait has a deadline, and only so many frames that nobody
asked for are read past.
"""

from __future__ import annotations

import secrets
import select
import socket
import time

from nbseal import wire
from nbseal.engine.worker import CONTROL_SECONDS
from nbseal.records import Limits

START_SECONDS = 30.0  # for a forked session to say that it is there
GRACE_SECONDS = 4.0  # after an interrupt; nbclient's iopub_timeout
MAX_STRAY_FRAMES = 10_000
MAX_ESCAPE = 8  # a character of output may take so many bytes of JSON


class Line:
    """The line to one session. `theirs` is the end that the session is forked with."""

    def __init__(self, limits: Limits, files: int):
        """files: how many bytes of files the session may send at its end."""
        largest = max(limits.answer_bytes, MAX_ESCAPE * limits.output_bytes, 2 * files)
        self.channel, self.theirs = _bounded_pair(largest)
        self._stray = 0

    def ask(self, request: dict, fds: tuple[int, ...] = ()) -> str:
        """Send a request, and file descriptors with it; returns the token that its reply will
        carry."""
        token, deadline = secrets.token_hex(8), time.monotonic() + CONTROL_SECONDS
        self.channel.send(request | {"token": token}, deadline=deadline, fds=fds)
        return token

    def request(self, request: dict, seconds: float) -> tuple[dict, bytes]:
        """Ask, and wait so long for the reply. Raises wire.WireError."""
        return self.reply(self.ask(request), time.monotonic() + seconds)

    def reply(self, token: str, deadline: float) -> tuple[dict, bytes]:
        """The reply with this token. Raises wire.WireError."""
        while True:
            message, blob = self.frame(deadline)
            if message.get("did") == token:
                return message, blob
            self.stray()

    def frame(self, deadline: float) -> tuple[dict, bytes]:
        """Whatever comes next. Raises wire.WireError."""
        return self.channel.receive(deadline=deadline)

    def stray(self) -> None:
        """Count a frame that nobody asked for; raises wire.WireError for one too many."""
        self._stray += 1
        if self._stray > MAX_STRAY_FRAMES:
            raise wire.WireError("it sent thousands of messages that nobody asked for")

    def close(self) -> None:
        self.theirs.close()
        self.channel.close()


class TestsLine:
    """The trusted side's end of the line of a process that runs tests, beside that of its
    session."""

    __test__ = False  # not a pytest class

    def __init__(self, session: Line, limits: Limits):
        self.session = session
        self.channel, self._theirs = _bounded_pair(limits.answer_bytes)
        self._open = True

    def __enter__(self) -> TestsLine:
        return self

    def __exit__(self, *error: object) -> None:
        self._theirs.close()
        self.channel.close()

    def ask(self, request: dict) -> str:
        """Ask the session for the tests, on this line; returns the token that its reply will
        carry."""
        token = self.session.ask(request, fds=(self._theirs.fileno(),))
        self._theirs.close()
        return token

    def send(self, message: dict, blob: bytes) -> None:
        """Send what expects no reply of its own. That nobody reads it, the session will explain."""
        try:
            self.channel.send(message, blob, deadline=time.monotonic() + CONTROL_SECONDS)
        except wire.WireError:
            self._open = False

    def frame(self, deadline: float) -> tuple[dict, bytes]:
        """What comes next from the tests; after what they said, however it ended, what their
        session says. Raises wire.WireError where that breaks."""
        while self._open and self._says_something(deadline):
            try:
                return self.channel.receive(deadline=deadline)
            except wire.WireError:
                self._open = False
        return self.session.frame(deadline)

    def _says_something(self, deadline: float) -> bool:
        """Wait until one of the two lines can be read; whether the tests' is among them."""
        ends = [self.channel.sock, self.session.channel.sock]
        select.select(ends, [], [], max(0.0, deadline - time.monotonic()))
        # once more: what they said stands before what is said of their end
        return self.channel.ready(0)


def _bounded_pair(largest: int) -> tuple[wire.Channel, socket.socket]:
    """An end that takes frames of so many bytes, and the other one."""
    channel, theirs = wire.Channel.pair()
    channel.max_json, channel.max_blob = 4 << 20, largest + (1 << 20)
    return channel, theirs
