"""Which released cell is each piece of a submission?

By what a cell claims to be first - its name in nbgrader, then its id - then by its text, and for
answers by the names they define. A claim is believed only as far as it does not hide an answer:
where a solution cell is untouched and its names are defined elsewhere, those are the answer.
"""

from dataclasses import dataclass, field

from nbseal.cells.python import defines
from nbseal.intake.repair.cutting import as_code
from nbseal.intake.repair.likeness import longest_compared, normal, similarity
from nbseal.intake.repair.pieces import Piece
from nbseal.intake.repair.skeleton import ReleasedCell, Skeleton

ALIKE = 0.8  # a locked or free cell that was edited is still recognised
RELATED = 0.5  # an answer that defines nothing by which to know it


@dataclass
class Match:
    """Released cell -> position of the piece that is it; and pieces that say nothing new."""

    # index of a released cell -> index of its piece
    of: dict[int, int] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    # solution cells whose answer was found by what it says
    by_text: list[str | None] = field(default_factory=list)
    duplicates: int = 0
    doubts: list[str] = field(default_factory=list)

    @property
    def taken(self) -> set[int]:
        return set(self.of.values()) | self.dropped


def match(pieces: list[Piece], skeleton: Skeleton) -> Match:
    """Find each released cell among the pieces. May change a piece's type where it is an answer of
    another type."""
    found = Match()
    claims = _claims(pieces, skeleton)
    for cell in skeleton.cells:
        if cell.role != "solution":
            _take_claimed(cell, claims.get(cell.index, []), pieces, found, skeleton)
    for cell in skeleton.cells:
        if cell.role != "solution" and cell.index not in found.of:
            _take_alike(cell, pieces, found, skeleton)
    answered = _answered(pieces, skeleton)
    for cell in skeleton.solutions:
        _take_answer(cell, claims.get(cell.index, []), pieces, answered, found, skeleton)
    for cell in skeleton.solutions:
        if _is_open(cell, pieces, found):
            _take_by_names(cell, pieces, found, skeleton)
    for cell in skeleton.solutions:
        if cell.index not in found.of:
            _take_from_gap(cell, pieces, found, skeleton)
    return found


def _claims(pieces: list[Piece], skeleton: Skeleton) -> dict[int, list[int]]:
    """Released cell -> the pieces that claim to be it; a name counts more than an id."""
    by_name: dict[int, list[int]] = {}
    by_id: dict[int, list[int]] = {}
    for at, piece in enumerate(pieces):
        if piece.grade_id in skeleton.by_name:
            by_name.setdefault(skeleton.by_name[piece.grade_id].index, []).append(at)
        else:
            for cell in {skeleton.by_id[one].index for one in piece.ids if one in skeleton.by_id}:
                by_id.setdefault(cell, []).append(at)
    return by_id | by_name


def _take_claimed(
    cell: ReleasedCell, claimants: list[int], pieces: list[Piece], found: Match, skeleton: Skeleton
) -> None:
    """A locked cell's content is restored anyway, so the first claimant is it; copies of it are
    dropped."""
    # What an answer was written into is left for the answer.
    taken = found.taken
    claimants = [
        at
        for at in claimants
        if at not in taken
        and not (
            skeleton.owners(pieces[at].source)
            and not cell.is_untouched(pieces[at].source)
            and cell.role == "locked"
        )
    ]
    for number, at in enumerate(claimants):
        if number == 0:
            found.of[cell.index] = at
        elif _alike(cell, at, pieces, ALIKE) >= ALIKE:
            found.dropped.add(at)
            found.duplicates += 1


def _take_alike(cell: ReleasedCell, pieces: list[Piece], found: Match, skeleton: Skeleton) -> None:
    """The piece that says what the cell says, or nearly."""
    taken = found.taken
    open_pieces = [
        at
        for at, piece in enumerate(pieces)
        if at not in taken and piece.source.strip() and piece.grade_id not in skeleton.by_name
    ]
    same = [at for at in open_pieces if normal(pieces[at].source) == normal(cell.source)]
    if not same:
        near = [
            (_alike(cell, at, pieces, ALIKE), -at)
            for at in open_pieces
            if not skeleton.owners(pieces[at].source)
        ]
        same = [-at for score, at in sorted(near, reverse=True)[:1] if score >= ALIKE]
    if same:
        found.of[cell.index] = same[0]
        # other released cells may say the same, such as two that only draw
        alike = sum(
            normal(other.source) == normal(cell.source)
            for other in skeleton.cells
            if other.role != "solution" and other.index not in found.of
        )
        extra = same[1 + alike :]
        found.dropped.update(extra)
        found.duplicates += len(extra)


def _alike(cell: ReleasedCell, at: int, pieces: list[Piece], at_least: float = 0.0) -> float:
    """How much a piece resembles a released cell."""
    longest = longest_compared(len(pieces))
    return similarity(pieces[at].source, cell.source, at_least, longest)


