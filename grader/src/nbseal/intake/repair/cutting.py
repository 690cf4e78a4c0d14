"""Undoing what editors do to cells: parts of a split cell are joined, merged cells are cut apart
again."""

import re
from collections.abc import Iterator

from nbseal.cells.python import LONGEST, TOP_LEVEL, bound, runs, tree
from nbseal.intake.repair.likeness import normal
from nbseal.intake.repair.pieces import Piece
from nbseal.intake.repair.skeleton import ReleasedCell, Skeleton

MOST_PARTS = 20
# characters that are read in search of parts that belong together: each attempt reads all of them
MOST_TRIED = 1_000_000
SHORTEST = 20  # characters of a released cell that is recognised inside another
FENCE = re.compile(r"\A\s*```[^\n]*\n(.*?)\n```\s*\Z", re.S)
INDENTED = re.compile(r"\A\s*+(?<=[ \t])\S")  # with one way to match: linear


def cut_and_joined(pieces: list[Piece], skeleton: Skeleton) -> tuple[list[Piece], list[str]]:
    """The pieces, one for each cell that was released as far as that can be told, and what was
    done."""
    pieces, joined = _joined(pieces, skeleton)
    pieces, freed = _without_locked_text(pieces, skeleton)
    pieces, parted = _parted(pieces, skeleton)
    notes = []
    if joined:
        notes.append(
            f"{joined} {_cells(joined)} had been split; the parts were put together again."
        )
    if freed or parted:
        count = freed + parted
        notes.append(
            f"{count} {_cells(count)} had been merged with others; they were cut apart again."
        )
    return pieces, notes


def _cells(count: int) -> str:
    return "cell" if count == 1 else "cells"


def _joined(pieces: list[Piece], skeleton: Skeleton) -> tuple[list[Piece], int]:
    """Parts of a statement that stand in cells of their own, put together where only together they
    are Python."""
    result, joined, at, left = [], 0, 0, MOST_TRIED
    while at < len(pieces):
        piece, parts = pieces[at], 1
        if _is_students(piece, skeleton):
            parts, tried = _parts_of_one(pieces, at, skeleton, left)
            left -= tried
        if parts > 1:
            joined += 1
            together = pieces[at : at + parts]
            claims = next((part.grade_id for part in together if part.grade_id), None)
            piece = piece.but(source="\n".join(part.source for part in together), grade_id=claims)
        result.append(piece)
        at += parts
    return result, joined


def _parts_of_one(pieces: list[Piece], at: int, skeleton: Skeleton, most: int) -> tuple[int, int]:
    """How many pieces from `at` on make up one cell: as many as are Python only together with those
    above. And how many characters were read to find out, about `most` at most."""
    found, tried, text = 1, 0, pieces[at].source
    for number, part in enumerate(pieces[at + 1 : at + MOST_PARTS], start=2):
        if not _is_students(part, skeleton) or (
            not INDENTED.match(part.source) and runs(part.source) and runs(text)
        ):
            break
        text += "\n" + part.source
        tried += len(text)
        if len(text) > LONGEST or tried > most:
            break
        if tree(text) is not None:
            found = number
    return found, tried


def _is_students(piece: Piece, skeleton: Skeleton) -> bool:
    known = skeleton.by_name.get(piece.grade_id)
    return (
        piece.kind == "code"
        and bool(piece.source.strip())
        and (known is None or known.role == "solution")
    )


def _without_locked_text(pieces: list[Piece], skeleton: Skeleton) -> tuple[list[Piece], int]:
    """Take released text of locked cells out of pieces that hold more than it."""
    locked = [
        (cell, text)
        for cell in skeleton.cells
        if cell.role == "locked" and len(text := cell.source.strip()) >= SHORTEST
    ]
    result, cut = [], 0
    for piece in pieces:
        inside = [cell for cell, text in locked if text in piece.source]
        rest = piece.source
        for cell in inside:
            rest = rest.replace(cell.source.strip(), "\n")
        if not inside or not rest.strip() or _is_much_longer(piece, inside, skeleton):
            result.append(piece)
            continue
        cut += 1
        mine = skeleton.by_name.get(piece.grade_id)
        # a merged cell keeps the marks of its first part
        if mine is not None and mine.role == "locked":
            piece = piece.but(grade_id=None, ids=frozenset())
        kind = "code" if piece.kind != "code" and skeleton.owners(_unfenced(rest)) else piece.kind
        result.append(piece.but(source=rest.strip("\n"), kind=kind))
    return result, cut


