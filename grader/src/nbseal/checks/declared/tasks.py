"""A task as its author declares it: probes, and the mistakes, each written once, as code."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..arrays import torch
from .asking import (
    DERIVED,
    PLAIN,
    PROBES,
    PUBLIC,
    SECONDS,
    How,
    Namespace,
    Probe,
    drawn_with,
    named,
)
from .layers import Module
from .plain import Function
from .tensors import TensorFunction

VOCABULARY: dict[str, Any] = {}  # nbseal.checks enters all that notebooks call
SECTION = re.compile(r"^# %% (mistakes|right)\b:? ?(.*)$", re.M)


@dataclass(frozen=True)
class Section:
    """Where a mistake is explained. title: "lecture 02, 2 · The axis"; path: of the lecture, from
    the notebook's folder; web: its address on the web, where it has one."""

    title: str
    path: str
    web: str = ""


@dataclass(frozen=True)
class Mistake:
    """A mistake: its sentence, what makes its code of the reference's, and where it is explained
    ("02#the-axis")."""

    sentence: str
    edit: Callable[[str], str]
    see: str | None = None


class Task:
    """Everything that is known of one task.

    name      the name of the solution cell (its grade_id), unique in a course
    by_hand   operations that the code must do without, as for `by_hand(..., without=)`
    targets   the functions and classes that are written by hand; the one named like the task
    seconds   of processor time that a probe may take
    see       where the lecture explains mistakes that say nothing else ("02#the-axis")
    """

    def __init__(
        self,
        name: str,
        by_hand: str | Sequence[str] = (),
        targets: Sequence[str] = (),
        seconds: float = SECONDS,
        see: str | None = None,
    ):
        self.name, self.seconds, self.see = name, seconds, see
        self.by_hand = [by_hand] if isinstance(by_hand, str) else list(by_hand)
        self.targets = list(targets) or [name]
        self.written: list[Probe] = []
        self.handles: list[Any] = []

    @property
    def probes(self) -> list[Probe]:
        """All probes: those that are written out, then what holds for every function or module."""
        return self.written + [probe for handle in self.handles for probe in handle.battery()]

    def function(self, name: str | None = None, **arguments: Any) -> Any:
        """A function that the task asks for. With shapes of tensors as arguments ("... D", see
        tensors.py) it is one of tensors, without any one of plain Python (see plain.py)."""
        kind: Any = Function
        if any(isinstance(value, str) for value in arguments.values()):
            kind = TensorFunction
        self.handles.append(kind(self, name or self.name, **arguments))
        return self.handles[-1]

    def module(self, name: str | None = None, **options: Any) -> Any:
        """A class of torch modules that the task asks for (see layers.py)."""
        self.handles.append(Module(self, name or self.name, **options))
        return self.handles[-1]

    def add(self, probe: Probe) -> None:
        self.written.append(probe)

    def probe(
        self,
        label: str,
        wanted: Any = DERIVED,
        *,
        tolerance: float | None = None,
        otherwise: str | None = None,
        drawn: bool = False,
        hidden: bool = False,
        core: bool = True,
        shown: str | None = None,
    ) -> Callable[[Callable], Callable]:
        """A probe written out: a function whose parameters are names of the notebook."""

        def register(function: Callable) -> Callable:
            told = {"otherwise": otherwise} if otherwise else {}
            call = (lambda: shown) if shown else None
            more: Any = {"tolerance": tolerance, "shown": call, "sentences": told}
            self.add(Probe(label, named(function), core, drawn, hidden, wanted, **more))
            return function

        return register


def chosen(task: Task, core_only: bool = False, part: str = "visible") -> list[Probe]:
    """The probes of one `check`: what a notebook shows, or what `hidden=True` asks: those that are
    drawn once more, and those that are hidden."""
    return [
        probe
        for probe in task.probes
        if (probe.core or not core_only)
        and (probe.hidden or probe.drawn if part == "hidden" else not probe.hidden)
        and (probe.core or part == "visible")
    ]


def ask(
    task: Task,
    namespace: Namespace,
    key: str = PUBLIC,
    core_only: bool = False,
    part: str = "visible",
    how: How = PLAIN,
) -> list[tuple[str, Any]]:
    """(label, answer) of each probe. Where one takes too long the others are not asked."""
    answers: list[tuple[str, Any]] = []
    late = None
    with drawn_with(key):
        for probe in chosen(task, core_only, part):
            answer = late or probe.answer(namespace, how, task.seconds)
            if isinstance(answer, Mapping) and answer.get("raised") == "TimeoutError":
                late = answer
            answers.append((probe.label, answer))
    return answers


