"""The Python of a notebook's cell, and the names it binds and reads."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache


def parse(source: str) -> ast.Module:
    """A cell's syntax tree, with the line numbers that it has when IPython runs it."""
    return ast.parse(as_python(source))


def as_python(source: str) -> str:
    """A cell as IPython hands it to Python: magics and shell lines become calls, empty lines at the top are gone.

    Raises SyntaxError, also for the few texts on which IPython fails with errors of its own.
    """
    try:
        return _transformer().transform_cell(source)
    except (IndexError, KeyError, TypeError, AttributeError, AssertionError) as error:
        raise SyntaxError(f"IPython cannot read this cell ({type(error).__name__})") from None


@lru_cache(maxsize=1)
def _transformer():
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager()


def escaping_names(cells: Sequence[tuple[str, str, bool]]) -> list[tuple[str, str, str]]:
    """Names that a sealed cell binds and a later cell reads: (sealed cell, name, later cell).

    cells: (name of the cell, source, whether it will be sealed) in the order of the notebook. A sealed cell runs in a
    process of its own, so nothing it binds reaches a later cell.
    """
    escaped: dict[str, str] = {}
    found = []
    for cell, source, sealed in cells:
        try:
            tree = parse(source)
        except SyntaxError:
            continue
        bound = bound_names(tree)
        for name in sorted(read_before_bound(tree) & escaped.keys()):
            found.append((escaped[name], name, cell))
        if sealed:
            escaped |= {name: cell for name in bound}
        else:
            escaped = {name: where for name, where in escaped.items() if name not in bound}
    return found


def read_before_bound(tree: ast.Module) -> set[str]:
    """Names that a cell reads from outside: read at its top level before it binds them, or in a function and never bound."""
    bound: set[str] = set()
    outside: set[str] = set()
    for statement in tree.body:
        reads = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        outside |= reads - bound - _scoped_names(statement)
        bound |= bound_names(statement)
    return outside


def _scoped_names(statement: ast.AST) -> set[str]:
    """Names that a statement binds itself before it can read them: parameters, comprehension and loop targets."""
    names = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    for node in ast.walk(statement):
        if isinstance(node, ast.comprehension):
            names |= bound_names(node.target)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.FunctionDef, ast.AsyncFunctionDef,
                               ast.ClassDef)):
            names |= bound_names(node)
    return names


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that a piece of code binds, in whatever scope: assignment, import, definition, loop, with, except."""
    return {name for node in ast.walk(tree) if (name := bound_by(node))}


def bound_by(node: ast.AST) -> str | None:
    """The name that this very node binds, if it does."""
    if isinstance(node, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.alias):
        return (node.asname or node.name).split(".")[0]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return node.name
    if isinstance(node, ast.MatchMapping):
        return node.rest
    return None