def _take_answer(
    cell: ReleasedCell,
    claimants: list[int],
    pieces: list[Piece],
    answered: set[str | None],
    found: Match,
    skeleton: Skeleton,
) -> None:
    """The piece that claims to be a solution cell; of several, the answer that its tests came
    after.

    A piece that holds another cell's answer instead is left for that, unless the other has an
    answer of its own.
    """
    taken = found.taken
    claimants = [
        at
        for at in claimants
        if at not in taken and not _answers_another(cell, pieces[at], answered, skeleton)
    ]
    if not claimants:
        return
    written = [at for at in claimants if not cell.is_untouched(pieces[at].source)]
    best = _best(cell, written, pieces, found, skeleton) if written else claimants[0]
    found.of[cell.index] = best
    if len(claimants) > 1:
        untouched = set(claimants) - set(written) - {best}
        again = {
            at
            for at in written
            if at != best and normal(pieces[at].source) == normal(pieces[best].source)
        }
        found.dropped |= untouched | again
        found.duplicates += len(claimants) - 1
        differing = [
            at
            for at in written
            if at != best and at not in again and _names(cell, pieces[at], skeleton)
        ]
        if differing and _names(cell, pieces[best], skeleton):
            found.doubts.append(
                f"There are {len(differing) + 1} different answers in cells called {cell.name}: "
                "the last before its tests was graded."
            )


def _answered(pieces: list[Piece], skeleton: Skeleton) -> set[str | None]:
    """The solution cells that a piece of their name answers."""
    return {
        piece.grade_id
        for piece in pieces
        if piece.grade_id in skeleton.by_name
        and _names(skeleton.by_name[piece.grade_id], piece, skeleton)
        and not skeleton.by_name[piece.grade_id].is_untouched(piece.source)
    }


def _answers_another(
    cell: ReleasedCell, piece: Piece, answered: set[str | None], skeleton: Skeleton
) -> bool:
    owners = skeleton.owners(piece.source)
    return (
        bool(owners) and cell not in owners and not any(owner.name in answered for owner in owners)
    )


def _names(cell: ReleasedCell, piece: Piece, skeleton: Skeleton) -> int:
    """How many of a solution cell's names a piece defines."""
    return len(skeleton.names_of(cell) & defines(as_code(piece).source))


def _best(
    cell: ReleasedCell, candidates: list[int], pieces: list[Piece], found: Match, skeleton: Skeleton
) -> int:
    """Of several answers the one with most of the names; then the last before the tests, else the
    first after them."""
    tests = _position_of_tests(cell, found, skeleton)
    return max(
        candidates,
        key=lambda at: (_names(cell, pieces[at], skeleton), at < tests, at if at < tests else -at),
    )


def _position_of_tests(cell: ReleasedCell, found: Match, skeleton: Skeleton) -> float:
    for after in skeleton.cells[cell.index + 1 :]:
        if after.role == "solution":
            break
        if after.node.metadata.get("nbgrader", {}).get("grade") and after.index in found.of:
            return found.of[after.index]
    return float("inf")


def _is_open(cell: ReleasedCell, pieces: list[Piece], found: Match) -> bool:
    return cell.index not in found.of or cell.is_untouched(pieces[found.of[cell.index]].source)


def _take_by_names(
    cell: ReleasedCell, pieces: list[Piece], found: Match, skeleton: Skeleton
) -> None:
    """The piece that defines what an unanswered cell should, else one whose text resembles it."""
    taken = found.taken
    others = [
        at
        for at, piece in enumerate(pieces)
        if at not in taken and not cell.is_untouched(piece.source)
    ]
    candidates = (
        [at for at in others if _names(cell, pieces[at], skeleton)] if cell.kind == "code" else []
    )
    if not candidates:
        if cell.index in found.of:
            return
        untouched = [
            at
            for at, piece in enumerate(pieces)
            if at not in taken and piece.source.strip() and cell.is_untouched(piece.source)
        ]
        candidates = untouched or [
            at for at in others if _alike(cell, at, pieces, RELATED) >= RELATED
        ]
        candidates = sorted(candidates, key=lambda at: -_alike(cell, at, pieces))[:1]
    if not candidates:
        return
    best = _best(cell, candidates, pieces, found, skeleton)
    if cell.index in found.of:
        found.dropped.add(found.of[cell.index])
    if cell.kind == "code":
        pieces[best] = as_code(pieces[best])
    found.of[cell.index] = best
    found.by_text.append(cell.name)


def _take_from_gap(
    cell: ReleasedCell, pieces: list[Piece], found: Match, skeleton: Skeleton
) -> None:
    """The one piece of the right type that stands where the cell should stand."""
    before = [found.of[index] for index in range(cell.index) if index in found.of]
    after = [
        found.of[index] for index in range(cell.index + 1, len(skeleton.cells)) if index in found.of
    ]
    if not before or not after:
        return
    taken = found.taken
    gap = [
        at
        for at in range(before[-1] + 1, after[0])
        if at not in taken and pieces[at].kind == cell.kind and pieces[at].source.strip()
    ]
    if len(gap) == 1:
        found.of[cell.index] = gap[0]
        found.by_text.append(cell.name)
        found.doubts.append(
            f"The answer to {cell.name} was found only by its place in the notebook."
        )
