"""Damaged and odd submissions: each kind is a small file in kinds/ that says what it is and what
grading must give.

    # what: the marks of every cell are gone
    # gets: everything
    # says: found by what it defines

    def change(draft):
        ...

`gets` is `everything`, `nothing`, `first` for the points of the first task only, or `all but
first`. `says` is a part of what student and instructor must read, left out where nothing has to be
said; `look: yes` where a person must be asked to look. `change` gets a Draft of a right submission
and changes its cells, or returns what is handed in instead of it: bytes, or a dict that becomes
JSON. Nothing here depends on the assignment, so that a tiny one and a real one can be used.
"""

import copy
import json
import re
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

KINDS = Path(__file__).with_name("kinds")
HEADER = re.compile(r"# (what|gets|says|look): (.+)")


class Draft:
    """A right submission as JSON, before something happens to it."""

    def __init__(self, right: NotebookNode, released: NotebookNode):
        self.nb = json.loads(json.dumps(right))
        self.released = json.loads(json.dumps(released))

    @property
    def cells(self) -> list[dict]:
        return self.nb["cells"]

    @cells.setter
    def cells(self, cells: list[dict]) -> None:
        self.nb["cells"] = cells

    @property
    def solutions(self) -> list[dict]:
        """The solution cells that a test cell with points follows, by task."""
        tested = {marks(cell).get("grade_id", "").removesuffix("_test") for cell in self.tests}
        return [
            cell
            for cell in self.cells
            if marks(cell).get("solution") and marks(cell)["grade_id"] in tested
        ]

    @property
    def tests(self) -> list[dict]:
        return [cell for cell in self.cells if marks(cell).get("grade")]

    def test_of(self, solution: dict) -> dict:
        return next(
            cell
            for cell in self.tests
            if marks(cell)["grade_id"] == marks(solution)["grade_id"] + "_test"
        )

    def stub_of(self, solution: dict) -> str:
        """What was released in the place of an answer."""
        return next(
            cell["source"] for cell in self.released["cells"] if cell["id"] == solution["id"]
        )

    def at(self, cell: dict) -> int:
        return next(index for index, one in enumerate(self.cells) if one is cell)

    def insert_after(self, cell: dict, new: dict) -> None:
        self.cells.insert(self.at(cell) + 1, new)

    def insert_before(self, cell: dict, new: dict) -> None:
        self.cells.insert(self.at(cell), new)

    def delete(self, cell: dict) -> None:
        del self.cells[self.at(cell)]


def marks(cell: dict) -> dict:
    """A cell's nbgrader metadata, empty where there are none or something else."""
    found = cell["metadata"].get("nbgrader", {})
    return found if isinstance(found, dict) else {}


def code(source: str, **metadata) -> dict:
    """A cell of the student's own."""
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": source,
        "outputs": [],
        "execution_count": None,
        "id": f"own-{abs(hash(source)) % 10**8}",
    }


def a_copy(cell: dict, **changes) -> dict:
    """A cell pasted again: Jupyter keeps its metadata and gives it a new id."""
    return copy.deepcopy(cell) | {"id": cell["id"] + "-copy"} | changes


@dataclass(frozen=True)
class Kind:
    """One kind of submission and what it must get."""

    name: str
    what: str
    gets: str
    says: str | None
    look: bool
    change: Callable[[Draft], bytes | dict | None]

    def handed_in(self, right: NotebookNode, released: NotebookNode) -> bytes:
        """The file's bytes."""
        draft = Draft(right, released)
        result = self.change(draft)
        if isinstance(result, bytes):
            return result
        return json.dumps(
            draft.nb if result is None else result, indent=1, ensure_ascii=False
        ).encode()

    def scores(self, draft: Draft) -> dict[str, float]:
        """Graded cell -> points that it must get."""
        first = draft.test_of(draft.solutions[0])
        kept = {
            "everything": lambda cell: True,
            "nothing": lambda cell: False,
            "first": lambda cell: cell is first,
            "all but first": lambda cell: cell is not first,
        }[self.gets]
        return {
            marks(cell)["grade_id"]: float(marks(cell)["points"]) if kept(cell) else 0.0
            for cell in draft.tests
        }


def load_kinds() -> list[Kind]:
    """All kinds, sorted by name. Raises ValueError, with the file, for a header that is not
    complete."""
    return [_load(path) for path in sorted(KINDS.glob("*.py"))]


def _load(path: Path) -> Kind:
    lines = path.read_text(encoding="utf-8").split("\n")
    header = dict(match.groups() for line in lines if (match := HEADER.fullmatch(line.rstrip())))
    if "what" not in header or header.get("gets") not in (
        "everything",
        "nothing",
        "first",
        "all but first",
    ):
        raise ValueError(
            f"{path} must begin with `# what: ...` and `# gets: everything`, `nothing`, `first` or `all but first`."
        )
    change = runpy.run_path(str(path))["change"]
    return Kind(
        path.stem,
        header["what"],
        header["gets"],
        header.get("says"),
        header.get("look") == "yes",
        change,
    )
