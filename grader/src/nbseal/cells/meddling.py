"""Does a student's notebook meddle with what a by-hand task is watched with? Read from its source,
without running it.

cells/by_hand.py follows a task's definition from name to name. What another cell does to torch, to
Python or to the session - a method that Tensor did not have, a watch that was switched off, a name
bound by a text that is executed - is not on that way. Such cells are pointed out to the instructor:
honest solutions have no use for any of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

from nbseal.cells.python import as_python

# As names: what runs a text or reaches names by text.
NAMES = frozenset({"exec", "eval", "globals", "locals", "__import__", "get_ipython", "breakpoint"})
# As names, attributes or modules: ways into a running interpreter.
ANYWHERE = frozenset(
    {
        "gc",
        "ctypes",
        "_getframe",
        "currentframe",
        "f_back",
        "f_locals",
        "f_globals",
        "get_referrers",
        "get_objects",
        "settrace",
        "setprofile",
        "meta_path",
        "path_hooks",
        "__code__",
        "__globals__",
        "__closure__",
        "__subclasses__",
        "__bases__",
        "builtins",
        "__builtins__",
        "_by_hand",
        "_course_utils",
        "_C",
        "input_transformers_post",
        "input_transformers_cleanup",
        "ast_transformers",
        "run_cell",
        "threading",
        "multiprocessing",
        "concurrent",
        "marshal",
        "pickle",
        "runpy",
        "pydoc",
        "inspect",
        "CompilationUnit",
    }
)
LIBRARIES = frozenset(
    {"torch", "numpy", "np", "nn", "F", "Tensor", "utils", "sys", "builtins", "functional"}
)
SETTINGS = frozenset({"backends", "stdout", "stderr", "path"})  # that honest notebooks do assign

HARMLESS_MAGIC = re.compile(r"^([ \t]*)(?:[!?]|%%?(?!run|load|cython|cell|ipython)).*$", re.M)

# A cell beyond these takes longer to read than is worth it. IPython reads it once more for each
# magic in it.
MAX_SOURCE, MAX_READING = 100_000, 500_000
MAGIC = re.compile(r"^[ \t]*[!%?]|=[ \t]*[!%]|\?[ \t]*$", re.M)


def meddling(cells: Sequence[tuple[int, str]]) -> list[str]:
    """What a person should look at in a student's own code cells: (index in the notebook,
    source)."""
    found = [
        f"{what} in cell {index + 1}" for index, source in cells for what in _in_source(source)
    ]
    return list(dict.fromkeys(found))


def is_readable(source: str) -> bool:
    """Whether a cell is short enough to be read at all; IPython's own reading takes a pass for each
    magic."""
    return (
        len(source) <= MAX_SOURCE
        and len(source) * sum(1 for _ in MAGIC.finditer(source)) <= MAX_READING
    )


@lru_cache(maxsize=256)
def _in_source(source: str) -> tuple[str, ...]:
    if not is_readable(source):
        return ("source too long to be read",)
    try:
        tree = _parse(source)
        return tuple(dict.fromkeys(what for node in ast.walk(tree) if (what := _in_node(node))))
    except SyntaxError:
        return ()
    except (ValueError, RecursionError, MemoryError, RuntimeError):
        return ("source that cannot be read",)


def _parse(source: str) -> ast.Module:
    """A cell's tree without its magics; where that is no Python, with the calls that IPython makes
    of them."""
    try:
        return ast.parse(re.sub(HARMLESS_MAGIC, r"\1pass", source))
    except SyntaxError:
        return ast.parse(as_python(source))


def _in_node(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name) and (node.id in ANYWHERE or node.id in NAMES):
        return f"`{node.id}`"
    if isinstance(node, ast.Attribute):
        if node.attr in ANYWHERE:
            return f"`{node.attr}`"
        if isinstance(node.ctx, ast.Store) and _library(node):
            return f"an assignment to `{ast.unparse(node)}`"
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "setattr"
        and node.args
        and _library(node.args[0])
    ):
        return f"`{ast.unparse(node)[:80]}`"
    modules = []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        modules = [node.module or "", *(alias.name for alias in node.names)]
    return next(
        (f"`import {module}`" for module in modules if ANYWHERE & set(module.split("."))), None
    )


def _library(node: ast.AST) -> bool:
    """Whether an expression is a part of a library: torch.Tensor.usual."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return isinstance(node, ast.Name) and node.id in LIBRARIES and not SETTINGS & set(parts)
