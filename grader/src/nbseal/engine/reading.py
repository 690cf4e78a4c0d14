"""What the source of a submission says before it runs: which of its tests may share a process,
which need no watch over by-hand tasks, and what a person should look at. Read in a process apart
(nbseal.apart)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from importlib.machinery import all_suffixes
from pathlib import Path

from nbformat import NotebookNode

from nbseal.apart import Apart
from nbseal.cells.by_hand import doubts
from nbseal.cells.resting import resting
from nbseal.cells.sealing import ByHand, Sealed
from nbseal.cells.sharing import steps
from nbseal.notebook.marks import grade_id
from nbseal.records import CellOrder, Order


@dataclass(frozen=True)
class Plan:
    """How the cells of a submission are run, and which tests without the watch over by-hand tasks,
    by their places in the notebook; and the place of a test -> why a person should look at what was
    to be written by hand."""

    steps: tuple[tuple[int, ...], ...]
    resting: tuple[int, ...] = ()
    doubts: Mapping[int, list[str]] = field(default_factory=dict)


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
            "asks": [
                (cell.index, test.asks)
                for cell in order.cells
                if cell.test and (test := sealed.get(cell.grade_id or "")) and test.asks
            ],
            "own": _students(notebook) if by_hand else [],
            "imports": bool(order.folder) and _holds_modules(Path(str(order.folder))),
        }
        found = self._apart.ask("plan", request)
        return Plan(
            tuple(map(tuple, found["steps"])), tuple(found["resting"]), dict(found["doubts"])
        )


def _students(notebook: NotebookNode) -> list[tuple[int, str]]:
    """The code cells that nbgrader does not restore: place in the notebook, source."""
    return [
        (number, cell.source)
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and not _is_restored(cell)
    ]


def _holds_modules(folder: Path) -> bool:
    """Whether beside a notebook lies what its cells could import in the place of something else."""
    endings = (*all_suffixes(), ".zip", ".egg")
    return any(name.endswith(endings) for _, _, names in os.walk(folder) for name in names)


def _is_restored(cell: NotebookNode) -> bool:
    """nbgrader takes the name from a cell that it does not know, whatever else that claims."""
    return bool(grade_id(cell) and cell.metadata["nbgrader"].get("locked"))


def _plan(request: dict) -> dict:
    """The task: everything in it reads, and runs nothing."""
    cells = [CellOrder(*fields) for fields in request["cells"]]
    own = [(number, source) for number, source in request["own"]]
    found, words = [], {}
    for test, asked in request["by_hand"]:
        hands = [ByHand(target, tuple(without), hidden) for target, without, hidden in asked]
        before = [(number, source) for number, source in own if number < test]
        found.append((test, doubts(before, hands)))
        words[test] = tuple(sorted({word for hand in hands for word in hand.without}))
    order = steps(cells, request["modules"])
    safe = (
        []
        if request["imports"]
        else resting(cells, order, words, request["modules"], dict(request["asks"]))
    )
    return {
        "steps": [[cell.index for cell in step] for step in order],
        "resting": safe,
        "doubts": found,
    }
