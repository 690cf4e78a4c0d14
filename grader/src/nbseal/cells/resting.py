"""May the watch over by-hand tasks rest, for what the cells of a submission name cannot reach a
ready-made operation?

The watch takes more than half of the time of a test, and most students write sums, means and
products. So their cells are read first, as a list of what is known to be harmless: elementary
operations by name, and no word by which code could come to anything else - no attribute by its
text, no library but a few, no method of a class that is called for another object. Whatever else a
cell holds, and be it one name that does not stand here, has the watch on, as in the notebook.

A reading takes no points and gives none: see checks/watching.py for what does.
"""

from __future__ import annotations

import ast
import symtable
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nbseal.cells.elementary import BUILTINS, CONSISTS_OF, HIDDEN, MODULES
from nbseal.cells.facts import names_bound_by, of_test
from nbseal.cells.keeping import DEFINITION
from nbseal.cells.plain import bases, is_plain, is_plain_import
from nbseal.cells.python import LONGEST, python_of, runs_as_it_stands
from nbseal.checks import OPERATIONS, is_forbidden
from nbseal.records import CellOrder

# Names by which Python's tables call scopes that are no definitions.
_OTHER_SCOPES = frozenset("lambda listcomp setcomp dictcomp genexpr".split())


def resting(
    cells: Sequence[CellOrder],
    steps: Sequence[Sequence[CellOrder]],
    words: Mapping[int, Collection[str]],
    modules: Sequence[str],
    asked_of: Mapping[int, Collection[str]] = {},
) -> list[int]:
    """The tests, by the places of their cells, of whose by-hand tasks the watch may rest: neither
    what they call of the student's, nor what ran before them in their process, names anything by
    which a ready-made operation could be reached.

    steps    the cells in the order in which they are run, tests that share a process together
    words    test -> what its tasks must do without: groups of operations, and names
    modules  those that are imported before the notebook runs
    asked_of test -> the names that its declared tasks ask, where it asks some
    """
    own = [cell for cell in cells if not cell.test and not cell.own]
    try:
        if sum(len(cell.source) for cell in own) > LONGEST:
            return []
        student = _Student([_read(cell.source) for cell in own])
        student.beside([cell for cell in cells if cell.own or cell.test], frozenset(modules))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = []
    for step in steps:
        called: set[str] = set()
        for test in step if step[0].test else ():
            reads = asked_of.get(test.index) or of_test(test.source).reads
            if not reads:  # of one that cannot be read
                break
            called.update(reads)
            asked = words.get(test.index, ())
            # an operation by its own name may have a sign: `x @ y`
            if asked and OPERATIONS.keys() >= {*asked} and student.is_harmless(called, asked):
                found.append(test.index)
    return found


@dataclass(frozen=True)
class _Part:
    """A definition at the top level of a cell, or all else that stands there."""

    is_plain: bool  # all that it names is elementary
    names: frozenset[str]  # of operations, to be held against what a task must do without
    reads: frozenset[str]  # from the top level
    bases: frozenset[str]  # names of classes from which it derives others


@dataclass(frozen=True)
class _Cell:
    parts: tuple[tuple[str, _Part], ...]  # by the name that is defined, "" for all else
    binds: frozenset[str]
    classes: frozenset[str]  # that are defined at its top level
    others: frozenset[str]  # names that are bound otherwise, wherever


