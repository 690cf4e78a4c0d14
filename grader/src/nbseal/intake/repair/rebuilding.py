"""A fresh copy of the released notebook with the student's answers and extra cells in it."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import nbformat
from nbformat import NotebookNode

from nbseal.intake.damage import Damaged
from nbseal.intake.repair.cutting import as_code, cut_and_joined
from nbseal.intake.repair.elsewhere import without_elsewhere
from nbseal.intake.repair.likeness import normal
from nbseal.intake.repair.matching import Match, match
from nbseal.intake.repair.pieces import Piece
from nbseal.intake.repair.skeleton import ReleasedCell, Skeleton

MOST_CELLS = 2000
MOST_CODE = 2_000_000  # characters; an assignment has some ten thousand
SHOWN = 3  # examples in a note
COLAB_BADGE = "colab.research.google.com/assets/colab-badge.svg"


@dataclass(frozen=True)
class Rebuilt:
    """What makes the notebook, what was repaired in it, and why a person should look."""

    make: Callable[[], NotebookNode]
    notes: tuple[str, ...]
    doubts: tuple[str, ...]


def rebuilt(pieces: list[Piece], skeleton: Skeleton, released_before: bool = False) -> Rebuilt:
    """The submission on the released notebook. Without notes, nothing in it had to be moved,
    restored or left out.

    released_before: it was handed out before the assignment was changed, and what it lacks may be
    nobody's fault.
    """
    pieces = [piece for piece in pieces if not _is_colab_badge(piece)]
    if len(pieces) > MOST_CELLS:
        pieces = [piece for piece in pieces if piece.source.strip()]
    if len(pieces) > MOST_CELLS:
        raise Damaged(
            f"The notebook holds {len(pieces)} cells, more than the {MOST_CELLS} that are looked "
            "at: delete what is not "
            "part of the assignment and hand it in again."
        )
    if sum(len(piece.source) for piece in pieces if piece.kind == "code") > MOST_CODE:
        raise Damaged(
            f"The notebook holds more than {MOST_CODE:,} characters of code: delete what is not "
            "part of the assignment, such as data pasted into a cell, and hand it in again."
        )
    pieces, notes = cut_and_joined(pieces, skeleton)
    found = match(pieces, skeleton)
    notes += _what_was_found(pieces, found, skeleton, released_before)
    doubts = list(found.doubts)
    if not any(cell.index in found.of for cell in skeleton.cells if cell.name):
        doubts.append(
            "No cell of this assignment was found in the notebook: it may belong to another one."
        )
    pieces, left_out = _without_elsewhere(pieces, found, skeleton)
    if left_out:
        notes.append(
            f"{len(left_out)} lines that only work in Colab, or that install or download, were "
            "left out: "
            f"{_examples(left_out)}."
        )
    make = partial(_assembled, pieces, found, skeleton)
    return Rebuilt(make, (*notes, *doubts), tuple(doubts))


def _is_colab_badge(piece: Piece) -> bool:
    return "view-in-github" in piece.ids and COLAB_BADGE in piece.source


def _what_was_found(
    pieces: list[Piece], found: Match, skeleton: Skeleton, released_before: bool
) -> list[str]:
    notes = []
    retyped = [
        cell.name or cell.id
        for cell in skeleton.cells
        if cell.name and cell.index in found.of and pieces[found.of[cell.index]].kind != cell.kind
    ]
    if retyped:
        notes.append(f"The type of {_cells(retyped)} had been changed and was restored.")
    missing = [
        cell
        for cell in skeleton.cells
        if cell.index not in found.of
        and (cell.name or (cell.kind == "code" and cell.source.strip()))
    ]
    lost = [cell.name for cell in missing if cell.role == "solution"]
    if lost:
        notes.append(f"No answer to {_examples(lost)} was found.")
    restored = [cell.name or cell.id or "a cell" for cell in missing if cell.role != "solution"]
    if restored:
        was = "was" if len(restored) == 1 else "were"
        notes.append(
            f"The assignment was changed after this notebook was handed out: {_cells(restored)} "
            f"{was} added."
            if released_before
            else f"{_cells(restored, capital=True)} had been deleted and {was} put back."
        )
    if found.duplicates:
        notes.append(
            f"{found.duplicates} {'cell was' if found.duplicates == 1 else 'cells were'} there "
            "more than once."
        )
    if found.by_text:
        notes.append(
            f"The answer to {_examples(found.by_text)} was found by what it defines or says, not "
            "by its cell's name."
        )
    order = [
        found.of[cell.index] for cell in skeleton.cells if cell.name and cell.index in found.of
    ]
    if order != sorted(order):
        notes.append("Cells had been moved and were put back into their order.")
    return notes


def _cells(names: Sequence[str | None], capital: bool = False) -> str:
    return (
        f"{'The' if capital else 'the'} {'cell' if len(names) == 1 else 'cells'} {_examples(names)}"
    )


def _examples(names: Sequence[str | None]) -> str:
    more = len(names) - SHOWN
    return ", ".join(str(name)[:80] for name in names[:SHOWN]) + (
        f" and {more} more" if more > 0 else ""
    )


def _without_elsewhere(
    pieces: list[Piece], found: Match, skeleton: Skeleton
) -> tuple[list[Piece], list[str]]:
    """The pieces with lines left out that would stop a cell here; never in a cell that nbgrader
    restores."""
    locked = {
        found.of[cell.index]
        for cell in skeleton.cells
        if cell.role == "locked" and cell.index in found.of
    }
    result, left_out = [], []
    for at, piece in enumerate(pieces):
        if piece.kind == "code" and at not in locked:
            source, lines = without_elsewhere(piece.source)
            if lines:
                piece = piece.but(source=source)
                left_out += lines
        result.append(piece)
    return result, left_out


def _assembled(pieces: list[Piece], found: Match, skeleton: Skeleton) -> NotebookNode:
    """The released cells in their order; each extra cell follows the released cell that it
    followed."""
    nb = copy.deepcopy(skeleton.nb)
    if nb.nbformat_minor < 5:
        nb.nbformat_minor = 5
    after = _extras(pieces, found, skeleton)
    cells = [_extra(piece) for piece in after.get(-1, [])]
    for cell, node in zip(skeleton.cells, nb.cells):
        cells.append(
            _filled(node, cell, pieces[found.of[cell.index]] if cell.index in found.of else None)
        )
        cells += [_extra(piece) for piece in after.get(cell.index, [])]
    ids = {cell["id"] for cell in cells if cell.get("id")}
    fresh = (
        name
        for number in range(len(cells) + len(ids) + 1)
        if (name := f"handed-in-{number}") not in ids
    )
    for made in cells:
        if not made.get("id"):
            made["id"] = next(fresh)
    nb.cells = cells
    return nb


def _filled(node: NotebookNode, cell: ReleasedCell, piece: Piece | None) -> NotebookNode:
    if piece is not None and cell.role != "locked":
        node.source = (as_code(piece) if cell.kind == "code" else piece).source
        if cell.kind == "markdown" and piece.attachments:
            node["attachments"] = nbformat.from_dict(piece.attachments)
    if cell.kind == "code":
        node.outputs, node.execution_count = [], None
    return node


def _extras(pieces: list[Piece], found: Match, skeleton: Skeleton) -> dict[int, list[Piece]]:
    """Index of a released cell, or -1 for the beginning -> the student's own cells behind it."""
    released = {at: index for index, at in found.of.items()}
    said = {normal(cell.source) for cell in skeleton.cells if cell.role != "free"}
    result: dict[int, list[Piece]] = {}
    anchor = -1
    for at, piece in enumerate(pieces):
        if at in released:
            anchor = released[at]
        elif at not in found.dropped and normal(piece.source) not in said and piece.source.strip():
            result.setdefault(anchor, []).append(piece)
    return result


def _extra(piece: Piece) -> NotebookNode:
    make = {
        "code": nbformat.v4.new_code_cell,
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
    }
    node = make[piece.kind](piece.source)
    node.pop("id", None)  # random; a number is given later
    if piece.tags:
        node.metadata["tags"] = list(dict.fromkeys(piece.tags))
    if piece.kind == "markdown" and piece.attachments:
        node["attachments"] = nbformat.from_dict(piece.attachments)
    return node
