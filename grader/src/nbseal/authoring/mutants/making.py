"""The mutants of one solution cell."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nbseal.authoring.mutants import branches, expressions, statements
from nbseal.authoring.mutants.branches import Kinds
from nbseal.authoring.mutants.regions import Edit, Place, changed, places, solved_lines, tree_of

IN_ONE_MODE = ("dropped part", "dropped call")  # slips that are also tried in one mode alone
LONGEST = 110  # letters of a line that a name shows


@dataclass(frozen=True)
class Mutant:
    """The source of a solution cell with one slip."""

    task: str
    kind: str
    name: str  # where, and what: `layer_norm: variance + eps → variance - eps`
    beside: str  # the name of a mutant that goes unnoticed only if this one does; or nothing
    source: str = field(repr=False)


class Cell:
    """A solution cell, and what can go wrong in it."""

    def __init__(self, task: str, source: str):
        self.task = task
        self.tree = tree_of(source)
        self.lines = solved_lines(source)
        self.places = places(self.tree, self.lines)
        self.plain = ast.unparse(self.tree)

    def probes(self) -> Iterator[tuple[str, str]]:
        """For each function the cell that makes it say what it works with: (its name, source)."""
        for place in self.places:
            if place.function:
                edit = branches.probe(place)
                yield place.name, branches.PROBE + changed(self.tree, edit)

    def mutants(self, kinds: Mapping[str, Kinds]) -> list[Mutant]:
        """All of them, no two the same. kinds: what each function works with, from its probe."""
        seen, found = {self.plain}, dict[str, Mutant]()
        for place in self.places:
            of_place = kinds.get(place.name, {})
            for edit in self._edits(place, of_place):
                text = changed(self.tree, edit)
                if text in seen or not _is_python(text):
                    continue
                seen.add(text)
                preamble = _needed(text)
                name = _unlike(found, f"{place.name}: {edit.about or self._difference(text)}")
                beside = edit.beside and f"{place.name}: {edit.beside}"
                found[name] = Mutant(self.task, edit.kind, name, beside, preamble + text)
        return list(found.values())

    def _edits(self, place: Place, kinds: Kinds) -> Iterator[Edit]:
        modes = "Module" in kinds.get("self", ()) and place.name.endswith("forward")
        decided = branches.where_the_mode_is_known(place)
        slips = expressions.Slips(place, list(self._nodes(place)))
        for node in slips.nodes:
            for edit in slips.of(node):
                yield edit
                if modes and edit.kind in IN_ONE_MODE and id(edit.old) not in decided:
                    yield from branches.in_one_mode(edit)
        for block in self._blocks(place):
            bound = {*place.parameters, *expressions.assigned(place)} - statements.bound_in(block)
            yield from statements.edits(block, self.lines, bound)
        yield from branches.edits(place, kinds)

    def _nodes(self, place: Place) -> Iterator[ast.AST]:
        """The nodes of a region; what belongs to a format or to a longer constant is not one."""
        todo: list[ast.AST] = [*reversed(place.solved)]
        while todo:
            node = todo.pop()
            negative = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
            if getattr(node, "lineno", min(self.lines)) in self.lines:
                yield node
            if not negative and not isinstance(node, (ast.JoinedStr, ast.arguments)):
                todo += reversed(list(ast.iter_child_nodes(node)))

    def _blocks(self, place: Place) -> Iterator[list[ast.stmt]]:
        yield place.body
        for node in self._nodes(place):
            for name in ("body", "orelse"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block:
                    yield block

    def _difference(self, text: str) -> str:
        """The lines that differ, on one line."""
        lines = difflib.ndiff(self.plain.split("\n"), text.split("\n"))
        gone: list[str] = []
        new: list[str] = []
        for line in lines:
            if line[:2] in ("- ", "+ ") and line[2:].strip():
                (gone if line[0] == "-" else new).append(line[2:].strip())
        before, after = _shorter("; ".join(gone), "; ".join(new))
        return f"{before or '(nothing)'} → {after or '(nothing)'}"


def _shorter(before: str, after: str) -> tuple[str, str]:
    """Two texts without what both begin and end with, where they are long."""
    most = max(len(before), len(after))
    if most <= LONGEST:
        return before, after
    start = next((n for n, (a, b) in enumerate(zip(before, after)) if a != b), 0)
    end = next((n for n, (a, b) in enumerate(zip(before[::-1], after[::-1])) if a != b), 0)
    start, end = max(start - 30, 0), max(end - 30, 0)
    cut = [text[start : len(text) - end][:LONGEST] for text in (before, after)]
    return (
        f"{'…' * bool(start)}{cut[0]}{'…' * bool(end)}",
        f"{'…' * bool(start)}{cut[1]}{'…' * bool(end)}",
    )


def _is_python(text: str) -> bool:
    try:
        compile(text, "<mutant>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError:
        return False
    return True


def _needed(text: str) -> str:
    """The helpers that a mutant calls."""
    helpers = {"_wrong(": branches.WRONG, "_each(": branches.EACH, "_later(": branches.LATER}
    return "".join(helper for name, helper in helpers.items() if name in text)


def _unlike(found: Mapping[str, object], name: str) -> str:
    """A name that no other mutant of the cell has."""
    number = 2
    unlike = name
    while unlike in found:
        unlike, number = f"{name} ({number})", number + 1
    return unlike