@lru_cache(maxsize=256)
def _read(source: str) -> _Cell:
    """Read a student's cell. Raises what Python does for one that cannot be read."""
    if not runs_as_it_stands(source):
        raise ValueError("IPython runs something else")
    tree, table = ast.parse(source), symtable.symtable(source, "cell", "exec")
    top = frozenset(map(id, tree.body))
    tables: dict[str, deque[symtable.SymbolTable]] = {}  # in the order of the source
    for child in table.get_children():
        tables.setdefault(child.get_name(), deque()).append(child)
    parts = []
    for node in tree.body:
        if isinstance(node, DEFINITION):
            if node.name in _OTHER_SCOPES:
                raise ValueError("which scope is the definition's cannot be told")
            own = tables[node.name].popleft()
            parts.append((node.name, _part(list(ast.walk(node)), _globals([own]), top)))
    reads = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    reads |= {
        node.target.id
        for node in _at_top_level(tree)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
    others = [child for left in tables.values() for child in left]
    parts.append(("", _part(list(_at_top_level(tree)), reads | _globals(others), top)))
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    return _Cell(
        tuple(parts),
        frozenset(names_bound_by(source)),
        frozenset(classes),
        frozenset(_bound(tree, but=ast.ClassDef)),
    )


def _at_top_level(tree: ast.Module) -> Iterator[ast.AST]:
    """What runs while the cell does: all but the bodies of functions that are defined there."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
            yield from _of_head(node)
        elif isinstance(node, ast.ClassDef):
            yield node
            for one in (*node.bases, *node.decorator_list, *node.keywords):
                yield from ast.walk(one)
            for one in node.body:
                if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield from _of_head(one)
                else:
                    yield from ast.walk(one)
        else:
            yield from ast.walk(node)


def _of_head(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """What runs where a function is defined: its decorators, and all of its defaults and
    annotations."""
    for one in (*node.decorator_list, node.args, node.returns):
        yield from ast.walk(one) if one else ()


def _globals(tables: Sequence[symtable.SymbolTable]) -> set[str]:
    """The names that functions and classes take from the top level, by Python's own scoping."""
    names, todo = set(), list(tables)
    while todo:
        scope = todo.pop()
        names |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        todo += scope.get_children()
    return names


def _part(nodes: Sequence[ast.AST], reads: set[str], top: frozenset[int]) -> _Part:
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
    names |= {CONSISTS_OF[name] for name in names & CONSISTS_OF.keys()}
    return _Part(is_plain(nodes, top), frozenset(names), frozenset(reads), bases(nodes))


def _bound(tree: ast.AST, but: type[ast.AST] | tuple = ()) -> set[str]:
    """All names that are bound anywhere in it, but for those that such nodes bind."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, but):
            continue
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.split(".")[0])
    return names


class _Student:
    """What a student's cells define, and what stands beside it."""

    def __init__(self, cells: Sequence[_Cell]):
        self.parts: dict[str, list[_Part]] = {}
        for cell in cells:
            for name, part in cell.parts:
                self.parts.setdefault(name, []).append(part)
        self.names = {name for cell in cells for name in cell.binds}
        # names that stand for a class of the student's, whatever has run
        self.classes = {name for cell in cells for name in cell.classes}
        self.classes -= {name for cell in cells for name in cell.others}
        self.given: set[str] = set()
        self.safe: set[str] = set()
        self.begun: set[str] = set()  # what is named where cells run, before any test

    def beside(self, cells: Sequence[CellOrder], modules: frozenset[str]) -> None:
        """Note what the instructor's cells bind: modules of elementary operations may be used,
        anything else may be a ready-made operation; and what of the student's they may call."""
        given: set[str] = set()
        others: set[str] = set()
        for cell in cells:
            if cell.test:
                others |= of_test(cell.source).binds
                continue
            theirs = _given(cell.source, modules)
            given |= theirs.modules
            others |= theirs.others
            self.begun |= theirs.touches & self.names
        self.begun |= {name for part in self.parts.get("", ()) for name in part.reads}
        self.given = given
        self.safe = (self.names | given | BUILTINS) - others - HIDDEN
        if "*" in others:
            self.safe = set()

    def is_harmless(self, called: set[str], words: Collection[str]) -> bool:
        """Whether all that has run when these names are called, and what they lead to, is
        elementary, and none of the operations that words name. One could have left them where
        another finds them."""
        names = self._reached(called | self.begun) | self.begun
        parts = self.parts.get("", []) + self._parts(names)
        said = (names & self.given).union(*(part.names for part in parts))
        return (
            names <= self.safe
            and all(part.is_plain and part.bases <= self.classes for part in parts)
            and not any(_forbids(name, tuple(words)) for name in said)
        )

    def _reached(self, names: set[str]) -> set[str]:
        """The names of the student's that lead from these to one another, and all that they read
        beside."""
        todo = list(names & self.names)
        found = set(todo)
        while todo:
            for part in self.parts.get(todo.pop(), ()):
                todo += part.reads - found
                found |= part.reads
        return found

    def _parts(self, names: set[str]) -> list[_Part]:
        return [part for name in names for part in self.parts.get(name, ())]


@dataclass(frozen=True)
class _Given:
    """What a cell of the instructor's binds to modules of elementary operations, what else it
    binds, and all names that stand in it."""

    modules: frozenset[str]
    others: frozenset[str]
    touches: frozenset[str]


@lru_cache(maxsize=64)
def _given(source: str, modules: frozenset[str]) -> _Given:
    given: set[str] = set()
    tree = ast.parse(python_of(source))
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and is_plain_import(node):
            taken = node.module if isinstance(node, ast.ImportFrom) else None
            wanted = [taken] if taken else [alias.name for alias in node.names]
            # an operation under another name is not known by it
            known = not taken or all(
                alias.asname in (None, alias.name) or f"{taken}.{alias.name}" in MODULES
                for alias in node.names
            )
            if known and modules.issuperset(wanted):
                given |= _bound(node)
    others, touches = names_bound_by(python_of(source)) - given, set()
    for one in ast.walk(tree):
        match one:
            case ast.Name(id=name):
                touches.add(name)
            case ast.Global(names=names):
                others |= {*names}
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                others.add("*")
    return _Given(frozenset(given), frozenset(others), frozenset(touches))


@lru_cache(maxsize=4096)
def _forbids(name: str, words: tuple[str, ...]) -> bool:
    return is_forbidden(name, words)
