"""Which sealed tests may run one after another in the same forked process.

A fork for each test takes a third of a session's time. So a test waits while cells run that only
define something, and is then run with its neighbours: what one of them leaves behind the next may
find, as in a kernel. It does not wait for a cell that does anything, or that binds a name which any
cell before it holds, even in a text. The shared process looks between two tests for what is left
behind (inside/sealed_test.py); what breaks it costs its own test alone (engine/sealed_tests.py).
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Sequence

from nbseal.cells.python import bound_names, python_of, tree
from nbseal.records import CellOrder

DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORT = (ast.Import, ast.ImportFrom)
WORD = re.compile(r"[^\W\d]\w*")
MAX_TEXT = 200_000  # characters of a notebook that is read


def steps(cells: Sequence[CellOrder], modules: Sequence[str]) -> list[tuple[CellOrder, ...]]:
    """The cells in the order in which they are run: each alone, or several tests that share a
    process.

    modules: those that are imported already, so that importing them runs no code.
    """
    if sum(len(cell.source) for cell in cells if not cell.test) > MAX_TEXT:
        return [(cell,) for cell in cells]
    done: list[tuple[CellOrder, ...]] = []
    waiting: list[CellOrder] = []
    words: set[str] = set()  # of all cells so far
    bound: dict[str, str] = {}  # name -> what was imported under it, "" for anything else
    for cell in cells:
        if cell.test:
            waiting.append(cell)
        else:
            binds = _defined(cell.source, frozenset(modules))
            fresh = {
                name for name, what in (binds or {}).items() if not what or bound.get(name) != what
            }
            if waiting and (binds is None or fresh & words):
                done.append(tuple(waiting))
                waiting = []
            done.append((cell,))
            bound = {} if binds is None else bound | binds
        words.update(WORD.findall(cell.source))
    return done + ([tuple(waiting)] if waiting else [])


def _defined(source: str, modules: frozenset[str]) -> dict[str, str] | None:
    """The names that a cell defines, and what of a module is imported under one; None if the cell
    does anything else."""
    parsed = tree(python_of(source))
    if parsed is None or not all(_only_defines(one, modules) for one in parsed.body):
        return None
    found: dict[str, str] = {}
    for node in parsed.body:
        if isinstance(node, IMPORT):
            place = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            found |= {one.asname or one.name.split(".")[0]: place + one.name for one in node.names}
        else:
            found |= dict.fromkeys(top_names(node), "")
    return found


def _only_defines(node: ast.stmt, modules: frozenset[str]) -> bool:
    """Whether a statement runs no code of anybody's: it binds names to definitions, to modules that
    are there, and to what has a name or is a constant."""
    if isinstance(node, IMPORT):
        named = [alias.name for alias in node.names]
        wanted = named if isinstance(node, ast.Import) else [node.module]
        return modules.issuperset(wanted) and "*" not in named
    if isinstance(node, ast.ClassDef):
        return (
            not node.keywords
            and not node.decorator_list
            and all(map(_is_dotted, node.bases))
            and all(_only_defines(part, modules) for part in node.body)
        )
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        return all(
            one is None or _is_constant(one) or _is_dotted(one)
            for one in (*defaults, *node.decorator_list)
        )
    if isinstance(node, (ast.Expr, ast.Assign)):
        targets = getattr(node, "targets", [])
        bound = _is_constant(node.value) or (bool(targets) and _is_dotted(node.value))
        return bound and all(isinstance(one, ast.Name) for one in targets)
    return isinstance(node, ast.Pass)


def _is_constant(node: ast.expr) -> bool:
    """A constant, one with a sign, or a tuple of them."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Constant)


def _is_dotted(node: ast.expr) -> bool:
    """A name, or an attribute of one: `torch.nn.Module`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def top_names(statement: ast.stmt) -> set[str]:
    """The names that a definition or another statement binds at the top level."""
    return {statement.name} if isinstance(statement, DEFINITION) else bound_names(statement)


def names_bound_by(source: str) -> set[str]:
    """The names that Python code binds at its top level, or takes away."""
    return {
        symbol.get_name()
        for symbol in symtable.symtable(source, "cell", "exec").get_symbols()
        if symbol.is_assigned() or symbol.is_imported()
    }
