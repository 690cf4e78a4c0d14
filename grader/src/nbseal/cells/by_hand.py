"""Is a task that asks for code *by hand* written by hand? Read from the submitted source, without
running it.

``by_hand(layer_norm, without=["layer_norm", "LayerNorm"])`` in a sealed cell names a function or
class of the student's and what it must not use. From its definition the reader follows names
through the notebook - helpers, aliases, imports, base classes - and looks for the forbidden
operations: as attributes (``F.layer_norm``, ``nn.LayerNorm``,
``torch.ops.aten.native_layer_norm``), imported under any name, starred in, or spelled in a string
for ``getattr``. What hides from reading (``eval``, computed attribute names, code in a file of the
student's) is *undecided*: flagged for the instructor, and not punished. The session's own watch
over torch's operations catches most of it at work.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from nbseal.cells.meddling import is_readable
from nbseal.cells.python import as_python, bound_names

# Calls and attributes behind which anything can hide.
DYNAMIC = frozenset(
    {
        "eval",
        "exec",
        "compile",
        "__import__",
        "import_module",
        "globals",
        "locals",
        "vars",
        "__dict__",
        "__getattribute__",
        "attrgetter",
        "methodcaller",
        "ctypes",
        "__code__",
        "__globals__",
        "__builtins__",
        "modules",
        "_C",
        "f_globals",
        "gc",
        "ops",
        "jit",
        "CompilationUnit",
        "__subclasses__",
        "__bases__",
        "__mro__",
        "__self__",
        "__closure__",
        "get_ipython",
        # These have layer norms inside.
        "Transformer",
        "TransformerEncoder",
        "TransformerEncoderLayer",
        "TransformerDecoder",
        "TransformerDecoderLayer",
    }
)
MAX_TEXT = 10_000  # of a text, so much is looked at
READ_BY_NAME = frozenset(
    {"getattr", "attrgetter", "methodcaller", "__getattribute__", "__getattr__"}
)
# Of Python's own modules those that run or load other code, or run it where nobody watches.
_HIDING = {
    "ast",
    "builtins",
    "code",
    "codeop",
    "concurrent",
    "copyreg",
    "ctypes",
    "gc",
    "imp",
    "importlib",
    "inspect",
    "marshal",
    "multiprocessing",
    "pickle",
    "pickletools",
    "pkgutil",
    "pydoc",
    "runpy",
    "shelve",
    "subprocess",
    "threading",
    "_thread",
    "timeit",
    "types",
    "unittest",
    "zipimport",
}
LIBRARIES = frozenset(sys.stdlib_module_names) - _HIDING | {
    "torch",
    "numpy",
    "scipy",
    "matplotlib",
    "seaborn",
    "pandas",
    "sklearn",
    "utils",
    "einops",
    "tqdm",
    "IPython",
}


@dataclass(frozen=True)
class Reading:
    """What the source says: `violation` is a use of a forbidden operation, `undecided` are places
    that hide from reading."""

    violation: str | None = None
    undecided: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Binding:
    """One place that gives a top-level name its meaning."""

    cell: int  # index in the notebook
    node: ast.AST


@dataclass
class _Names:
    """What the top level of a notebook says about names, up to some cell. The last cell that binds
    a name counts."""

    bindings: dict[str, list[_Binding]] = field(default_factory=dict)
    # name -> (module, original name)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)  # name -> module
    starred: list[str] = field(default_factory=list)


def read(cells: Sequence[tuple[int, str]], target: str, without: Iterable[str]) -> Reading:
    """Read what `target` uses. cells: (index in the notebook, source) of the student's code cells
    before the test."""
    forbidden = {canonical(name): name for name in without}
    try:
        return _Reader(_collect(cells), forbidden).follow(target)
    except RecursionError:
        return Reading(None, ("its source is nested too deeply to be read",))


def canonical(name: str) -> str:
    """One spelling for an operation's function, class and internal name: LayerNorm, layer_norm,
    native_layer_norm."""
    letters = re.sub(
        r"\d+d$", "", name.strip("_").lower().removeprefix("native_").removeprefix("_")
    )
    return letters.replace("_", "")


def _collect(cells: Sequence[tuple[int, str]]) -> _Names:
    names = _Names()
    for index, source in cells:
        here: dict[str, list[_Binding]] = {}
        for statement, imports, bound in _statements(source):
            for node in imports:
                _note_import(names, node)
            for name in bound:
                here.setdefault(name, []).append(_Binding(index, statement))
        names.bindings |= here
    return names


@lru_cache(maxsize=256)  # one notebook is read once for every test
def _statements(source: str) -> tuple[tuple[ast.AST, tuple[ast.AST, ...], frozenset[str]], ...]:
    """Top-level statements of a cell, the imports in them, and the names they bind. None of a cell
    that does not run."""
    if not is_readable(source):
        return ()
    try:
        tree = _parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError):
        return ()
    return tuple(
        (
            statement,
            tuple(
                node
                for node in ast.walk(statement)
                if isinstance(node, (ast.Import, ast.ImportFrom))
            ),
            frozenset(_top_level_names(statement)),
        )
        for statement in tree.body
    )


def _parse(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.parse(as_python(source))


def _note_import(names: _Names, node: ast.AST) -> None:
    for alias in node.names:
        if isinstance(node, ast.Import):
            names.modules[alias.asname or alias.name.split(".")[0]] = (
                alias.name if alias.asname else alias.name.split(".")[0]
            )
        elif alias.name == "*":
            names.starred.append(node.module or "")
        else:
            names.imported[alias.asname or alias.name] = (node.module or "", alias.name)


def _top_level_names(statement: ast.AST) -> set[str]:
    """Names that a top-level statement binds at the top level, also inside if, for, try and
    with."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return set()
    return bound_names(statement) | {
        node.targets[0].value.id
        for node in ast.walk(statement)  # f.__code__ = ..., f[0] = ...
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], (ast.Attribute, ast.Subscript))
        and isinstance(node.targets[0].value, ast.Name)
    }


