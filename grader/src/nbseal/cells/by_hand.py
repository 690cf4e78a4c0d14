"""Is a task that asks for code *by hand* written by hand? What the grader says about it.

Points are lost by what was seen at work alone: the watch of nbseal.checks.by_hand reports an
operation that ran below the notebook's code, or that it was taken off. `told` turns such a report,
the claim of a student's process, into the sentence that the notebook says as well.

Reading the source only flags, for a person to look at (`doubts`): words that reach past the watch,
and, in what the task's definition uses, a ready-made operation that is named without being called,
and finite differences, which no watch can tell from honest arithmetic.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from nbseal.cells.python import bound_names, names_read, tree
from nbseal.cells.sealing import ByHand
from nbseal.cells.suspects import ANYWHERE, BY_TEXT
from nbseal.checks import LOOKED, Finding, is_forbidden

MOST_DOUBTS = 3
LIBRARIES = frozenset(
    {"torch", "numpy", "np", "nn", "F", "Tensor", "utils", "sys", "builtins", "functional"}
)
SETTINGS = frozenset({"backends", "stdout", "stderr", "path"})  # that honest notebooks do assign
_WORD = re.compile(r"[A-Za-z_]\w{0,59}")
_MODULE = re.compile(r"[A-Za-z_.\w]{0,60}")


@dataclass(frozen=True)
class Told:
    """What is to be said about one by-hand task after its test has run."""

    target: str
    reason: str
    hidden: bool


def told(used: Sequence[str], hands: Sequence[ByHand]) -> tuple[list[Told], list[str]]:
    """What a session reports about a test's by-hand tasks: reasons to fail it, and doubts.

    used: JSON of [kind, target, what, library]. A student's process sends it, so that nothing of
    it is repeated but names of operations and the watch's own words.
    """
    failed: dict[str, Told] = {}
    seen: list[str] = []
    for text in used if hands else ():
        finding = _finding(text)
        if finding is None:
            continue
        hand = next((hand for hand in hands if hand.target == finding.target), hands[0])
        finding = replace(finding, target=hand.target)
        if finding.kind == "looked":
            seen.append(finding.sentence())
        elif finding.kind == "off" or is_forbidden(finding.what, hand.without, finding.library):
            reason = finding.sentence(hand.without)
            failed.setdefault(hand.target, Told(hand.target, reason, hand.hidden))
    return list(failed.values()), seen[:MOST_DOUBTS]


def _finding(text: str) -> Finding | None:
    try:
        kind, target, what, library = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    if not all(isinstance(part, str) for part in (kind, target, what, library)):
        return None
    if kind == "called" and not (_WORD.fullmatch(what) and _MODULE.fullmatch(library)):
        return None
    if kind == "looked" and what not in LOOKED:
        return None
    return Finding(kind, target, what, library) if kind in _KINDS else None


_KINDS = frozenset({"called", "off", "looked"})


# --------------------------------------------------------------------------------------------------
# Reading
# --------------------------------------------------------------------------------------------------


def doubts(cells: Sequence[tuple[int, str]], hands: Sequence[ByHand]) -> list[str]:
    """What a person should look at in a student's cells before a test: (index in the notebook,
    source)."""
    if not hands:
        return []
    found: dict[str, None] = {}
    for index, source in cells:
        found |= dict.fromkeys(f"{what} in cell {index + 1}" for what in _reaching(source))
    general = list(found)[:MOST_DOUBTS]
    own: dict[str, None] = {}
    for hand in hands:
        asked = f"whether {hand.target} is written by hand is for you to decide"
        own |= dict.fromkeys(f"{asked}: {what}" for what in _in_definition(cells, hand))
    asked = "whether this is written by hand is for you to decide"
    return [f"{asked}: {what}" for what in general] + list(own)[:MOST_DOUBTS]


@lru_cache(maxsize=1024)
def _reaching(source: str) -> tuple[str, ...]:
    """The words of one cell that reach past a watch."""
    parsed = tree(source)
    if parsed is None:
        return ("source that cannot be read",) if _could_run(source) else ()
    libraries = LIBRARIES | _from_libraries(parsed)
    called = {id(node.func) for node in ast.walk(parsed) if isinstance(node, ast.Call)}
    words = dict.fromkeys(
        what for node in ast.walk(parsed) if (what := _reaches(node, libraries, called))
    )
    return tuple(words)[:MOST_DOUBTS]


def _could_run(source: str) -> bool:
    """Whether a cell that is not read may be Python all the same: it is long, or deeply nested."""
    return len(source) > 1000


def _from_libraries(parsed: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name
        for node in ast.walk(parsed)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in LIBRARIES
        for alias in node.names
    }


def _reaches(node: ast.AST, libraries: set[str] | frozenset[str], called: set[int]) -> str | None:
    match node:
        case ast.Name(id=name) if name in ANYWHERE or name in BY_TEXT:
            return f"`{name}`"
        case ast.Name(id="getattr" | "setattr" | "delattr" as name) if id(node) not in called:
            return f"`{name}` handed on"
        case ast.Attribute(attr=name, value=owner) if name in ANYWHERE and not _is_self(owner):
            return f"`{name}`"
        case ast.Attribute(attr="modules", value=ast.Name(id="sys")):
            return "`sys.modules`"
        case ast.Attribute(attr="compile", value=ast.Name(id="torch")):
            return "`torch.compile`"
        case ast.Attribute(attr=name, ctx=ast.Store()) if _root(node) in libraries:
            return None if SETTINGS & set(_parts(node)) else f"an assignment to `.{name}`"
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]):
            fixed = isinstance(name, ast.Constant) and name.value not in ANYWHERE
            return None if fixed or _is_self(owner) else "`getattr` by a name that is put together"
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, *_]) if _root(owner) in libraries:
            return "`setattr` on a library"
        case ast.Import(names=names):
            return _reaching_module(*(alias.name for alias in names))
        case ast.ImportFrom(module=module, names=names):
            return _reaching_module(module or "", *(alias.name for alias in names))
    return None


def _reaching_module(*modules: str) -> str | None:
    words = (module for module in modules if ANYWHERE & set(module.split(".")))
    return next((f"`import {word[:60]}`" for word in words), None)


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _parts(node: ast.AST) -> list[str]:
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 10:
        parts.append(node.attr)
        node = node.value
    return parts


def _root(node: ast.AST) -> str | None:
    """The name at the start of a.b.c, of no more than ten parts."""
    for _ in range(10):
        if not isinstance(node, ast.Attribute):
            break
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


# --------------------------------------------------------------------------------------------------
# What a definition uses
# --------------------------------------------------------------------------------------------------


def _in_definition(cells: Sequence[tuple[int, str]], hand: ByHand) -> Iterator[str]:
    """What is odd in the statements that a task's definition leads to, from name to name."""
    bindings: dict[str, list[tuple[int, ast.stmt]]] = {}
    for index, source in cells:
        here: dict[str, list[tuple[int, ast.stmt]]] = {}
        for name, statement in _top_level(source):
            here.setdefault(name, []).append((index, statement))
        bindings |= here  # the last cell that binds a name counts
    waiting, seen, read = [hand.target], {hand.target}, set()
    while waiting:
        for index, statement in bindings.get(waiting.pop(), ()):
            if id(statement) in read:
                continue
            read.add(id(statement))
            for what in _odd(statement, hand.without):
                yield f"{what} in cell {index + 1}"
            fresh = names_read(statement) - seen
            seen |= fresh
            waiting += fresh


