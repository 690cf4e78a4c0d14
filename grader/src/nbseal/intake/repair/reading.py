"""The cells in a file that was handed in as a notebook, whatever it is.

Each step is tried only where the one before found nothing. What had to be done is said in a note
for the student; where something may have been lost, the note is a doubt as well, and a person is
asked to look.
"""

import ast
import io
import json
import re
import zipfile
from dataclasses import dataclass
from json.decoder import WHITESPACE  # type: ignore[attr-defined]
from pathlib import Path

from nbseal.cells.python import tree
from nbseal.intake.damage import Damaged, check_file
from nbseal.intake.repair.pieces import Piece, pieces_of

MOST_VALUES = 20_000_000  # of JSON: each takes some 60 bytes of memory
# bytes of a file that is not valid JSON; outputs of a notebook are rarely larger
MOST_DAMAGED = 32 << 20
# characters of a notebook as Python prints it, whose tree takes some hundred times as much
MOST_PRINTED = 2 << 20
MOST_ATTEMPTS = 100  # to find the next whole cell: each may read the file to its end

# What people hand in by mistake, by how such files begin.
OTHER_FORMATS = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "a compressed archive",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"{\\rtf": "a text document",
    b"\xd0\xcf\x11\xe0": "an old Office document",
}
HOW_TO = "Download the notebook itself (File > Download > Download .ipynb) and hand that in."

SCRIPT_CELL = re.compile(r"^# (?:In\[[ \d]*\]:|%%.*|<(?:code|markdown)cell>)[ \t]*$", re.M)


@dataclass(frozen=True)
class Handed:
    """What was found in a file."""

    pieces: list[Piece]
    data: dict | None = None  # the notebook's JSON, where the file held it undamaged
    notes: tuple[str, ...] = ()  # what was done, for student and instructor
    doubts: tuple[str, ...] = ()  # why a person should look


def read(path: Path, inside: Path) -> Handed:
    """The cells in a submitted file. Raises Damaged, with a sentence for the student, where there
    are none."""
    check_file(path, inside)
    return parse(path.read_bytes())


def parse(content: bytes) -> Handed:
    """As `read`, of a file's bytes."""
    if not content.strip(b"\0 \t\r\n"):
        raise Damaged(f"The file is empty. {HOW_TO}")
    if content.startswith(b"PK\x03\x04"):
        return _in_a_zip(content)
    for begin, what in OTHER_FORMATS.items():
        if content.startswith(begin):
            raise Damaged(f"The file is not a notebook: it is {what}. {HOW_TO}")
    if sum(content.count(mark) for mark in b",[{") > MOST_VALUES:
        raise Damaged(
            "The file is too large to be read. Clear the notebook's outputs and hand it in again."
        )
    text, notes = _decoded(content)
    try:
        return _parsed(text, notes)
    except (RecursionError, MemoryError):
        raise Damaged("The file is not a notebook: it is nested too deeply to be read.") from None


def _decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if content.startswith(mark):
            text = content[len(mark) :].decode(encoding, errors="replace")
            return text, ("The file began with a byte order mark, which notebooks do not have.",)
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        if b"\0" in content:
            raise Damaged(f"The file is not a notebook: it is not even text. {HOW_TO}") from None
        return content.decode("cp1252", errors="replace"), (
            "The file was not saved as UTF-8; it was read as Windows text.",
        )


def _parsed(text: str, notes: tuple[str, ...]) -> Handed:
    data, how = _json(text)
    if how:
        notes = (*notes, how)
    # a notebook that was saved as one JSON string
    if isinstance(data, str) and data.lstrip().startswith("{"):
        data, notes = _json(data)[0], (*notes, "The notebook was stored as a text inside the file.")
    if data is None:
        return _salvaged(text, notes) or _script(text, notes)
    if not isinstance(data, dict) or not isinstance(
        data.get("cells", data.get("worksheets")), list
    ):
        raise Damaged(f"The file is not a notebook: it is JSON, but holds no cells. {HOW_TO}")
    pieces = pieces_of(data)
    if not any(piece.source.strip() for piece in pieces):
        # nothing to read in it, and yet a notebook: to nbgrader an answer that earns 0 points, and
        # no failure
        empty = "The notebook holds no cells with text in them."
        return Handed([], None if notes else data, (*notes, empty), (empty,))
    return Handed(pieces, None if notes else data, notes)


