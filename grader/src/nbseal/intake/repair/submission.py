"""What grading gets for a file that was handed in: the notebook itself if nothing is wrong with it,
else a rebuilt one.

What was done is written into the notebook twice: as a first cell that its student reads in the
feedback, and as a record in the metadata for whoever writes the scores. No submission can bring a
record of its own.
"""

import re
from itertools import count
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4.rwbase import rejoin_lines
from nbgrader.coursedir import CourseDirectory

from nbseal.intake.damage import Damaged
from nbseal.intake.repair import reading
from nbseal.intake.repair.rebuilding import rebuilt
from nbseal.intake.repair.releases import another_release, is_of_another_release
from nbseal.intake.repair.skeleton import Skeleton, skeleton_of
from nbseal.notebook.notes import RECORD, _without_record

NOTE_ID = "what-was-repaired"
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# what nbformat raises
DAMAGED = (nbformat.ValidationError, ValueError, TypeError, AttributeError, KeyError)
# What nbformat 4.5 has; other programs add attributes of their own.
NOTEBOOK_KEYS = {"cells", "metadata", "nbformat", "nbformat_minor"}
CELL_KEYS = {"id", "cell_type", "metadata", "source"}
MORE_KEYS = {
    "code": {"outputs", "execution_count"},
    "markdown": {"attachments"},
    "raw": {"attachments"},
}


def repaired(
    path: Path, inside: Path, coursedir: CourseDirectory, assignment: str, notebook: str
) -> NotebookNode:
    """A submitted notebook, ready to be graded. Raises Damaged where there is nothing to grade."""
    handed = reading.read(path, inside)
    skeleton = skeleton_of(coursedir, assignment, notebook)
    if skeleton is None:
        if handed.data is None:
            raise Damaged(
                "The file is damaged, and the course keeps no released notebook to rebuild it on."
            )
        return _without_record(as_notebook(handed.data))
    return repaired_on(skeleton, handed)


def repaired_on(skeleton: Skeleton, handed: reading.Handed) -> NotebookNode:
    """What was read, on the released notebook; unchanged if every cell is where it was released and
    as it was marked."""
    as_it_is = None if handed.data is None else _read(handed.data)
    result = rebuilt(handed.pieces, skeleton, _is_of_another_release(as_it_is, skeleton))
    notes = [*handed.notes, *result.notes]
    if as_it_is is not None and not notes:
        problem = _problem_with_marks(as_it_is, skeleton)
        if problem is None and isinstance(as_it_is, NotebookNode):
            return _without_record(as_it_is)
        notes.append(str(problem))
    nb = result.make()
    nb.cells.insert(0, nbformat.v4.new_markdown_cell(_told(notes), id=NOTE_ID))
    nb.metadata[RECORD] = {
        "notes": notes,
        "doubts": [*handed.doubts, *result.doubts],
        "unreadable": None,
    }
    return nb


def unreadable(skeleton: Skeleton, reason: str) -> NotebookNode:
    """What is graded in the place of a file that is no notebook: the released one, which says so
    and gets 0 points."""
    nb = rebuilt([], skeleton).make()
    nb.cells.insert(
        0,
        nbformat.v4.new_markdown_cell(
            f"**Nothing of this submission could be graded.** {reason}", id=NOTE_ID
        ),
    )
    nb.metadata[RECORD] = {"notes": [], "doubts": [], "unreadable": reason}
    return nb


def as_notebook(data: dict) -> NotebookNode:
    """Parsed JSON of format 4 as a notebook with usable ids. Raises ValueError for any other
    format."""
    if data.get("nbformat") != 4:
        raise ValueError(f"it says that its format is {str(data.get('nbformat'))[:20]}")
    nb = rejoin_lines(nbformat.from_dict(data))
    # Colab writes 4.0, with the ids of 4.5
    if nb.nbformat_minor >= 5 or any("id" in cell for cell in nb.cells):
        nb.nbformat_minor = max(nb.nbformat_minor, 5)
        _give_ids(nb)
    _keep(nb, NOTEBOOK_KEYS)
    for cell in nb.cells:
        _keep(cell, CELL_KEYS | MORE_KEYS.get(cell.get("cell_type"), set()))
    return nb


def _keep(node: NotebookNode, keys: set[str]) -> None:
    for extra in node.keys() - keys:
        del node[extra]


def _give_ids(nb: NotebookNode) -> None:
    """New ids for cells that have none, one of another cell, or one that the format does not
    allow."""
    used: set[str] = set()
    for number, cell in enumerate(nb.cells):
        wanted = cell.get("id")
        if not isinstance(wanted, str) or not ID.fullmatch(wanted) or wanted in used:
            wanted = cell["id"] = next(
                name for more in count() if (name := f"cell-{number}-{more}") not in used
            )
        used.add(wanted)


def _told(notes: list[str]) -> str:
    lines = "\n".join(f"- {note}" for note in notes)
    return (
        "**Before grading, what you handed in was put back into the form of the released "
        f"notebook.**\n\n{lines}"
    )


def _read(data: dict) -> NotebookNode | Exception:
    """A notebook, or what kept it from being one."""
    try:
        return as_notebook(data)
    except DAMAGED as error:
        return error


def _is_of_another_release(nb: NotebookNode | Exception | None, skeleton: Skeleton) -> bool:
    try:
        return isinstance(nb, NotebookNode) and another_release(nb, skeleton)
    except DAMAGED:  # which is said elsewhere
        return False


def _problem_with_marks(nb: NotebookNode | Exception, skeleton: Skeleton) -> str | None:
    """What keeps nbgrader from reading a notebook in which every cell was found; None if nothing
    does."""
    try:
        if isinstance(nb, Exception):
            raise nb
        nbformat.validate(nb, relax_add_props=True)
    except DAMAGED as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        return f"The file was not a valid notebook of format 4: {said[:200].rstrip('.')}."
    changed = []
    for cell in nb.cells:
        marks = cell.metadata.get("nbgrader")
        known = skeleton.marked(cell)
        if is_of_another_release(cell, known):
            continue
        if known is not None and not known.is_marked_as_released(marks):
            changed.append(known.name)
        elif marks and known is None:
            changed.append("a cell of your own")
    marked = [
        cell.metadata["nbgrader"].get("grade_id")
        for cell in nb.cells
        if isinstance(cell.metadata.get("nbgrader"), dict)
    ]
    missing = [name for name in skeleton.by_name if name not in marked]
    if missing and another_release(nb, skeleton):
        named = ", ".join(map(str, missing[:3])) + (" and others" if len(missing) > 3 else "")
        return f"The assignment was changed after this notebook was handed out: {named} came new."
    changed += missing
    if changed:
        return (
            f"nbgrader's marks on {len(changed)} cells were missing or had been changed: "
            f"{', '.join(map(str, changed[:3]))}."
        )
    return None
