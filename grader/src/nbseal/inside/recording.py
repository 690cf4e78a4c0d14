"""What cells print, display and send, kept as the messages that a kernel would send.

These are Jupyter's own (stream, display_data, execute_result, error, clear_output, comm_*), in the
order of the program; nbclient turns them into a cell's outputs on the trusted side
(engine/outputs.py).
"""

from __future__ import annotations

import base64
import fcntl
import io
import json
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from comm.base_comm import BaseComm
from jupyter_client.session import Session

TRUNCATED = "\n[the rest of this cell's output was dropped: it is larger than {:.0f} kB]\n"


class Recorder:
    """Keeps the messages of the cell that runs, in the order of the program, up to a total size."""

    def __init__(self, max_bytes: int):
        self.max_bytes = max_bytes
        self.muted = False
        self.descriptors: CapturedDescriptors | None = None
        self.begin()

    def begin(self) -> None:
        """Forget everything: a new cell starts."""
        self._messages: list[str] = []
        self._stream: str | None = None
        self._text: list[str] = []
        self._size = 0
        self._full = False

    def stream(self, name: str, text: str) -> None:
        """Text written to stdout or stderr; neighbouring pieces become one message."""
        if self.muted or self._full or not text:
            return
        self._drain()
        self._write(name, text)

    def _write(self, name: str, text: str) -> None:
        if name != self._stream:
            self._end_stream()
            self._stream = name
        if self._room_for(len(text)):
            self._text.append(text)

    def message(self, kind: str, content: dict, buffers: list | None = None) -> None:
        """Any other message of a kernel."""
        if self.muted or self._full:
            return
        self._drain()
        self._end_stream()
        self._keep(kind, content, buffers)

    def _drain(self) -> None:
        """What went past Python before this moment comes before it."""
        for name, text in self.descriptors.drain(self.max_bytes) if self.descriptors else ():
            self._write(name, text)

    def messages(self) -> bytes:
        """All messages so far, as a JSON list."""
        if not self._full:
            self._drain()
        self._end_stream()
        return ("[" + ",".join(self._messages) + "]").encode("utf-8", "surrogatepass")

    def _end_stream(self) -> None:
        if self._stream is not None:
            text, name = "".join(self._text), self._stream
            self._stream, self._text = None, []
            self._keep("stream", {"name": name, "text": text}, counted=True)

    def _keep(
        self, kind: str, content: dict, buffers: list | None = None, counted: bool = False
    ) -> None:
        message = {"msg_type": kind, "content": content}
        if buffers:
            message["buffers"] = [base64.b64encode(bytes(buffer)).decode() for buffer in buffers]
        text = json.dumps(message, default=str, ensure_ascii=False)
        if counted or self._room_for(len(text)):
            self._messages.append(text)

    def _room_for(self, size: int) -> bool:
        if self._size + size > self.max_bytes:
            self._full = True
            self._end_stream()
            self._keep(
                "stream",
                {"name": "stdout", "text": TRUNCATED.format(self.max_bytes / 1024)},
                counted=True,
            )
            return False
        self._size += size
        return True


class RecordingSession(Session):
    """Stands where a kernel keeps its connection: hands every message to the recorder."""

    recorder: Any = None

    def msg(self, msg_type, content=None, parent=None, header=None, metadata=None):
        return {"header": {"msg_type": msg_type}, "msg_type": msg_type, "content": content or {}}

    # What a kernel hands over besides - signatures, threads - has no meaning here.
    def send(  # type: ignore[override]
        self, stream, msg_or_type, content=None, parent=None, ident=None, buffers=None, **_
    ):
        message = self.msg(msg_or_type, content) if isinstance(msg_or_type, str) else msg_or_type
        self.recorder.message(message["msg_type"], message["content"], buffers)
        return message


class RecordingStream(io.TextIOBase):
    """sys.stdout or sys.stderr of a session."""

    encoding = "UTF-8"

    def __init__(self, name: str, recorder: Recorder, descriptor: int):
        super().__init__()
        self.name, self._recorder, self._descriptor = name, recorder, descriptor

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        self._recorder.stream(self.name, text)
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return False


class RecordingComm(BaseComm):
    """A widget's line to the browser: recorded, and never answered."""

    recorder: Recorder | None = None

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        if self.recorder is not None:
            content = {"data": data or {}, "comm_id": self.comm_id, **keys}
            self.recorder.message(msg_type, content, buffers)


class CapturedDescriptors:
    """What is written to file descriptors 1 and 2 past Python: by subprocesses and by C code."""

    def __init__(self):
        self._files = {}
        for name, descriptor in (("stdout", 1), ("stderr", 2)):
            file, path = tempfile.mkstemp()
            os.unlink(path)
            fcntl.fcntl(file, fcntl.F_SETFL, os.O_APPEND)
            os.dup2(file, descriptor)
            os.close(file)
            self._files[name] = descriptor

    def drain(self, most: int) -> Iterator[tuple[str, str]]:
        """(name of the stream, text) written since the last time, at most so many bytes of each."""
        for name, descriptor in self._files.items():
            try:
                size = os.fstat(descriptor).st_size
                if size:
                    data = os.pread(descriptor, min(size, most), 0)
                    os.ftruncate(descriptor, 0)
                    yield name, data.decode("utf-8", "replace")
            except OSError:
                # the student's code closed or replaced the descriptor: there is nothing of ours to
                # read
                continue
