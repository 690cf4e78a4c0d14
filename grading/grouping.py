"""Which sealed tests may run one after another in the same forked process.

A fork for each test is what isolation costs, and most notebooks do not need one each: their cells define functions and
classes, and functions that keep nothing between two calls cannot carry anything from one test to the next. So a test may
wait while cells run that only bind names nobody has asked for yet, and is then run in one process with its neighbours.

Read from the source, without running it, and only to save time: where a notebook does anything that is not understood
here, each of its tests gets a process of its own, at its own place. A student gains nothing by misleading this reading,
for what a test shows could be carried from one process to another as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from grading.by_hand import DYNAMIC
from grading.cell_names import bound_by, bound_names, parse, read_before_bound
from grading.meddling import ANYWHERE, NAMES, is_readable
from grading.records import CellOrder

# Modules whose functions change nothing that lasts, but for what is named below and the random state, which is put back.
TRUSTED = frozenset({"torch", "numpy", "math", "random", "utils", "typing", "collections", "itertools", "functools", "statistics",
                     "string", "re", "time", "bisect", "heapq", "dataclasses", "abc", "operator", "enum", "numbers", "fractions", "copy", "__future__"})
# Names of functions that change what lasts begin like this ...
_LASTING = ("set", "use_", "register", "enable", "disable", "patch", "save", "__enter__", "__exit__", "__setattr__", "__delattr__")
# ... but these make something new, or are random state.
_PASSING = frozenset({"set", "set_seed"})
_DECORATORS = frozenset({"staticmethod", "classmethod", "property", "no_grad", "inference_mode", "dataclass", "abstractmethod",
                         "wraps", "overload"})
_SUSPECT = DYNAMIC | NAMES | ANYWHERE | {"__class__", "__defaults__", "__kwdefaults__", "In", "Out", "open", "setattr", "delattr"}
_SUSPECT_ATTRIBUTES = _SUSPECT - {"eval", "modules"}  # which nn.Module has
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_IMPORT = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Facts:
    """What the source of one cell says."""

    understood: bool = False  # nothing in it is beyond this reading, and its functions keep nothing
    quiet: bool = False  # running it does nothing but bind names
    binds: frozenset[str] = frozenset()  # at the top level, by a definition, an import or a constant
    changeable: frozenset[str] = frozenset()  # names at the top level that may hold something that can be changed
    reads: frozenset[str] = frozenset()  # names that its functions, or the test, take from the top level


def steps(cells: Sequence[CellOrder], modules: Sequence[str]) -> list[tuple[CellOrder, ...]]:
    """The cells in the order in which they are run: each alone, or several tests that share a process.

    modules: those that are imported already, so that importing them runs no code.
    """
    done: list[tuple[CellOrder, ...]] = []
    waiting: list[CellOrder] = []
    of_functions: set[str] = set()  # names that the functions so far take from the top level
    of_waiting: set[str] = set()  # and those that the tests waiting do
    changeable: set[str] = set()
    understood, known = True, frozenset(modules)

    def run_waiting() -> None:
        if waiting:
            done.append(tuple(waiting))
            waiting.clear()
            of_waiting.clear()

    for cell in cells:
        if cell.test:
            facts = _of_test(cell.source)
            if understood and facts.understood and not (of_functions | facts.reads) & changeable:
                waiting.append(cell)
                of_waiting |= facts.reads
            else:
                done.append((cell,))
            continue
        facts = _of_cell(cell.source, known)
        understood &= facts.understood
        changeable = changeable - facts.binds | facts.changeable
        if not (understood and facts.quiet) or facts.binds & (of_functions | of_waiting):
            run_waiting()
        of_functions |= facts.reads
        done.append((cell,))
    run_waiting()
    return done


# ---------------------------------------------------------------------------------------------------------------------
# Reading one cell
# ---------------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _of_cell(source: str, modules: frozenset[str]) -> Facts:
    try:
        tree = _tree(source)
        if not all(_keeps_nothing(node) for node in ast.walk(tree)):
            return Facts()
        quiet, binds, changeable = True, set(), set()
        for statement in tree.body:
            names = _plainly_bound(statement, modules)
            quiet &= names is not None
            if names is None or isinstance(statement, _IMPORT) and not _is_trusted(statement):
                changeable |= bound_names(statement) | _changed(statement)
            else:
                binds |= names
        reads = set()
        for function, nodes, local in _functions(tree):
            if not all(_changes_nothing(node, local) for node in nodes):
                return Facts()
            reads |= _loads(nodes) - local
    except _UNREADABLE:
        return Facts()
    return Facts(True, quiet, frozenset(binds - changeable), frozenset(changeable), frozenset(reads))


@lru_cache(maxsize=1024)
def _of_test(source: str) -> Facts:
    """Of a sealed test. It runs in the shared process, so all of it is looked at as a function is."""
    try:
        tree = _tree(source)
        scopes = [(list(_own_nodes(tree)), bound_names(tree)), *((nodes, local) for _, nodes, local in _functions(tree, bound_names(tree)))]
        if not all(_keeps_nothing(node) for node in ast.walk(tree)) \
                or not all(_changes_nothing(node, local) for nodes, local in scopes for node in nodes):
            return Facts()
        return Facts(True, reads=frozenset(read_before_bound(tree)))
    except _UNREADABLE:
        return Facts()


_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError)


def _tree(source: str) -> ast.Module:
    if not is_readable(source):
        raise ValueError("too long")
    try:
        return ast.parse(source)
    except SyntaxError:
        return parse(source)  # with IPython's magics, or broken


def _plainly_bound(statement: ast.stmt, modules: frozenset[str]) -> set[str] | None:
    """The names that a statement binds if it does nothing else; None where it may do more."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, _IMPORT):
        wanted = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else [statement.module]
        whole = any(alias.name == "*" for alias in statement.names)
        return None if whole or not modules.issuperset(wanted) else bound_names(statement)
    if isinstance(statement, ast.Pass) or isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return set()
    if isinstance(statement, ast.Assign) and _is_constant(statement.value) \
            and all(isinstance(target, ast.Name) for target in statement.targets):
        return bound_names(statement)
    return None


