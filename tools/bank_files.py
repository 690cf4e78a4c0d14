'''How a file of the bank is written.

    """layer_norm, 2 points."""

    # %% right: population variance by hand
    def layer_norm(x, eps=1e-5):
        ...

    # %% wrong: divides by n - 1
    # told: You divided by D - 1
    def layer_norm(x, eps=1e-5):
        ...

A file is named after the solution cell that its solutions fill in. Each begins with a line that
says whether it is `right` or `wrong`, and what it does; a wrong one loses the points of the file's
task, and is called `sly` if it was written to get past the tests, so that no message has to name
it. Two lines may follow: `told`, a part of the message that the student must read (left out where
none is diagnosed), and `fails`, the tasks that lose their points where they are others. What comes
then is the full source of the cell.

Solutions that fill in several cells stand in `several.py`. There `## NAME` begins each cell, and
every wrong solution says what it `fails`.
'''

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from nbseal.errors import CourseError

SEVERAL = "several"  # the name of the file whose solutions fill in several cells
BEGINS = re.compile(r"#\s*%%")
ENTRY = re.compile(r"# %% (right|wrong|sly): (\S.*)")
FIELD = re.compile(r"# (fails|told): (\S.*)")
CELL = re.compile(r"## (\S+)")
TITLE = re.compile(r'""".+"""')
NAME_LENGTH = 40  # letters of what a solution does that its name takes
HOW_TO_BEGIN = "`# %% right: ...`, `# %% wrong: ...` or `# %% sly: ...` that says what it does"


class Line(NamedTuple):
    """A line of a file, and where it stands."""

    number: int
    text: str


@dataclass(frozen=True)
class Solution:
    """One solution as a file has it."""

    name: str
    line: int  # of the file, where it begins
    is_right: bool
    is_sly: bool  # wrong, and nobody's slip
    what: str  # one line that says what it does
    fails: Line | None  # the tasks that it names
    told: str | None
    cells: dict[str, str]  # solution cell -> its source


def refusal(path: Path, line: int, problem: str) -> CourseError:
    """What is wrong with a file, as one sentence that begins with the place."""
    return CourseError(f"{path}, line {line}: {problem}")


def read(path: Path, cells: Collection[str]) -> tuple[str, list[Solution]]:
    """The title and the solutions of a file. Raises CourseError for one that is not valid.

    cells: the names of all solution cells that the assignment has
    """
    if path.stem not in cells and path.stem != SEVERAL:
        raise refusal(
            path,
            1,
            "the file must be named after the solution cell that it fills in, or "
            f"`{SEVERAL}.py`; there are: {', '.join(cells)}.",
        )
    lines = [Line(number, text) for number, text in enumerate(_text(path).split("\n"), start=1)]
    title, *body = lines
    if not TITLE.fullmatch(title.text.rstrip()):
        raise refusal(
            path, 1, f'the first line must be a title like `"""{path.stem}, 2 points."""`.'
        )
    starts = [place for place, line in enumerate(body) if BEGINS.match(line.text)]
    for line in body[: starts[0] if starts else None]:
        if line.text.strip():
            raise refusal(
                path,
                line.number,
                f"{line.text.strip()!r} stands before the first solution; begin one with "
                f"{HOW_TO_BEGIN}.",
            )
    if not starts:
        raise refusal(path, len(lines), f"there is no solution; begin one with {HOW_TO_BEGIN}.")
    solutions = [
        _solution(path, body[start:end], cells) for start, end in pairwise([*starts, len(body)])
    ]
    _check_names(path, solutions)
    return title.text.rstrip(), solutions


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise refusal(path, line, "it is not UTF-8 text; save the file as UTF-8.") from None


def _check_names(path: Path, solutions: list[Solution]) -> None:
    named: dict[str, Solution] = {}
    for solution in solutions:
        other = named.setdefault(solution.name, solution)
        if other is not solution:
            raise refusal(
                path,
                solution.line,
                f"{solution.what!r} begins like {other.what!r} in line {other.line}; say in the "
                "first words how the two differ, since they name the solution.",
            )


