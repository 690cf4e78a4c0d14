"""What a submission is made of before anyone knows which cell is which."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain


@dataclass
class Piece:
    """A cell as it was handed in: what the student wrote, and what the cell claims to be."""

    kind: str  # code, markdown or raw
    source: str
    grade_id: str | None = None  # its name in nbgrader, as claimed
    # its id in Jupyter, and the one that Colab keeps in the metadata
    ids: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    attachments: dict = field(default_factory=dict)  # pictures of a markdown cell

    def but(self, **changes) -> "Piece":
        """A copy with changes."""
        return Piece(**(vars(self) | changes))


def pieces_of(data: dict) -> list[Piece]:
    """The cells of a notebook of any version, as far as they are cells. `data` is parsed JSON of
    unknown quality."""
    return [piece for cell in _cells(data) if (piece := _piece(cell)) is not None]


def _cells(data: dict) -> Iterator:
    if isinstance(data.get("cells"), list):
        return iter(data["cells"])
    sheets = data.get("worksheets")  # formats 1 to 3
    lists = (
        [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        if isinstance(sheets, list)
        else []
    )
    return chain.from_iterable(cells for cells in lists if isinstance(cells, list))


def _piece(cell) -> Piece | None:
    if not isinstance(cell, dict):
        return None
    kind, source = cell.get("cell_type"), _text(cell.get("source", cell.get("input")))
    if kind == "heading":  # format 3
        level = cell.get("level")
        kind, source = (
            "markdown",
            "#" * (level if isinstance(level, int) and 0 < level < 7 else 1) + " " + source,
        )
    metadata = _dict(cell.get("metadata"))
    marks = _dict(metadata.get("nbgrader"))
    tags, attachments = metadata.get("tags"), _dict(cell.get("attachments"))
    return Piece(
        kind if kind in ("code", "markdown", "raw") else "raw" if source else "code",
        source,
        _name(marks.get("grade_id")),
        frozenset(filter(None, map(_name, (cell.get("id"), metadata.get("id"))))),
        tuple(filter(None, map(_name, tags))) if isinstance(tags, list) else (),
        {name: bundle for name, bundle in attachments.items() if isinstance(bundle, dict)},
    )


def _text(source) -> str:
    lines = source if isinstance(source, list) else [source]
    return (
        "".join(line for line in lines if isinstance(line, str))
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )


def _dict(value) -> dict:
    return value if isinstance(value, dict) else {}


def _name(value) -> str | None:
    return value if isinstance(value, str) and value else None