def _json(text: str) -> tuple[object, str | None]:
    """The first JSON value of a text and what had to be done to find it; None where there is
    none."""
    try:
        return json.loads(text), None
    except ValueError:
        pass
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, WHITESPACE.match(text, 0).end())
        return (
            value,
            "The file was not valid JSON: something after the notebook, or a line break in a "
            "text, was ignored.",
        )
    except ValueError:
        pass
    if len(text) > MOST_DAMAGED:
        return None, None
    if "\n<<<<<<< " in text:
        try:
            return json.loads(
                _first_versions(text)
            ), "The file held a git merge conflict: its first version was taken."
        except ValueError:
            pass
    if len(text) <= MOST_PRINTED and text.lstrip().startswith("{'"):
        try:
            return ast.literal_eval(
                text.strip()
            ), "The file was written by Python's print instead of as JSON."
        except (ValueError, SyntaxError):
            pass
    return None, None


def _first_versions(text: str) -> str:
    """A text with git's conflicts settled: of each, what stands before the `=======`."""
    kept, inside = [], False  # inside: between the marks, in a version that is not kept
    for line in text.split("\n"):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            inside = False
        elif line.startswith(("||||||| ", "=======")):
            inside = True
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def _salvaged(text: str, notes: tuple[str, ...]) -> Handed | None:
    """The whole cells of a notebook that breaks off, or is damaged, in the middle."""
    begins = re.search(r'"cells"\s*:\s*\[', text)
    if begins is None or len(text) > MOST_DAMAGED:
        return None
    decoder, cells, at, attempts = json.JSONDecoder(strict=False), [], begins.end(), 0
    while attempts < MOST_ATTEMPTS:
        at = text.find("{", at)
        if at < 0:
            break
        try:
            cell, at = decoder.raw_decode(text, at)
        except ValueError:
            # This cell is damaged: go on at the next thing that looks like the beginning of one.
            attempts += 1
            following = re.compile(
                r'\{\s*"(?:attachments|cell_type|execution_count|id)"\s*:'
            ).search(text, at + 1)
            if following is None:
                break
            at = following.start()
            continue
        if "cell_type" in cell:
            cells.append(cell)
    pieces = pieces_of({"cells": cells})
    if not any(piece.source.strip() for piece in pieces):
        return None
    said = (
        f"The file was damaged or cut off: {len(cells)} of its cells could be read, the others "
        "are lost."
    )
    return Handed(pieces, None, (*notes, said), (said,))


def _script(text: str, notes: tuple[str, ...]) -> Handed:
    """The cells of a notebook that was exported as a Python script."""
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype html", "<html")):
        raise Damaged(f"The file is not a notebook: it is a web page. {HOW_TO}")
    if start.startswith(("{", "[")) or len(text) > MOST_DAMAGED:
        raise Damaged(
            "The file is not a notebook: it was cut off, or saved by something else than "
            f"Jupyter. {HOW_TO}"
        )
    code = re.sub(
        r"^get_ipython\(\)\.(?:system|run_line_magic)\(.*\)$",
        "",
        text.replace("\r\n", "\n"),
        flags=re.M,
    )
    parsed = tree(code)
    if parsed is None or not any(
        isinstance(one, (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.Import))
        for one in parsed.body
    ):
        raise Damaged(
            "The file is not a notebook: it was cut off, or saved by something else than "
            f"Jupyter. {HOW_TO}"
        )
    pieces = [Piece("code", part.strip("\n")) for part in SCRIPT_CELL.split(code) if part.strip()]
    said = "The file is a Python script, not a notebook: its code was taken as cells."
    return Handed(pieces, None, (*notes, said), (said,))


def _in_a_zip(content: bytes) -> Handed:
    """The only notebook in a zip archive that was handed in under a notebook's name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [
                member
                for member in archive.infolist()
                if member.filename.endswith(".ipynb") and "__MACOSX" not in member.filename
            ]
            if len(members) != 1 or members[0].file_size > 64 << 20:
                raise Damaged(
                    "The file is not a notebook: it is a zip archive, or an Office document. "
                    f"{HOW_TO}"
                )
            with archive.open(members[0]) as file:
                handed = parse(file.read(members[0].file_size + 1))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError):
        raise Damaged(
            f"The file is not a notebook: it is a damaged zip archive. {HOW_TO}"
        ) from None
    return Handed(
        handed.pieces,
        None,
        ("The notebook was handed in inside a zip archive.", *handed.notes),
        handed.doubts,
    )
