"""From the messages that a session recorded to a notebook's outputs, as nbclient and nbgrader write
them.

The messages were made by a student's process. nbclient's own code interprets them; what it could
not store - unknown kinds, wrong types, text that is no text - is dropped here first.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import sys
from typing import Any

from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4.rwbase import rejoin_lines
from nbformat.validator import NotebookValidationError

from nbseal.records import CellOutputs, Ran

KINDS = {
    "stream",
    "display_data",
    "execute_result",
    "error",
    "clear_output",
    "update_display_data",
    "comm_open",
    "comm_msg",
    "comm_close",
}
MAX_DEPTH = 60
# what stands where output was dropped: here, in inside/recording.py, and in session.py
CUT = ("this cell's output was dropped: ", "[dropped: this notebook says too much]")
MAX_MESSAGES = 20_000  # of one submission: each becomes an object many times its size
MAX_TWINS = 20  # outputs with one display id, all of which every update of it rewrites

# What nbgrader's Execute (error_on_timeout) records for a cell that ran out of time.
TIMEOUT = {
    "ename": "CellTimeoutError",
    "evalue": "",
    "traceback": ["\x1b[0;31mCellTimeoutError\x1b[0m: No reply from kernel before timeout"],
}
LANGUAGE = {
    "name": "python",
    "version": ".".join(map(str, sys.version_info[:3])),
    "mimetype": "text/x-python",
    "codemirror_mode": {"name": "ipython", "version": 3},
    "pygments_lexer": "ipython3",
    "nbconvert_exporter": "python",
    "file_extension": ".py",
}

_QUIET = logging.getLogger(__name__)
_QUIET.setLevel(logging.CRITICAL)


class OutputWriter:
    """Writes what cells show, cell by cell, in the order in which they ran: into an empty notebook
    of as many cells, so that nothing else of a submission is touched."""

    def __init__(self, notebook: NotebookNode):
        cells = [
            NotebookNode(cell_type=cell.cell_type, outputs=[], execution_count=None)
            for cell in notebook.cells
        ]
        empty = NotebookNode(cells=cells, metadata=NotebookNode())
        self._client = NotebookClient(empty, log=_QUIET)  # its own logger is the application's
        self.cells = empty.cells
        self._executed = 0
        self._room = MAX_MESSAGES

    def write(self, index: int, ran: Ran) -> None:
        """What one cell printed, displayed and raised."""
        cell = self.cells[index]
        self.count(index)
        self._client.clear_before_next_output = False
        messages = _messages(ran.messages)
        for message in messages[: self._room]:
            self._take(message, cell, index)
        if len(messages) > self._room:
            cell.outputs.append(
                stream_output(
                    "[the rest of this cell's output was dropped: it comes in too many pieces]\n"
                )
            )
        self._room -= min(len(messages), self._room)
        cell.execution_count = self._executed  # a message may have claimed another
        reply = TIMEOUT if ran.timed_out else ran.reply
        if ran.timed_out or ran.reply.get("status") == "error":
            self._add_reply_error(cell, reply)

    def is_cut(self, index: int) -> bool:
        """Whether a cell says that its output is not all there."""
        texts = [one.text for one in self.cells[index].outputs if one.output_type == "stream"]
        return any(mark in text for text in map("".join, texts) for mark in CUT)

    def count(self, index: int) -> None:
        """Note that a cell ran."""
        self._executed += 1
        self.cells[index].execution_count = self._executed

    def show(self, index: int, outputs: list[NotebookNode]) -> None:
        """Outputs that no session wrote."""
        self.cells[index].outputs = outputs

    def settle(self) -> None:
        """Outputs so far stay as they are: what is said from here on may come from somebody who has
        seen a test."""
        self._client._display_id_map.clear()

    def finish(self) -> dict[int, CellOutputs]:
        """What each code cell shows."""
        rejoin_lines(self._client.nb)  # a session may send text as lines, as a file may hold it
        return {
            index: CellOutputs(cell.outputs, cell.execution_count)
            for index, cell in enumerate(self.cells)
            if cell.cell_type == "code"
        }

    def _take(self, message: dict, cell: NotebookNode, index: int) -> None:
        try:
            transient = message["content"].get("transient") or {}
            twins = self._client._display_id_map.get(transient.get("display_id") or "", {})
            if (
                sum(map(len, twins.values())) >= MAX_TWINS
                and message["msg_type"] != "update_display_data"
            ):
                message["content"]["transient"] = {}
            self._client.process_message(message, cell, index)
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            IndexError,
            AssertionError,
            NotebookValidationError,
        ):
            return  # not what a kernel sends: there is no output that it could stand for

    @staticmethod
    def _add_reply_error(cell: NotebookNode, reply: dict) -> None:
        """As nbgrader: a failure that left no error output (a timeout, say) is recorded from the
        reply."""
        name = _text(reply.get("ename", "Error"))
        if any(output.output_type == "error" and output.ename == name for output in cell.outputs):
            return
        lines = [_text(line) for line in reply.get("traceback") or []]
        cell.outputs.append(
            error_output(
                name,
                _text(reply.get("evalue", "")),
                lines or ["ERROR: An error occurred while showtraceback was disabled"],
            )
        )


def error_output(name: str, text: str, traceback: list[str]) -> NotebookNode:
    """An error output as a notebook stores it."""
    lines = [_text(line) for line in traceback]
    return NotebookNode(output_type="error", ename=_text(name), evalue=_text(text), traceback=lines)


def stream_output(text: str) -> NotebookNode:
    """Text on stdout as a notebook stores it."""
    return NotebookNode(output_type="stream", name="stdout", text=_text(text))


def _messages(data: bytes) -> list[dict]:
    try:
        messages = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return []
    good = []
    for message in messages if isinstance(messages, list) else []:
        cleaned = _clean_message(message)
        if cleaned is not None:
            good.append(cleaned)
    return good


def _clean_message(message: Any) -> dict | None:
    """A message in the form that nbclient reads, None where it is not one."""
    if (
        not isinstance(message, dict)
        or message.get("msg_type") not in KINDS
        or not isinstance(message.get("content"), dict)
    ):
        return None
    try:
        content = _clean(message["content"])
        buffers = [base64.b64decode(buffer, validate=True) for buffer in message.get("buffers", [])]
    except (ValueError, TypeError, binascii.Error):
        return None
    kind = message["msg_type"]
    if kind in ("display_data", "execute_result", "update_display_data"):
        content["metadata"] = (
            content.get("metadata") if isinstance(content.get("metadata"), dict) else {}
        )
    return {
        "msg_type": kind,
        "header": {"msg_type": kind},
        "parent_header": {"msg_id": None},
        "content": content,
        "buffers": buffers,
    }


def _clean(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return [_clean(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_text(key): _clean(item, depth + 1) for key, item in value.items()}
    return value


def _text(value: Any) -> str:
    """Text that every file and database can hold: no half surrogate pairs."""
    return str(value).encode("utf-8", "replace").decode()
