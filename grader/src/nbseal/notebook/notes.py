"""Our own notes in a notebook: what grading found, and what repairing it changed."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

OURS = "nbseal"  # the key of this program's notes in a notebook's metadata and in that of its cells


SECONDS = "nbseal_seconds"  # the key, in its first code cell, of how long a notebook ran


def forget_claims(nb: NotebookNode) -> None:
    """Drop notes in a submission that only this program writes."""
    nb.metadata.pop(OURS, None)
    for cell in nb.cells:
        cell.metadata.pop(OURS, None)
        cell.metadata.pop(SECONDS, None)


RECORD = "nbseal_repair"  # the key of the record in a notebook's metadata


def record_of(nb: NotebookNode) -> dict:
    """The record in a notebook that `repaired` or `unreadable` made; empty for one that needed
    nothing."""
    return nb.metadata.get(RECORD) or {"notes": [], "doubts": [], "unreadable": None}


def add_doubts(nb: NotebookNode, doubts: list[str]) -> None:
    """Have a person look at a submission, for reasons found outside of its notebook."""
    if doubts:
        record = record_of(nb)
        nb.metadata[RECORD] = record | {"doubts": [*record["doubts"], *doubts]}


def says_unreadable(path: Path) -> bool:
    """Whether an autograded notebook only says that nothing could be graded."""
    content = path.read_bytes()
    return RECORD.encode() in content and bool(
        record_of(nbformat.reads(content.decode("utf-8"), as_version=4))["unreadable"]
    )


def _without_record(nb: NotebookNode) -> NotebookNode:
    nb.metadata.pop(RECORD, None)
    return nb
