"""Telling a student's change of a cell from an instructor's: whether a cell stands as nbgrader
released it once, though not as the notebook is released today."""

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from nbseal.intake.repair.skeleton import MARKS, ReleasedCell, Skeleton

# the marks that nbgrader's checksum does not cover, so that it vouches for none of them
UNCOVERED = ("task", "schema_version")


def is_of_another_release(cell: NotebookNode, released: ReleasedCell | None) -> bool:
    """Whether what differs in a cell's marks is the instructor's doing.

    nbgrader's checksum, which it wrote at the release, covers source, name, kind and points: who
    changes one of them leaves a checksum that does not fit. released: the cell of this name today.
    """
    marks = cell.metadata.get("nbgrader")
    if not isinstance(marks, dict):
        return False
    if released is not None and released.is_marked_as_released(marks):
        return False
    mine = released.node.metadata["nbgrader"] if released is not None else {}
    if any(marks.get(key) != mine.get(key, marks.get(key)) for key in UNCOVERED):
        return False
    sources = [cell.source] + ([released.source] if released is not None else [])
    if any(_fits(cell, source) for source in sources):
        return True
    # students write into a solution cell, so that its checksum tells nothing
    return released is not None and released.role == "solution" and _only_points(marks, released)


def another_release(nb: NotebookNode, skeleton: Skeleton) -> bool:
    """Whether a notebook was handed out before the assignment was changed."""
    return any(
        is_of_another_release(cell, skeleton.marked(cell))
        for cell in nb.cells
        if isinstance(cell.metadata.get("nbgrader"), dict)
    )


def _fits(cell: NotebookNode, source: str) -> bool:
    try:
        as_released = NotebookNode(cell, source=source)
        return cell.metadata.nbgrader.get("checksum") == compute_checksum(as_released)
    except (ValueError, TypeError, KeyError, AttributeError):  # marks of no use
        return False


def _only_points(marks: dict, released: ReleasedCell) -> bool:
    mine = released.node.metadata["nbgrader"]
    others = [key for key in MARKS if key != "points"]
    return isinstance(marks.get("points"), (int, float)) and all(
        marks.get(key) == mine.get(key) for key in others
    )
