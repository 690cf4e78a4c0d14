"""A kernel's shell without a kernel: runs cells as ipykernel does and keeps the messages that it
would have sent.

There are no sockets and no threads, so that a process with this shell can be forked. What is
recorded are Jupyter's own messages (stream, display_data, execute_result, error, clear_output,
comm_*); nbclient turns them into a cell's outputs on the trusted side (engine/outputs.py).
"""

from __future__ import annotations

import asyncio
import base64
import builtins
import fcntl
import getpass
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import comm
from comm.base_comm import BaseComm
from ipykernel.compiler import XCachingCompiler
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.error import StdinNotImplementedError, UsageError
from jupyter_client.session import Session
from traitlets import observe
from traitlets.config import Config

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

    def send(self, stream, msg_or_type, content=None, parent=None, ident=None, buffers=None, **_):
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


class RecordingShell(ZMQInteractiveShell):
    """ipykernel's shell, for a kernel that is not there."""

    def enable_gui(self, gui: Any = None) -> None:
        if gui not in (None, "inline", "agg", "module://matplotlib_inline.backend_inline"):
            raise UsageError(f"a window system ({gui}) cannot be used while grading")

    _transformed: tuple[str, str] | None = None  # the cell that is about to run, before and after

    def transform_cell(self, raw_cell: str) -> str:
        """As IPython's, but not a second time for the cell that run_cell has just transformed."""
        known, self._transformed = self._transformed, None
        return known[1] if known and known[0] is raw_cell else super().transform_cell(raw_cell)

    @observe("exit_now")
    def _update_exit_now(self, change):
        """exit() and quit() end nothing here: the cells that follow are run."""

    def system_piped(self, cmd: str) -> None:
        """`!command`: its output goes to stdout. Through a pipe, for a session has no terminals."""
        process = subprocess.Popen(
            self.var_expand(cmd, depth=1),
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        try:
            for line in process.stdout:
                sys.stdout.write(line)
            self.user_ns["_exit_code"] = process.wait()
        finally:
            process.kill()
            process.wait()

    system = system_piped


def make_shell(recorder: Recorder) -> RecordingShell:
    """The shell of this process, with stdout, stderr, displays and widgets led into the
    recorder."""
    config = Config()
    config.HistoryManager.enabled = False  # no SQLite file and no thread that writes it
    session = RecordingSession(key=b"")
    session.recorder = recorder
    shell = RecordingShell.instance(config=config, user_ns={}, compiler_class=XCachingCompiler)
    shell.displayhook.session, shell.displayhook.pub_socket, shell.displayhook.topic = (
        session,
        None,
        b"execute_result",
    )
    shell.display_pub.session, shell.display_pub.pub_socket = session, None
    RecordingComm.recorder = recorder
    comm.create_comm = RecordingComm
    sys.stdout, sys.stderr = (
        RecordingStream("stdout", recorder, 1),
        RecordingStream("stderr", recorder, 2),
    )
    builtins.input = getpass.getpass = _no_input
    return shell


def _no_input(*_args, **_options):
    raise StdinNotImplementedError(
        "raw_input was called, but this frontend does not support input requests."
    )


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


# --------------------------------------------------------------------------------------------------
# Running a cell
# --------------------------------------------------------------------------------------------------


async def run_cell(shell: RecordingShell, source: str) -> dict:
    """Run one cell as ipykernel's do_execute does; returns what its execute_reply would say.

    Must be awaited in the running event loop of the session, so that top-level await and asyncio
    behave as in a kernel.
    """
    broken = None
    try:
        transformed = shell.transform_cell(source)
    except Exception:
        transformed, broken = source, sys.exc_info()
    shell._last_traceback = None
    if shell.should_run_async(source, transformed_cell=transformed, preprocessing_exc_tuple=broken):
        result = await _run_async(shell, source, transformed, broken)
    else:
        with _interruptible():
            shell._transformed = None if broken else (source, transformed)
            result = shell.run_cell(source, store_history=True)
    error = (
        result.error_before_exec if result.error_before_exec is not None else result.error_in_exec
    )
    shell.payload_manager.clear_payload()
    if result.success and not getattr(shell, "_last_traceback_during_displayhook", False):
        return {"status": "ok"}
    return {
        "status": "error",
        "ename": type(error).__name__,
        "evalue": _text(error),
        "traceback": [str(line) for line in shell._last_traceback or []],
    }


async def _run_async(shell: RecordingShell, source: str, transformed: str, broken: Any):
    running = asyncio.ensure_future(
        shell.run_cell_async(
            source, store_history=True, transformed_cell=transformed, preprocessing_exc_tuple=broken
        )
    )
    loop = asyncio.get_running_loop()  # which waits, and must be woken
    previous = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(running.cancel))
    result = None
    try:
        result = await running
        return result
    finally:
        signal.signal(signal.SIGINT, previous)
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)


@contextmanager
def _interruptible():
    """Let an interrupt reach the cell as KeyboardInterrupt, and nothing but the cell."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _text(error: BaseException | None) -> str:
    try:
        return str(error)
    except Exception:
        return "<an error that cannot be shown>"