def _is_much_longer(piece: Piece, inside: list[ReleasedCell], skeleton: Skeleton) -> bool:
    """Whether a piece is itself a released cell that happens to contain the text of another."""
    return any(
        normal(cell.source) == normal(piece.source) for cell in skeleton.cells if cell not in inside
    )


def _unfenced(source: str) -> str:
    found = FENCE.match(source)
    return found.group(1) if found else source


def as_code(piece: Piece) -> Piece:
    """A piece whose text is code, whatever its type."""
    return piece if piece.kind == "code" else piece.but(kind="code", source=_unfenced(piece.source))


def _parted(pieces: list[Piece], skeleton: Skeleton) -> tuple[list[Piece], int]:
    """Cut pieces that hold the answers of several solution cells, where those are not answered in
    cells of their own."""
    answered = {
        piece.grade_id
        for piece in pieces
        if piece.grade_id in skeleton.by_name
        and not skeleton.by_name[piece.grade_id].is_untouched(piece.source)
    }
    result, parted = [], 0
    for piece in pieces:
        owners = skeleton.owners(piece.source) if piece.kind == "code" else []
        mine = next(
            (cell for cell in owners if cell.name == piece.grade_id), owners[0] if owners else None
        )
        others = [cell for cell in owners if cell is not mine and cell.name not in answered]
        parts = _cut_before(piece, mine, others, skeleton) if mine is not None and others else []
        if not 0 < len(parts) <= MOST_PARTS * (1 + len(others)):
            result.append(piece)
            continue
        parted += len(others)
        result += parts
    return result, parted


def _cut_before(
    piece: Piece, mine: ReleasedCell, others: list[ReleasedCell], skeleton: Skeleton
) -> list[Piece]:
    """The parts of a piece, each beginning where the names of another cell do."""
    lines = piece.source.split("\n")
    parts, current = [(mine, 0)], mine
    for line, names in _definitions(piece.source):
        owners = [skeleton.owner[name] for name in names if name in skeleton.owner]
        cell = next((cell for cell in owners if cell is mine or cell in others), None)
        if cell is None or cell is current:
            continue
        if not any(begun is not mine or at > 0 for begun, at in parts) and mine not in _before(
            piece.source, line, skeleton
        ):
            parts = [(cell, 0)]  # nothing of the first part's own stands above
        else:
            parts.append((cell, line))
        current = cell
    ends = [line for _, line in parts[1:]] + [len(lines)]
    result = []
    for (cell, begin), end in zip(parts, ends):
        whose = piece.grade_id if cell is mine else cell.name
        result.append(
            piece.but(
                source="\n".join(lines[begin:end]).strip("\n"),
                grade_id=whose,
                ids=piece.ids if cell is mine else frozenset(),
            )
        )
    return result


def _before(source: str, line: int, skeleton: Skeleton) -> list[ReleasedCell]:
    return skeleton.owners("\n".join(source.split("\n")[:line]))


def _definitions(source: str) -> list[tuple[int, set[str]]]:
    """The lines, from 0, at which names are bound at the top level, each with the comments and
    decorators above it."""
    lines, parsed = source.split("\n"), tree(source)
    if parsed is None:
        found = list(_by_pattern(source))
    else:
        found = [
            (
                min(
                    [
                        statement.lineno,
                        *(one.lineno for one in getattr(statement, "decorator_list", [])),
                    ]
                )
                - 1,
                bound(statement),
            )
            for statement in parsed.body
        ]
    result, begins = [], _with_comments(lines)
    for line, names in found:
        if names:
            # Python also ends lines where no "\\n" stands
            result.append((begins[min(line, len(lines) - 1)], names))
    return result


def _by_pattern(source: str) -> Iterator[tuple[int, set[str]]]:
    """As `_definitions`, of a source that is no Python."""
    line, at = 0, 0
    for match in TOP_LEVEL.finditer(source):
        line += source.count("\n", at, match.start())
        at = match.start()
        yield line, {match.group(1) or match.group(2)}


def _with_comments(lines: list[str]) -> list[int]:
    """For each line, the first of the comments and decorators right above it."""
    begins: list[int] = []
    for number in range(len(lines)):
        follows = number > 0 and lines[number - 1].startswith(("#", "@"))
        begins.append(begins[-1] if follows else number)
    return begins
