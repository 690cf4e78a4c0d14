"""Which sealed tests may run one after another in the same forked process.

A fork for each test is what isolation costs, and most notebooks do not need one each: their cells
define functions and classes, and functions that keep nothing between two calls cannot carry
anything from one test to the next. So a test may wait while cells run that only bind names nobody
has asked for yet, and is then run in one process with its neighbours.

Read from the source, without running it, and only to save time. It is a list of what is known to be
harmless: a notebook that does anything else has each of its tests in a process of its own, at its
own place. What a reading cannot see, the shared process looks for between two tests
(inside/sealed_test.py). A student gains nothing by misleading either, for what a test shows could
be carried from one process to another as well.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from nbseal.cells.declared import is_sealed
from nbseal.cells.facts import Facts, of_cell, of_own_cell, of_test
from nbseal.records import CellOrder

_BUILTINS = frozenset(vars(builtins))

# Beyond these a notebook is not read. Reading takes a millisecond for ten thousand characters.
MAX_CELLS, MAX_TEXT = 300, 100_000


def steps(cells: Sequence[CellOrder], modules: Sequence[str]) -> list[tuple[CellOrder, ...]]:
    """The cells in the order in which they are run: each alone, or several tests that share a
    process.

    modules: those that are imported already, so that importing them runs no code.
    """
    if (
        len(cells) > MAX_CELLS
        or sum(len(cell.source) for cell in cells if not (cell.own or cell.test)) > MAX_TEXT
    ):
        return [(cell,) for cell in cells]
    done: list[tuple[CellOrder, ...]] = []
    waiting: list[CellOrder] = []
    of_waiting: set[str] = set()  # names that the tests waiting take from the top level
    notebook, imported = _Notebook(), frozenset(modules)
    for cell in cells:
        if cell.test:
            facts = of_test(cell.source)
            if notebook.allows(facts):
                waiting.append(cell)
                # probes of declared tasks may ask for any name
                of_waiting |= notebook.known if is_sealed(cell.source) else facts.reads
            else:
                done.append((cell,))
            continue
        facts = of_own_cell(cell.source, imported) if cell.own else of_cell(cell.source, imported)
        if not notebook.is_quiet(facts, cell.own) or facts.binds & (notebook.reads | of_waiting):
            done += [tuple(waiting)] if waiting else []
            waiting.clear()
            of_waiting.clear()
        notebook.add(facts, cell.own)
        done.append((cell,))
    return done + ([tuple(waiting)] if waiting else [])


class _Notebook:
    """What is known of the cells so far."""

    def __init__(self):
        self.understood = True
        self.known = set(_BUILTINS)
        self.changeable: set[str] = set()
        self.reads: set[str] = set()  # what functions take from the top level
        self.students: set[str] = set()  # names that the student's cells bind

    def is_quiet(self, facts: Facts, own: bool) -> bool:
        """Whether a cell does nothing that a test before it could notice."""
        return self.understood and facts.understood and facts.plain

    def add(self, facts: Facts, own: bool) -> None:
        """A cell has run. The instructor's may do what they like, but with what the student has
        made."""
        self.understood &= facts.understood and (
            facts.plain or (own and not facts.touches & self.students)
        )
        self.known |= facts.binds
        self.changeable |= facts.changeable
        self.reads |= facts.reads
        if not own:
            self.students |= facts.binds

    def allows(self, test: Facts) -> bool:
        """Whether a test may share a process: all that it can reach is known, and cannot change."""
        reached = self.reads | (test.reads - (test.binds - self.known))
        return (
            self.understood
            and test.understood
            and reached <= self.known
            and not reached & self.changeable
        )
