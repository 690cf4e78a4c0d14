"""Which sealed tests may run one after another in the same forked process.

A fork for each test is what isolation costs, and most notebooks do not need one each: their cells
define functions and classes, and functions that keep nothing between two calls cannot carry
anything from one test to the next. So a test may wait while cells run that only bind names nobody
has asked for yet, and is then run in one process with its neighbours.

Read from the source, without running it, and only to save time. It is a list of what is known to be
harmless: a notebook that does anything else has each of its tests in a process of its own, at its
own place. What a reading cannot see, the shared process looks for between two tests
(inside/sealed_test.py). A student gains nothing by misleading either, for what a test shows could
be carried from one process to another as well.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from nbseal.cells.by_hand import DYNAMIC
from nbseal.cells.meddling import ANYWHERE, NAMES
from nbseal.cells.python import as_python, bound_names
from nbseal.cells.sealing import PRIVATE
from nbseal.records import CellOrder

# Modules whose functions change nothing that lasts, but for what is named below and the random
# state, which is put back.
TRUSTED = frozenset(
    {
        "torch",
        "numpy",
        "math",
        "random",
        "utils",
        "typing",
        "collections",
        "itertools",
        "functools",
        "statistics",
        "string",
        "re",
        "time",
        "bisect",
        "heapq",
        "operator",
        "numbers",
        "fractions",
        "copy",
        "__future__",
    }
)
# Names of functions that change what lasts begin like this ...
_LASTING = (
    "set",
    "use_",
    "register",
    "enable",
    "disable",
    "patch",
    "save",
    "enter_context",
    "__enter__",
    "__exit__",
    "__setattr__",
    "__delattr__",
)
# ... but these make something new, or are random state.
_PASSING = frozenset({"set", "set_seed"})
_DECORATORS = frozenset({"staticmethod", "classmethod", "property"})
_TORCH_DECORATORS = frozenset({"torch.no_grad", "torch.inference_mode"})
_SUSPECT = (
    DYNAMIC
    | NAMES
    | ANYWHERE
    | {"__class__", "__defaults__", "__kwdefaults__", "In", "Out", "open", "setattr", "delattr"}
)
_SUSPECT_ATTRIBUTES = _SUSPECT - {"eval", "modules"}  # which nn.Module has
_BUILTINS = frozenset(vars(builtins))

# Beyond these a notebook is not read. Reading takes a millisecond for ten thousand characters.
MAX_CELLS, MAX_CELL_TEXT, MAX_TEXT = 300, 20_000, 100_000


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


def steps(cells: Sequence[CellOrder], modules: Sequence[str]) -> list[tuple[CellOrder, ...]]:
    """The cells in the order in which they are run: each alone, or several tests that share a
    process.

    modules: those that are imported already, so that importing them runs no code.
    """
    if (
        len(cells) > MAX_CELLS
        or sum(len(cell.source) for cell in cells if not (cell.own or cell.test)) > MAX_TEXT
    ):
        return [(cell,) for cell in cells]
    done: list[tuple[CellOrder, ...]] = []
    waiting: list[CellOrder] = []
    of_waiting: set[str] = set()  # names that the tests waiting take from the top level
    notebook, imported = _Notebook(), frozenset(modules)
    for cell in cells:
        if cell.test:
            facts = _of_test(cell.source)
            if notebook.allows(facts):
                waiting.append(cell)
                of_waiting |= facts.reads
            else:
                done.append((cell,))
            continue
        facts = _of_own_cell(cell.source, imported) if cell.own else _of_cell(cell.source, imported)
        if not notebook.is_quiet(facts, cell.own) or facts.binds & (notebook.reads | of_waiting):
            done += [tuple(waiting)] if waiting else []
            waiting.clear()
            of_waiting.clear()
        notebook.add(facts, cell.own)
        done.append((cell,))
    return done + ([tuple(waiting)] if waiting else [])


class _Notebook:
    """What is known of the cells so far."""

    def __init__(self):
        self.understood = True
        self.known = set(_BUILTINS)
        self.changeable: set[str] = set()
        self.reads: set[str] = set()  # what functions take from the top level
        self.students: set[str] = set()  # names that the student's cells bind

    def is_quiet(self, facts: Facts, own: bool) -> bool:
        """Whether a cell does nothing that a test before it could notice."""
        return self.understood and facts.understood and facts.plain

    def add(self, facts: Facts, own: bool) -> None:
        """A cell has run. The instructor's may do what they like, but with what the student has
        made."""
        self.understood &= facts.understood and (
            facts.plain or (own and not facts.touches & self.students)
        )
        self.known |= facts.binds
        self.changeable |= facts.changeable
        self.reads |= facts.reads
        if not own:
            self.students |= facts.binds

    def allows(self, test: Facts) -> bool:
        """Whether a test may share a process: all that it can reach is known, and cannot change."""
        reached = self.reads | (test.reads - (test.binds - self.known))
        return (
            self.understood
            and test.understood
            and reached <= self.known
            and not reached & self.changeable
        )


# --------------------------------------------------------------------------------------------------
# Reading one cell
# --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _of_own_cell(source: str, modules: frozenset[str]) -> Facts:
    """Of a cell that stands so in the instructor's notebook: it may hold magics, and is the same
    for all students."""
    try:
        ast.parse(source)
    except SyntaxError:
        try:
            source = as_python(source)
        except (SyntaxError, RuntimeError):
            return Facts()
    except _UNREADABLE:
        return Facts()
    return _of_cell(source, modules, len(source))


def _of_cell(source: str, modules: frozenset[str], most: int = MAX_CELL_TEXT) -> Facts:
    if len(source) > most:
        return Facts()
    try:
        tree, table = ast.parse(source), symtable.symtable(source, "cell", "exec")
        reads = _global_reads(table) | _definitions_read(tree)
        definitions = [node for node in tree.body if isinstance(node, _DEFINITION)]
        lambdas = [
            node
            for statement in tree.body
            if not isinstance(statement, _DEFINITION)
            for node in ast.walk(statement)
            if isinstance(node, (*_DEFINITION, ast.Lambda))
        ]
        understood = all(
            _keeps_nothing(node, reads)
            for part in (*definitions, *lambdas)
            for node in ast.walk(part)
        )
        understood &= not any(_is_suspect(node, ANYWHERE) for node in ast.walk(tree))
        plain = [_is_plain(statement, modules) for statement in tree.body]
        changeable = {
            name
            for statement, is_plain in zip(tree.body, plain)
            if not is_plain or _may_change(statement)
            for name in bound_names(statement) | _stored_into(statement)
        }
        touches = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        binds = (
            {name for statement in tree.body for name in bound_names(statement)}
            if not all(plain)
            else {name for statement in tree.body for name in _top_names(statement)}
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
def _of_test(source: str) -> Facts:
    """Of a sealed test. It runs in the shared process, so all of it is looked at as a function
    is."""
    try:
        tree, table = ast.parse(source), symtable.symtable(source, "test", "exec")
        own = {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_assigned() or symbol.is_imported()
        }
        reads = _global_reads(table) | {
            symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()
        }
        understood = all(_keeps_nothing(node, reads - own) for node in ast.walk(tree))
    except _UNREADABLE:
        return Facts()
    reads = {name for name in reads if not name.startswith(PRIVATE)}
    return Facts(understood, binds=frozenset(own), reads=frozenset(reads))


_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORT = (ast.Import, ast.ImportFrom)


def _global_reads(table: symtable.SymbolTable) -> set[str]:
    """Names that functions, classes and comprehensions take from the top level, by Python's own
    scoping."""
    names, todo = set(), list(table.get_children())
    while todo:
        scope = todo.pop()
        names |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        todo += scope.get_children()
    return names


def _definitions_read(tree: ast.Module) -> set[str]:
    """Names that definitions at the top level keep: in defaults, decorators and bases."""
    kept = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            kept += [
                *node.args.defaults,
                *(default for default in node.args.kw_defaults if default),
            ]
        if isinstance(node, _DEFINITION):
            kept += node.decorator_list + getattr(node, "bases", [])
    return {name.id for part in kept for name in ast.walk(part) if isinstance(name, ast.Name)}


def _is_plain(statement: ast.stmt, modules: frozenset[str]) -> bool:
    """Whether a statement does nothing but bind names to a definition, a module or a constant."""
    if isinstance(statement, _DEFINITION) or isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, _IMPORT):
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
        and _is_constant(statement.value)
        and all(isinstance(target, ast.Name) for target in statement.targets)
    )


def _top_names(statement: ast.stmt) -> set[str]:
    """The names that a plain statement binds at the top level."""
    return {statement.name} if isinstance(statement, _DEFINITION) else bound_names(statement)


def _may_change(statement: ast.stmt) -> bool:
    """Whether what a plain statement binds could be changed through its name: a module that is not
    trusted, a constant of one."""
    if not isinstance(statement, _IMPORT):
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
        root
        for node in ast.walk(statement)
        if isinstance(node, (ast.Attribute, ast.Subscript))
        and not isinstance(node.ctx, ast.Load)
        and (root := _root(node))
    }


def _is_constant(node: ast.AST | None) -> bool:
    """Whether an expression is a constant, or made of constants in no time, and cannot be
    changed."""
    if isinstance(node, (ast.Tuple, ast.UnaryOp)):
        return all(
            _is_constant(child)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.expr)
        )
    if isinstance(node, ast.BinOp):
        return all(
            isinstance(side, ast.Constant) and isinstance(side.value, (int, float))
            for side in (node.left, node.right)
        ) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))
    return node is None or isinstance(node, ast.Constant)


# --------------------------------------------------------------------------------------------------
# Does a definition keep anything from one call to the next?
# --------------------------------------------------------------------------------------------------


def _keeps_nothing(node: ast.AST, outside: set[str]) -> bool:
    """Of any node in a definition: as far as one can see it makes nothing that all calls share, and
    changes nothing that
    lasts. outside: the names that are not its own.
    """
    if isinstance(node, (ast.Global, *_IMPORT)):
        return False
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        defaults = (*node.args.defaults, *node.args.kw_defaults)
        return all(
            _is_constant(default) or _dotted(default) for default in defaults
        ) and _decorators_are_plain(node, outside)
    if isinstance(node, ast.ClassDef):
        return (
            not node.keywords
            and all(map(_dotted, node.bases))
            and _decorators_are_plain(node, outside)
            and all(
                isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass))
                or (
                    isinstance(part, (ast.Assign, ast.AnnAssign, ast.Expr))
                    and _is_constant(part.value)
                )
                for part in node.body
            )
        )
    if _is_suspect(node, _SUSPECT):
        return False
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return _root(node) not in outside | {None}
    # another name for something from outside could be used to change it
    if isinstance(node, ast.Assign):
        return not (isinstance(node.value, ast.Name) and node.value.id in outside)
    if isinstance(node, ast.Call):
        name = _last(node.func) or ""
        from_outside = _root(node.func) in outside | {None}
        return (
            not (name.startswith(_LASTING) and (from_outside or name.startswith(("enter", "__"))))
            or name in _PASSING
        )
    return True


def _is_suspect(node: ast.AST, names: frozenset[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Attribute) and node.attr in names & _SUSPECT_ATTRIBUTES


def _decorators_are_plain(node: ast.AST, outside: set[str]) -> bool:
    for decorator in getattr(node, "decorator_list", []):
        called = (
            decorator.func if isinstance(decorator, ast.Call) and not decorator.args else decorator
        )
        if _dotted(called) not in _DECORATORS | _TORCH_DECORATORS:
            return False
    return True


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
    """The last name of a.b.c."""
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else None
    )