class _Reader:
    """Follows one target through the notebook."""

    def __init__(self, names: _Names, forbidden: dict[str, str]):
        self.names, self.forbidden = names, forbidden
        self.seen: set[str] = set()
        self.undecided: list[str] = []

    def follow(self, target: str) -> Reading:
        if target not in self.names.bindings and target not in self.names.imported:
            return Reading(None, (f"no cell defines `{target}` in a way that can be read",))
        waiting = [target]
        while waiting:
            name = waiting.pop()
            if name in self.seen:
                continue
            self.seen.add(name)
            violation = self._imported(name)
            for binding in self.names.bindings.get(name, []):
                violation = violation or self._scan(binding)
                waiting += _free_names(binding.node)
            if violation:
                return Reading(violation, tuple(self.undecided))
        return Reading(None, tuple(dict.fromkeys(self.undecided)))

    def _imported(self, name: str) -> str | None:
        if name in self.names.bindings:
            return None
        if name in self.names.imported:
            module, original = self.names.imported[name]
            if canonical(original) in self.forbidden:
                return f"it uses {original} from {module}"
            self._library(module)
        elif name in self.names.modules:
            self._library(self.names.modules[name])
        elif self.names.starred and canonical(name) in self.forbidden and name[0] != "_":
            return f"it uses {name} from {self.names.starred[-1]}"
        return None

    def _library(self, module: str) -> None:
        if module.split(".")[0] not in LIBRARIES:
            self.undecided.append(
                f"it uses the module {module}, whose source is not part of the notebook"
            )

    def _scan(self, binding: _Binding) -> str | None:
        where = f"in cell {binding.cell + 1}"
        stored = {
            id(target)
            for node in ast.walk(binding.node)
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        }
        for node in ast.walk(binding.node):
            if isinstance(node, ast.Attribute):
                if (
                    canonical(node.attr) in self.forbidden
                    and id(node) not in stored
                    and not _is_own(node)
                ):
                    return f"it uses {ast.unparse(node)} {where}"
                if node.attr in DYNAMIC or (
                    _holds(node.attr, self.forbidden) and not _is_own(node)
                ):
                    self.undecided.append(f"`{ast.unparse(node)}` {where}")
            elif (
                isinstance(node, ast.Name) and node.id in DYNAMIC and isinstance(node.ctx, ast.Load)
            ):
                self.undecided.append(f"`{node.id}` {where}")
            elif isinstance(node, ast.MatchClass) and any(
                canonical(name) in self.forbidden for name in node.kwd_attrs
            ):
                return f"it matches {ast.unparse(node)} {where}"
            elif isinstance(node, ast.Call):
                violation = self._read_by_name(node, where)
                if violation:
                    return violation
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                violation = self._local_import(node, where)
                if violation:
                    return violation
        return self._loose_strings(binding.node, where)

    def _read_by_name(self, call: ast.Call, where: str) -> str | None:
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name not in READ_BY_NAME:
            return None
        texts = [
            node.value
            for argument in call.args
            for node in ast.walk(argument)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        for text in texts:
            if any(canonical(part) in self.forbidden for part in text.split(".")):
                return f"it reads {text!r} by name {where}"
        if name == "getattr" and len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
            self.undecided.append(f"`{ast.unparse(call)}` {where}")
        return None

    def _local_import(self, node: ast.AST, where: str) -> str | None:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if canonical(alias.name) in self.forbidden:
                    return f"it imports {alias.name} from {node.module} {where}"
            self._library(node.module or ".")
        else:
            for alias in node.names:
                self._library(alias.name)
        return None

    def _loose_strings(self, tree: ast.AST, where: str) -> None:
        """A forbidden name as a text of its own, not in an attribute lookup that could be read:
        worth a look."""
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in _docstrings(tree)
                and any(
                    _holds(word, self.forbidden) or canonical(word) in self.forbidden
                    for word in re.findall(r"\w+", node.value[:MAX_TEXT])
                )
            ):
                self.undecided.append(f"the text {node.value[:60]!r} {where}")


def _holds(name: str, forbidden: dict[str, str]) -> bool:
    """Whether a name holds a forbidden one as whole words: _native_batch_norm_legit, SyncBatchNorm;
    not normalized_shape."""
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    runs = {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
    # A forbidden word as short as `grad` is part of too many honest names.
    return any(len(word) > 8 and word in runs for word in forbidden)


def _docstrings(tree: ast.AST) -> set[int]:
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and isinstance(node.body[0], ast.Expr)
    }


def _is_own(node: ast.Attribute) -> bool:
    """Whether an attribute is one that the student's own class has: self.layer_norm."""
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _free_names(tree: ast.AST) -> list[str]:
    """Names that a definition reads from the notebook's top level."""
    local: set[str] = set()
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        local = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | bound_names(
            tree
        ) - {tree.name}
        local -= {
            name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
        }
    return [
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in local
    ]