@lru_cache(maxsize=64)
def _top_level(source: str) -> tuple[tuple[str, ast.stmt], ...]:
    """The names that a cell binds at its top level, each with the statement that does."""
    parsed = tree(source)
    return tuple(
        (name, statement)
        for statement in (parsed.body if parsed else ())
        for name in (
            {statement.name}
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            else bound_names(statement)
        )
    )


def _odd(statement: ast.stmt, without: tuple[str, ...]) -> Iterator[str]:
    nodes = list(ast.walk(statement))
    for node in nodes:
        if (
            isinstance(node, ast.Attribute)
            and _root(node) in LIBRARIES
            and is_forbidden(node.attr, without)
        ):
            yield f"it names `{node.attr[:60]}`"
    if {"autograd", "backward", "grad"} & set(without) and _differences(nodes):
        yield "it divides the difference of two calls of one function"


def _differences(nodes: Sequence[ast.AST]) -> bool:
    """Whether code divides f(a) - f(b), also by way of names: a derivative by finite
    differences."""
    made_by: dict[str, str] = {}
    differences: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Name) and (function := _function(value)):
                made_by[target.id] = function
    difference = {
        id(node)
        for node in nodes
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and (left := _function(node.left, made_by)) is not None
        and left == _function(node.right, made_by)
    }
    for node in nodes:
        if isinstance(node, ast.Assign) and id(node.value) in difference:
            differences |= {name.id for name in node.targets if isinstance(name, ast.Name)}
    return any(
        id(part) in difference or (isinstance(part, ast.Name) and part.id in differences)
        for node in nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        for part in _terms(node.left)
    )


def _terms(node: ast.AST) -> Iterator[ast.AST]:
    """An expression, and what it is a method's result of: (a - b).sum() is about a - b."""
    for _ in range(5):
        yield node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            node = node.left
        else:
            return


def _function(node: ast.AST, made_by: dict[str, str] = {}) -> str | None:  # noqa: B006 - read only
    """The notebook's function, by name, whose result an expression is, also of its item or
    method."""
    for part in _terms(node):
        if isinstance(part, ast.Name):
            return made_by.get(part.id)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            return part.func.id
    return None