def _changed(statement: ast.stmt) -> set[str]:
    """Names of what a statement changes by an attribute or an item: `f.calls = []`."""
    return {root for node in ast.walk(statement) if isinstance(node, (ast.Attribute, ast.Subscript))
            and not isinstance(node.ctx, ast.Load) and (root := _root(node))}


def _is_constant(node: ast.AST | None) -> bool:
    """Whether an expression is made of constants alone, and of what cannot be changed."""
    if isinstance(node, (ast.Tuple, ast.BinOp, ast.UnaryOp)):
        return all(_is_constant(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    return node is None or isinstance(node, ast.Constant)


def _functions(tree: ast.AST, around: set[str] = frozenset()) -> Iterator[tuple[ast.AST, list[ast.AST], set[str]]]:
    """Every function, method and lambda: itself, its own nodes, and the names that are local there.

    A function's own nodes are those outside of the functions that stand in it.
    """
    for function in _outermost_functions(tree):
        nodes = list(_own_nodes(function))
        arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
        local = around | arguments | {name for node in nodes if (name := bound_by(node))}
        yield function, nodes, local
        yield from _functions(function, local)


def _outermost_functions(tree: ast.AST) -> list[ast.AST]:
    found, todo = [], [tree]
    while todo:
        for child in ast.iter_child_nodes(todo.pop()):
            (found if isinstance(child, _FUNCTION) else todo).append(child)
    return found


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    todo = [tree]
    while todo:
        for child in ast.iter_child_nodes(todo.pop()):
            yield child
            if not isinstance(child, _FUNCTION):
                todo.append(child)


def _loads(nodes: Sequence[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


# ---------------------------------------------------------------------------------------------------------------------
# Does code keep anything from one call to the next?
# ---------------------------------------------------------------------------------------------------------------------


def _keeps_nothing(node: ast.AST) -> bool:
    """Of any node of a cell: no definition makes an object that all calls share."""
    if isinstance(node, ast.Name):
        return node.id not in ANYWHERE
    if isinstance(node, ast.Attribute):
        return node.attr not in ANYWHERE
    if isinstance(node, ast.ClassDef):
        plain = not node.keywords and all(_dotted(base) for base in node.bases) and _decorators_are_plain(node)
        return plain and all(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass))
                             or isinstance(part, (ast.Assign, ast.AnnAssign, ast.Expr)) and _is_constant(part.value)
                             for part in node.body)
    if isinstance(node, _FUNCTION):  # a list, or a tensor, as a default is one object for all calls
        defaults = all(_is_constant(default) or _dotted(default) for default in (*node.args.defaults, *node.args.kw_defaults))
        return defaults and (isinstance(node, ast.Lambda) or _decorators_are_plain(node))
    return True


def _decorators_are_plain(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return all(_last(decorator) in _DECORATORS for decorator in node.decorator_list)


def _changes_nothing(node: ast.AST, local: set[str]) -> bool:
    """Of a function's own node: it changes nothing from outside of the function, as far as one can see."""
    if isinstance(node, ast.Global):
        return False
    if isinstance(node, _IMPORT):
        return _is_trusted(node)
    if isinstance(node, ast.Name):
        return node.id not in _SUSPECT
    if isinstance(node, ast.Attribute) and node.attr in _SUSPECT_ATTRIBUTES:
        return False
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Load) or _root(node) in local - {"cls"}
    if isinstance(node, ast.Assign):  # another name for something from outside could be used to change it
        return not (isinstance(node.value, ast.Name) and node.value.id not in local)
    if isinstance(node, ast.Call) and _root(node.func) not in local:
        name = _last(node) or ""
        return not name.startswith(_LASTING) or name in _PASSING
    return True


def _is_trusted(node: ast.Import | ast.ImportFrom) -> bool:
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return all(module.split(".")[0] in TRUSTED for module in modules)


def _root(node: ast.AST) -> str | None:
    """The name at the start of a.b[c].d; None where it starts with something else, as a call."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _dotted(node: ast.AST) -> str | None:
    """a.b.c as text; None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _last(node: ast.AST) -> str | None:
    """The last name of a.b.c, or of the call a.b.c(...)."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
