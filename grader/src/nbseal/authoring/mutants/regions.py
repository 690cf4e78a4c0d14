"""The solved regions of a cell, the functions that they fill in, and changes to them."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nbseal.cells.python import python_of

BEGIN, END = re.compile(r"\s*### BEGIN SOLUTION"), re.compile(r"\s*### END SOLUTION")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Edit(NamedTuple):
    """One change: a node of the tree or a list of statements, and what stands there instead."""

    kind: str
    old: ast.AST | list
    new: ast.AST | list
    about: str = ""  # what it does, where the lines that differ would not say
    beside: str = ""  # what another edit is about, that goes unnoticed only if this one does


@dataclass(frozen=True, eq=False)
class Place:
    """A function that a region fills in, or the statements of a region outside of functions."""

    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    within: ast.ClassDef | None
    body: list[ast.stmt]  # where the region's statements stand, with what stands around them
    solved: list[ast.stmt]  # those that are solved, in part or all of them

    @property
    def name(self) -> str:
        return ".".join(part.name for part in (self.within, self.function) if part)

    @property
    def parameters(self) -> list[str]:
        """The names of a function's arguments, without a method's first."""
        if not self.function:
            return []
        given = self.function.args
        names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        return names[1:] if self.within else names

    def before(self, *statements: ast.stmt) -> list[ast.stmt]:
        """The body with statements in front of the region."""
        at = self.body.index(self.solved[0])
        return [*self.body[:at], *statements, *self.body[at:]]

    def instead(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The body with statements in place of the region's."""
        at = self.body.index(self.solved[0])
        return [*self.body[:at], *statements, *self.body[at + len(self.solved) :]]


def tree_of(source: str) -> ast.Module:
    """The cell's syntax; magics are read as nothing. Raises SyntaxError."""
    return ast.parse(python_of(source))


def solved_lines(source: str) -> frozenset[int]:
    """The numbers of the lines between BEGIN and END SOLUTION; all of a cell without them."""
    lines, inside, found = set(), False, False
    for number, line in enumerate(source.split("\n"), start=1):
        if BEGIN.match(line):
            inside = found = True
        elif END.match(line):
            inside = False
        elif inside:
            lines.add(number)
    return frozenset(lines if found else range(1, source.count("\n") + 2))


def places(tree: ast.Module, lines: frozenset[int]) -> list[Place]:
    """The functions with statements in a region; what is nested in one belongs to it."""
    return list(_places(tree.body, None, None, lines))


def _places(
    body: list[ast.stmt],
    function: ast.FunctionDef | ast.AsyncFunctionDef | None,
    within: ast.ClassDef | None,
    lines: frozenset[int],
) -> Iterator[Place]:
    solved = [one for one in body if any(_line(node) in lines for node in ast.walk(one))]
    inner = (ast.ClassDef, *FUNCTIONS)
    if function is None:
        solved = [one for one in solved if not isinstance(one, inner)]
        for one in body:
            if isinstance(one, ast.ClassDef):
                yield from _places(one.body, None, one, lines)
            elif isinstance(one, FUNCTIONS):
                yield from _places(one.body, one, within, lines)
    if solved:
        yield Place(function, within, body, solved)


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def changed(tree: ast.Module, edit: Edit) -> str:
    """The cell's text after a change."""
    new = copy.deepcopy(tree, {id(edit.old): edit.new})
    return ast.unparse(ast.fix_missing_locations(new))
