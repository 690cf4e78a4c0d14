"""What the source of a submission says before it runs: which of its tests may share a process,
and what a person should look at. Read in a process apart
(nbseal.apart)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field

from nbformat import NotebookNode

from nbseal.apart import Apart
from nbseal.cells.by_hand import doubts
from nbseal.cells.python import LONGEST, parse, tree
from nbseal.cells.sealing import ByHand, Sealed
from nbseal.cells.sharing import steps
from nbseal.notebook.marks import grade_id
from nbseal.notebook.text import plain
from nbseal.records import CellOrder, Order


@dataclass(frozen=True)
class Plan:
    """How the cells of a submission are run, by their places in the notebook; and the place of a
    test -> why a person should look at what was to be written by hand."""

    steps: tuple[tuple[int, ...], ...]
    doubts: Mapping[int, list[str]] = field(default_factory=dict)
    unread: Mapping[int, str] = field(default_factory=dict)  # cells that are no Python, and why


class Reader:
    """Reads submissions, one after another. Whoever makes it closes it."""

    def __init__(self) -> None:
        self._apart = Apart({"plan": _plan})
        self.close = self._apart.close

    def plan(self, order: Order, notebook: NotebookNode, sealed: Mapping[str, Sealed]) -> Plan:
        """Read a submission's cells. Raises nbseal.apart.TooMuch.

        sealed: test -> what was sealed of it.
        """
        by_hand = [
            (cell.index, [astuple(hand) for hand in test.by_hand])
            for cell in order.cells
            if cell.test and (test := sealed.get(cell.grade_id or "")) and test.by_hand
        ]
        request = {
            "cells": [astuple(cell) for cell in order.cells],
            "modules": order.modules,
            "by_hand": by_hand,
            "own": _students(notebook) if by_hand else [],
        }
        found = self._apart.ask("plan", request)
        return Plan(tuple(map(tuple, found["steps"])), dict(found["doubts"]), dict(found["unread"]))


def _students(notebook: NotebookNode) -> list[tuple[int, str]]:
    """The code cells that nbgrader does not restore: place in the notebook, source."""
    return [
        (number, cell.source)
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and not _is_restored(cell)
    ]


def _is_restored(cell: NotebookNode) -> bool:
    """nbgrader takes the name from a cell that it does not know, whatever else that claims."""
    return bool(grade_id(cell) and cell.metadata["nbgrader"].get("locked"))


def _plan(request: dict) -> dict:
    """The task: everything in it reads, and runs nothing."""
    cells = [CellOrder(*fields) for fields in request["cells"]]
    own = [(number, source) for number, source in request["own"]]
    found = []
    for test, asked in request["by_hand"]:
        hands = [ByHand(target, tuple(without), hidden) for target, without, hidden in asked]
        found.append((test, doubts([cell for cell in own if cell[0] < test], hands)))
    order = steps(cells, request["modules"])
    unread = [
        (cell.index, said) for cell in cells if not cell.test and (said := _wrong_with(cell.source))
    ]
    return {
        "steps": [[cell.index for cell in step] for step in order],
        "doubts": found,
        "unread": unread,
    }


def _wrong_with(source: str) -> str:
    """Why a cell cannot be read as Python; nothing where it can."""
    if len(source) > LONGEST or tree(source) is not None:
        return ""
    try:
        parse(source)
    except (SyntaxError, ValueError) as error:
        line, said = "", str(error)
        if isinstance(error, SyntaxError):
            line, said = f" in line {error.lineno}" if error.lineno else "", error.msg
        return plain(f"{type(error).__name__}{line}: {said}", 200)
    return ""