def code(text: str) -> Any:
    """A function that is written as text, so that a message shows what it does:
    code("lambda h: 10 * h")."""
    function = eval(text, {"torch": torch})
    function.__name__ = text
    return function


# ---- a task file --------------------------------------------------------------------------------


def sections(text: str) -> dict[str, str]:
    """The parts of a task file: "probes", "mistakes", and "right: ..." for each right variant. Line
    numbers stay what they are in the file."""
    marks = list(SECTION.finditer(text))
    parts = {"probes": text[: marks[0].start()] if marks else text}
    for mark, following in zip(marks, [*marks[1:], None]):
        title = mark[1] if mark[1] == "mistakes" else f"right: {mark[2]}"
        if title in parts:
            raise ValueError(f"two sections are called {title!r}: name each once")
        body = text[mark.end() : following.start() if following else None]
        parts[title] = "\n" * text.count("\n", 0, mark.end()) + body
    return parts


def load(text: str, names: Mapping[str, Any] | None = None) -> Task:
    """The task that the first section of a file declares. Raises ValueError for none, and what the
    file itself raises."""
    space = vocabulary() | dict(names or {})
    exec(compile(sections(text)["probes"], PROBES, "exec"), space)
    task = space.get("task")
    if not isinstance(task, Task):
        raise ValueError("the file declares no task: write `task = Task(NAME)`")
    labels = [probe.label for probe in task.probes]
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise ValueError(f"{task.name}: two probes are called {twice!r}: name each once")
    return task


def load_mistakes(text: str) -> list[Mistake]:
    """The mistakes that a file declares."""
    found: list[Mistake] = []

    def mistake(
        sentence: str,
        edits: Mapping[str, str] | str | None = None,
        *,
        see: str | None = None,
        of: str | None = None,
        **values: str,
    ) -> None:
        """A mistake. values: what is assigned to a local name of the reference instead (`returns`:
        what is returned last), in the function `of` where there are several; edits: {old text: new
        text}, or the whole source of the cell."""
        if isinstance(edits, str):
            source = textwrap.dedent(edits).strip("\n")
            found.append(Mistake(sentence, lambda reference: source, see))
            return

        def edit(reference: str) -> str:
            for old, new in (edits or {}).items():
                if old not in reference:
                    raise ValueError(f"the reference has no {old!r}, for {sentence!r}")
                reference = reference.replace(old, new)
            for name, value in values.items():
                reference = assign(reference, name, value, of, sentence)
            return reference

        found.append(Mistake(sentence, edit, see))

    space = vocabulary() | {"mistake": mistake}
    exec(compile(sections(text).get("mistakes", ""), "<mistakes>", "exec"), space)
    return found


def load_variants(text: str) -> dict[str, str]:
    """The right variants of a file: what each does -> the source of the cell."""
    parts = sections(text).items()
    return {title: source.strip("\n") for title, source in parts if title.startswith("right: ")}


def vocabulary() -> dict[str, Any]:
    """What a task file finds without importing it: Task, code, and all that notebooks call."""
    return VOCABULARY | {"Task": Task, "code": code}


def assign(source: str, name: str, value: str, of: str | None, why: str) -> str:
    """The source with another value assigned to a name, where it is assigned last."""
    tree: ast.AST = ast.parse(source)
    if of is not None:
        inside = [n for n in ast.walk(tree) if getattr(n, "name", None) == of]
        if not inside:
            raise ValueError(f"the reference has no {of!r}, for {why!r}")
        tree = inside[-1]
    found: list[Any] = []
    for node in ast.walk(tree):
        if name == "returns" and isinstance(node, ast.Return) and node.value:
            found.append(node.value)
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in node.targets
        ):
            found.append(node.value)
    if not found:
        raise ValueError(f"nothing is assigned to {name!r} in the reference, for {why!r}")
    last = max(found, key=lambda node: (node.lineno, node.col_offset))
    lines = source.split("\n")
    head = lines[last.lineno - 1].encode()[: last.col_offset].decode()
    tail = lines[last.end_lineno - 1].encode()[last.end_col_offset :].decode()
    changed = f"{head}({value}){tail}" if "\n" in value else f"{head}{value}{tail}"
    return "\n".join([*lines[: last.lineno - 1], changed, *lines[last.end_lineno :]])
