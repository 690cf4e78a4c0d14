"""The Python of a notebook's cell, and the names it binds and reads."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from functools import cache, lru_cache


def parse(source: str) -> ast.Module:
    """A cell's syntax tree, with the line numbers that it has when IPython runs it."""
    return ast.parse(as_python(source))


def as_python(source: str) -> str:
    """A cell as IPython hands it to Python: magics and shell lines become calls, empty lines at the
    top are gone.

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

    cells: (name of the cell, source, whether it will be sealed) in the order of the notebook. A
    sealed cell runs in a
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
            escaped |= dict.fromkeys(bound, cell)
        else:
            escaped = {name: where for name, where in escaped.items() if name not in bound}
    return found


def read_before_bound(tree: ast.Module) -> set[str]:
    """Names that a cell reads from outside: read at its top level before it binds them, or in a
    function and never bound."""
    bound: set[str] = set()
    outside: set[str] = set()
    for statement in tree.body:
        reads = {
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        outside |= reads - bound - _scoped_names(statement)
        bound |= bound_names(statement)
    return outside


def _scoped_names(statement: ast.AST) -> set[str]:
    """Names that a statement binds itself before it can read them: parameters, comprehension and
    loop targets."""
    names = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    for node in ast.walk(statement):
        if isinstance(node, ast.comprehension):
            names |= bound_names(node.target)
        elif isinstance(
            node,
            (
                ast.For,
                ast.AsyncFor,
                ast.With,
                ast.AsyncWith,
                ast.FunctionDef,
                ast.AsyncFunctionDef,
                ast.ClassDef,
            ),
        ):
            names |= bound_names(node)
    return names


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that a piece of code binds, in whatever scope: assignment, import, definition,
    loop, with, except."""
    return {name for node in ast.walk(tree) if (name := bound_by(node))}


def bound_by(node: ast.AST) -> str | None:
    """The name that this very node binds, if it does."""
    if isinstance(node, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.alias):
        return (node.asname or node.name).split(".")[0]
    if isinstance(
        node,
        (
            ast.FunctionDef,
            ast.AsyncFunctionDef,
            ast.ClassDef,
            ast.ExceptHandler,
            ast.MatchAs,
            ast.MatchStar,
        ),
    ):
        return node.name
    if isinstance(node, ast.MatchMapping):
        return node.rest
    return None


def imported_modules(sources: Sequence[str]) -> tuple[str, ...]:
    """The modules that import statements of these cells name, in their order."""
    found: dict[str, None] = {}
    for source in sources:
        try:
            tree = ast.parse(as_python(source))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update({alias.name: None for alias in node.names})
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found[node.module] = None
    return tuple(name for name in found if name.split(".")[0] not in ("utils", "checks", "nbseal"))


TOP_LEVEL = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.M)


# characters of a cell that is parsed: a syntax tree takes a hundred times its source
LONGEST = 500_000


LONGEST_WITH_MAGICS = 50_000  # that IPython's tokenizer is asked about


MAGIC = re.compile(r"^([ \t]*)[!%].*$", re.M)


@lru_cache(maxsize=4096)
def tree(source: str) -> ast.Module | None:
    """The syntax tree of a cell, None if Python cannot run it. Magics count as `pass`, so lines
    keep their numbers."""
    if len(source) > LONGEST:
        return None
    for text in dict.fromkeys((source, MAGIC.sub(r"\1pass", source))):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return None


@lru_cache(maxsize=4096)
def runs(source: str) -> bool:
    """Whether IPython can run a cell: it also knows magics that cannot be told from Python by a
    line's beginning."""
    return tree(source) is not None or (
        len(source) <= LONGEST_WITH_MAGICS and tree(_plain(source)) is not None
    )


@cache
def _transformer():
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager()


def _plain(source: str) -> str:
    try:
        return _transformer().transform_cell(source)
    except Exception:  # IPython's tokenizer meets text that no tokenizer was made for
        return source


@lru_cache(maxsize=4096)
def defines(source: str) -> frozenset[str]:
    """The names of functions, classes and variables that a cell binds at its top level."""
    parsed = tree(source)
    if parsed is None:
        return frozenset(
            name for pair in TOP_LEVEL.findall(source[:LONGEST]) for name in pair if name
        )
    return frozenset(name for statement in parsed.body for name in bound(statement))


def bound(statement: ast.stmt) -> set[str]:
    """The names that one statement binds; of imports, none."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Assign():
            targets = statement.targets
        case ast.AnnAssign() | ast.AugAssign():
            targets = [statement.target]
        case _:
            return set()
    return {
        node.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
