"""A kernel's shell without a kernel: runs cells as ipykernel does.

There are no sockets and no threads, so that a process with this shell can be forked. What cells say
goes to a recorder (recording.py).
"""

from __future__ import annotations

import asyncio
import builtins
import getpass
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import Any

import comm
from ipykernel.compiler import XCachingCompiler
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.inputtransformer2 import TransformerManager
from traitlets import observe
from traitlets.config import Config

from nbseal.cells.python import has_no_magic
from nbseal.inside.recording import Recorder, RecordingComm, RecordingSession, RecordingStream


class QuickTransformer(TransformerManager):
    """IPython's, but Python is not taken apart into tokens to find that there is no magic in it."""

    def __init__(self) -> None:
        super().__init__()
        self.usual = list(self.token_transformers)

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        if self.token_transformers == self.usual and has_no_magic("".join(lines)):
            return lines
        found: list[str] = super().do_token_transforms(lines)
        return found


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
            for line in process.stdout or ():
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
    shell: Any = RecordingShell.instance(config=config, user_ns={}, compiler_class=XCachingCompiler)
    shell.input_transformer_manager = QuickTransformer()
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


# --------------------------------------------------------------------------------------------------
# Running a cell
# --------------------------------------------------------------------------------------------------


async def run_cell(shell: Any, source: str) -> dict:
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
