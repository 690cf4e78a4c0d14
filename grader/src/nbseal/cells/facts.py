"""What the source of one cell says about sharing a process: see sharing.py."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from nbseal.cells.keeping import DEFINITION, IMPORT, is_constant, is_suspect, keeps_nothing, root
from nbseal.cells.python import LONGEST, bound_names, python_of
from nbseal.cells.sealing import PRIVATE
from nbseal.cells.suspects import ANYWHERE

# Modules whose functions change nothing that lasts, but for what is named in keeping.py and the
# random state, which is put back.
_TRUSTED = """
    torch numpy math random utils typing collections itertools functools statistics string re time
    bisect heapq operator numbers fractions copy __future__
"""
TRUSTED = frozenset(_TRUSTED.split())
MAX_CELL_TEXT = 20_000  # characters of a student's cell that is read
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Facts:
    """What the source of one cell says."""

    # its functions and classes keep nothing, and nothing in it is beyond this reading
    understood: bool = False
    # running it does nothing but bind names to definitions, modules and constants
    plain: bool = False
    binds: frozenset[str] = frozenset()  # at the top level
    # of these, what may hold something that can be changed
    changeable: frozenset[str] = frozenset()
    # what its functions and classes, or the test, take from the top level
    reads: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()  # all names that it mentions


@lru_cache(maxsize=512)
def of_own_cell(source: str, modules: frozenset[str]) -> Facts:
    """Of a cell that stands so in the instructor's notebook, the same for all students."""
    return _of_cell(source, modules, suspects=frozenset()) if len(source) <= LONGEST else Facts()


def of_cell(source: str, modules: frozenset[str]) -> Facts:
    """Of a cell that is run between tests; of one too long to be read, nothing."""
    return _of_cell(source, modules, ANYWHERE) if len(source) <= MAX_CELL_TEXT else Facts()


def _of_cell(source: str, modules: frozenset[str], suspects: frozenset[str]) -> Facts:
    source = python_of(source)
    try:
        tree, table = ast.parse(source), symtable.symtable(source, "cell", "exec")
        nodes = list(ast.walk(tree))
        reads = _global_reads(table) | _definitions_read(nodes)
        definitions = [node for node in tree.body if isinstance(node, DEFINITION)]
        others = [node for node in tree.body if not isinstance(node, DEFINITION)]
        understood = all(
            keeps_nothing(node, reads)
            for part in (*definitions, *_outermost_functions(others))
            for node in ast.walk(part)
        )
        understood &= not any(is_suspect(node, suspects) for node in nodes)
        plain = [_is_plain(statement, modules) for statement in tree.body]
        changeable = {
            name
            for statement, is_plain in zip(tree.body, plain)
            if not is_plain or _may_change(statement)
            for name in bound_names(statement) | _stored_into(statement)
        }
        touches = {node.id for node in nodes if isinstance(node, ast.Name)}
        binds = (
            {name for statement in tree.body for name in bound_names(statement)}
            if not all(plain)
            else {name for statement in tree.body for name in top_names(statement)}
        )
    except _UNREADABLE:
        return Facts()
    return Facts(
        understood,
        all(plain),
        frozenset(binds),
        frozenset(changeable),
        frozenset(reads),
        frozenset(touches),
    )


@lru_cache(maxsize=512)
def of_test(source: str) -> Facts:
    """Of a sealed test. It runs in the shared process, so all of it is looked at as a function
    is."""
    try:
        tree, table = ast.parse(source), symtable.symtable(source, "test", "exec")
        own = _bound(table)
        reads = _global_reads(table) | {
            symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()
        }
        imports = [node for node in tree.body if _is_trusted_import(node)]
        imported = {name for node in imports for name in bound_names(node)}
        understood = all(
            keeps_nothing(node, reads - own | imported)
            for node in ast.walk(tree)
            if node not in imports
        )
    except _UNREADABLE:
        return Facts()
    reads = {name for name in reads if not name.startswith(PRIVATE)}
    return Facts(understood, binds=frozenset(own), reads=frozenset(reads))


def names_bound_by(source: str) -> set[str]:
    """The names that Python code binds at its top level, or takes away."""
    return _bound(symtable.symtable(source, "cell", "exec"))


def _bound(table: symtable.SymbolTable) -> set[str]:
    return {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported()
    }


def _global_reads(table: symtable.SymbolTable) -> set[str]:
    """Names that functions, classes and comprehensions take from the top level, by Python's own
    scoping."""
    names, todo = set(), list(table.get_children())
    while todo:
        scope = todo.pop()
        names |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        todo += scope.get_children()
    return names


def _outermost_functions(statements: list[ast.stmt]) -> list[ast.AST]:
    """The functions and classes in these statements, but not those inside of others."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = list(statements)
    while todo:
        node = todo.pop()
        if isinstance(node, (*DEFINITION, ast.Lambda)):
            found.append(node)
        else:
            todo += ast.iter_child_nodes(node)
    return found


def _definitions_read(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that definitions keep: in defaults, decorators and bases."""
    todo: list[ast.AST] = []
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += [one for one in (*node.args.defaults, *node.args.kw_defaults) if one]
        if isinstance(node, DEFINITION):
            todo += node.decorator_list + getattr(node, "bases", [])
    names, seen = set(), set()
    while todo:  # one may hold another: each node is looked at once
        node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            todo += ast.iter_child_nodes(node)
            if isinstance(node, ast.Name):
                names.add(node.id)
    return names


def _is_plain(statement: ast.stmt, modules: frozenset[str]) -> bool:
    """Whether a statement does nothing but bind names to a definition, a module or a constant."""
    if isinstance(statement, (*DEFINITION, ast.Pass)):
        return True
    if isinstance(statement, IMPORT):
        wanted = (
            [alias.name for alias in statement.names]
            if isinstance(statement, ast.Import)
            else [statement.module]
        )
        return modules.issuperset(wanted) and all(alias.name != "*" for alias in statement.names)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return (
        isinstance(statement, ast.Assign)
        and is_constant(statement.value)
        and all(isinstance(target, ast.Name) for target in statement.targets)
    )


def top_names(statement: ast.stmt) -> set[str]:
    """The names that a plain statement binds at the top level."""
    return {statement.name} if isinstance(statement, DEFINITION) else bound_names(statement)


def _is_trusted_import(node: ast.AST) -> bool:
    """`import copy` and the like: modules that are there already, or change nothing by coming."""
    if isinstance(node, ast.Import):
        return all(alias.name in TRUSTED for alias in node.names)
    return isinstance(node, ast.ImportFrom) and not node.level and node.module in TRUSTED


def _may_change(statement: ast.stmt) -> bool:
    """Whether what a plain statement binds could be changed through its name: a module that is not
    trusted, a constant of one."""
    if not isinstance(statement, IMPORT):
        return False
    modules = (
        [alias.name for alias in statement.names]
        if isinstance(statement, ast.Import)
        else [statement.module or ""]
    )
    values = isinstance(statement, ast.ImportFrom) and any(
        alias.name.isupper() and len(alias.name) > 1 for alias in statement.names
    )
    return values or any(module.split(".")[0] not in TRUSTED for module in modules)


def _stored_into(statement: ast.stmt) -> set[str]:
    """Names of what a statement changes by an attribute or an item: `f.calls = []`."""
    return {
        name
        for node in ast.walk(statement)
        if isinstance(node, (ast.Attribute, ast.Subscript))
        and not isinstance(node.ctx, ast.Load)
        and (name := root(node))
    }