def _solution(path: Path, lines: list[Line], cells: Collection[str]) -> Solution:
    first, *rest = lines
    begins = ENTRY.fullmatch(first.text.rstrip())
    if not begins:
        raise refusal(
            path, first.number, f"{first.text.strip()!r} begins no solution; write {HOW_TO_BEGIN}."
        )
    is_right, what = begins[1] == "right", begins[2]
    fields = dict(_fields(path, rest))
    source = rest[len(fields) :]
    for name, field in fields.items():
        if is_right:
            raise refusal(
                path,
                field.number,
                f"a right solution loses no points and is told nothing; take the line `# {name}: "
                "...` away, or call the solution wrong.",
            )
    if path.stem == SEVERAL and not is_right and "fails" not in fields:
        raise refusal(
            path,
            first.number,
            "a wrong solution in this file must say which tasks lose their points; write "
            "`# fails: TASK, TASK` in the line below.",
        )
    for line in source:
        if misplaced := FIELD.fullmatch(line.text.rstrip()):
            raise refusal(
                path,
                line.number,
                f"`# {misplaced[1]}: ...` stands in the code; move it to right below line "
                f"{first.number}.",
            )
    return Solution(
        name=_name(path.stem, begins[1], what),
        line=first.number,
        is_right=is_right,
        is_sly=begins[1] == "sly",
        what=what,
        fails=fields.get("fails"),
        told=fields["told"].text if "told" in fields else None,
        cells=(_cells if path.stem == SEVERAL else _cell)(path, first, source, cells),
    )


def _fields(path: Path, lines: list[Line]) -> Iterator[tuple[str, Line]]:
    """The lines `# NAME: TEXT` right below the one that begins a solution."""
    seen = set()
    for number, text in lines:
        field = FIELD.fullmatch(text.rstrip())
        if not field:
            if text.startswith("#") and not CELL.fullmatch(text.rstrip()):
                raise refusal(
                    path,
                    number,
                    f"{text.strip()!r} is neither `# fails: ...` nor `# told: ...`; put an empty "
                    "line before it if it is a comment of the solution.",
                )
            return
        if field[1] in seen:
            raise refusal(path, number, f"`{field[1]}` is given twice; keep one of the two lines.")
        seen.add(field[1])
        yield field[1], Line(number, field[2])


def _cell(path: Path, first: Line, source: list[Line], cells: Collection[str]) -> dict[str, str]:
    """The one cell of a file that is named after it."""
    for line in source:
        begins = CELL.fullmatch(line.text.rstrip())
        if begins and begins[1] in cells:
            raise refusal(
                path,
                line.number,
                f"`## {begins[1]}` begins a cell, and this file is for {path.stem!r} alone; move "
                f"the solution into `{SEVERAL}.py`.",
            )
    return {path.stem: _source(path, first, source)}


def _cells(path: Path, first: Line, source: list[Line], cells: Collection[str]) -> dict[str, str]:
    """The cells that begin with `## NAME`."""
    starts = [place for place, line in enumerate(source) if CELL.fullmatch(line.text.rstrip())]
    for line in source[: starts[0] if starts else None]:
        if line.text.strip():
            raise refusal(
                path,
                line.number,
                f"{line.text.strip()!r} stands in no cell; begin one with `## NAME`.",
            )
    if not starts:
        raise refusal(
            path, first.number, "the solution fills in no cell; begin one with `## NAME`."
        )
    filled: dict[str, str] = {}
    for start, end in pairwise([*starts, len(source)]):
        begins = source[start]
        name = begins.text.rstrip().removeprefix("## ")
        if name not in cells:
            raise refusal(
                path,
                begins.number,
                f"there is no solution cell {name!r}; write one of: {', '.join(cells)}.",
            )
        if name in filled:
            raise refusal(
                path, begins.number, f"the cell {name!r} is given twice; keep one of the two."
            )
        filled[name] = _source(path, begins, source[start + 1 : end])
    return filled


def _source(path: Path, begins: Line, lines: list[Line]) -> str:
    source = "\n".join(line.text for line in lines).strip("\n")
    if not source.strip():
        raise refusal(
            path, begins.number, "no code follows; write the whole cell below, or take it away."
        )
    return source


def _name(task: str, kind: str, what: str) -> str:
    """A name from what a solution does, as far as whole words fit: `layer_norm-wrong-no-gamma`."""
    ascii_only = unicodedata.normalize("NFKD", what.casefold()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")
    if len(words) > NAME_LENGTH:
        words = words[: NAME_LENGTH + 1].rpartition("-")[0] or words[:NAME_LENGTH]
    return "-".join(filter(None, [task, kind, words]))
