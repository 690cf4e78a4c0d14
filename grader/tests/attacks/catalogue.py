"""Attacks: submissions that try to get what they have not earned. Each is a small file that says
what it tries.

    # attack: answers in the test child's place, with frames of its own
    # points: none
    # must not: gain a point by claiming answers

    # %% row_stats
    def row_stats(x):
        ...

`points` names the tasks whose points it may get - those that it really solves - or says `none`.
`must not` says what it must not achieve beside that. `flagged: yes` where its points are for a
person to decide, and a flag has to ask for one.
`ordinary: yes` for those that are tried once more when an ordinary user grades.

An attack that never came to its point proves nothing. Each is armed when every cell of its own ran
to its end without an error; where its mechanism shows otherwise, `armed` is a text that it leaves
in the outputs or comments (or one of several, between bars), and `nothing` where there is no code.

Each `# %% NAME` begins the source of that solution cell; a solution cell that is
not given stays as it was released, unsolved. Beside these,

    # %% before NAME         a code cell of the student's own, before (or `after`) the cell of that
    name
    # %% file PATH           a text file handed in beside the notebook
    # %% change              Python that defines change(nb, folder): anything else, done to the
    submission by the tests

The files are not called .py, so that nothing ever runs one by mistake.

A file `NAME.attacks` holds several of one class. What its header says, and its part `common`, which
is put before the code of each, goes for all of them; each begins with

    # ==== NAME: what it tries

and is then written like a file of its own, whose first code is a cell before `row_stats`, or the
cell that `common in CELL` names.

What a session that has seen a test tells its student begins with `loot:`, what it read where
nothing may be read with `plunder:`. An attack spells these words so that its own source does not
contain them.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbseal.notebook import marks

HERE = Path(__file__).resolve().parent
LOOT, PLUNDER = "loot:", "plunder:"

HEADER = re.compile(r"# (attack|points|must not|flagged|ordinary|armed): (.+)")
PART = re.compile(r"# %% (?:(before|after|file) )?(\S+)")


@dataclass(frozen=True)
class Attack:
    """One hostile submission."""

    name: str  # the file's name, and the student's
    what: str
    must_not: str
    may_get: frozenset[str]  # tasks
    flagged: bool
    ordinary: bool
    # what its mechanism leaves, any of these; none: its cells ran to their ends
    armed: tuple[str, ...] = ()
    solutions: dict[str, str] = field(default_factory=dict)
    # before or after, name of a cell, source
    own_cells: list[tuple[str, str, str]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    change: str | None = None

    def make(self, released: NotebookNode, folder: Path) -> NotebookNode:
        """The released notebook with this attack in it; writes the files beside it into
        `folder`."""
        folder.mkdir(parents=True)
        nb = nbformat.from_dict(released)
        for name, source in self.solutions.items():
            _cell(nb, name)[1].source = source
        for where, name, source in self.own_cells:
            at, _ = _cell(nb, name)
            nb.cells.insert(at + (where == "after"), nbformat.v4.new_code_cell(source))
        for path, text in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        if self.change:
            names: dict = {}
            exec(compile(self.change, f"{self.name}: change", "exec"), names)
            nb = names["change"](nb, folder) or nb
        return nb

    @property
    def sources(self) -> set[str]:
        """The source of every code cell of its own."""
        return {*self.solutions.values(), *(source for _, _, source in self.own_cells)}


def _cell(nb: NotebookNode, name: str) -> tuple[int, NotebookNode]:
    return next((at, cell) for at, cell in enumerate(nb.cells) if marks.grade_id(cell) == name)


def load(kind: str) -> list[Attack]:
    """All attacks on one kind of test cell: `sealed` or `plain`."""
    single = [parse(path) for path in (HERE / kind).glob("*.attack")]
    several = [attack for path in (HERE / kind).glob("*.attacks") for attack in parse_class(path)]
    return sorted(single + several, key=lambda attack: attack.name)


def parse_class(path: Path) -> list[Attack]:
    """Read a file of several attacks."""
    begin, *bodies = re.split(r"^# ==== (?=\w+: )", path.read_text(encoding="utf-8"), flags=re.M)
    header, *parts = re.split(r"^# %% common(?: in (\w+))?\n", begin, flags=re.M)
    first, common = parts or (None, "")
    first = first or "before row_stats"
    attacks = []
    for body in bodies:
        title, _, text = body.partition("\n")
        name, what = title.split(": ", 1)
        own = "".join(re.findall(r"^# (?:armed|points|flagged): .*\n", text, flags=re.M))
        text = re.sub(r"\A(?:# (?:armed|points|flagged): .*\n)+", "", text)
        place = f"# %% {first}"
        if text.startswith("# %% "):
            place, _, text = text.partition("\n")
        lines = f"{header}# attack: {what}\n{own}{place}\n{common}\n{text}"
        attacks.append(_parsed(f"{path.stem}_{name}", lines, path))
    return attacks


def parse(path: Path) -> Attack:
    """Read one file. Raises ValueError, with file and line, where it is not written as this module
    says."""
    return _parsed(path.stem, path.read_text(encoding="utf-8"), path)


def _parsed(name: str, text: str, path: Path) -> Attack:
    header: dict[str, str] = {}
    parts: list[tuple[str | None, str, list[str]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if begins := PART.fullmatch(line):
            parts.append((begins[1], begins[2], []))
        elif parts:
            parts[-1][2].append(line)
        elif says := HEADER.fullmatch(line):
            header[says[1]] = says[2]
        elif line.strip():
            raise ValueError(
                f"{path}, line {number}: {line!r} is neither a header nor the beginning of a part"
            )
    if missing := {"attack", "points", "must not"} - header.keys():
        raise ValueError(f"{path} does not say: {', '.join(sorted(missing))}")
    tasks = (
        frozenset()
        if header["points"] == "none"
        else frozenset(re.split(r",\s*", header["points"]))
    )
    texts = [(kind, name, "\n".join(lines).strip("\n")) for kind, name, lines in parts]
    return Attack(
        name,
        header["attack"],
        header["must not"],
        tasks,
        header.get("flagged") == "yes",
        header.get("ordinary") == "yes",
        tuple(text.strip() for text in header.get("armed", "").split(" | ") if text.strip()),
        solutions={name: text for kind, name, text in texts if kind is None and name != "change"},
        own_cells=[part for part in texts if part[0] in ("before", "after")],
        files={name: text for kind, name, text in texts if kind == "file"},
        change=next(
            (text for kind, name, text in texts if kind is None and name == "change"), None
        ),
    )
