"""Whether a notebook's `expect` or `check` is the one of nbseal.checks, told from its imports
alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from nbseal import checks
from nbseal.cells.python import parse
from nbseal.view import CourseView

OURS = "nbseal.checks"
LONGEST = 500_000  # characters of a module that is read


def speaks(
    sources: Iterable[str],
    folder: Path | None,
    course: CourseView,
    unknown: bool = False,
    word: str = "expect",
) -> bool:
    """Whether `expect`, or another word, in these cells is nbseal.checks', also by way of a module
    of the course, of the notebook's folder or of this Python.

    A function of that name that a module or the notebook itself defines is a function like all
    others. unknown: the answer where nothing tells whose it is.
    """
    modules = _Modules(folder, course, word)
    found = [ours for source in sources for ours in modules.bindings(source, ())]
    return all(found) if found else unknown


def is_ours(path: Path) -> bool:
    """Whether a folder is nbseal.checks, copied into a course so that students have it, or a file
    is: it was one file in other versions."""
    file = path / "__init__.py" if path.is_dir() else path
    return file.is_file() and _beginning(file) == _beginning(Path(checks.__file__))


def _beginning(file: Path) -> bytes:
    """What a module's first line says before its colon."""
    with open(file, "rb") as opened:
        return opened.readline(1000).rstrip().partition(b":")[0]


class _Modules:
    """The modules that a notebook can import, as files; none of them is run."""

    def __init__(self, folder: Path | None, course: CourseView, word: str):
        self._folder, self._word = folder, word
        self._course, self._given = Path(course.root), course.files

    def bindings(self, source: str, seen: tuple[str, ...]) -> Iterator[bool]:
        """For each statement that binds the word outside of functions: whether it binds ours."""
        try:
            statements = list(_outside_functions(parse(source)))
        except (SyntaxError, ValueError, RecursionError):
            return
        for node in statements:
            if isinstance(node, ast.ImportFrom):
                yield from self._imported(node, seen)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from [False] * (node.name == self._word)
            elif isinstance(node, ast.Import):
                yield from (False for alias in node.names if alias.asname == self._word)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (False for target in targets if self._word in _names(target))

    def _imported(self, node: ast.ImportFrom, seen: tuple[str, ...]) -> Iterator[bool]:
        module, given = node.module or "", {alias.asname or alias.name for alias in node.names}
        word = self._word
        if not given & {word, "*"} or module in seen:
            return
        if word in given and not any(
            alias.name == word and alias.asname in (None, word) for alias in node.names
        ):
            yield False  # another function under this name
        elif module == OURS:
            yield True
        elif (file := self._file(module)) is None:
            yield from [False] * (word in given)
        elif is_ours(file) or is_ours(file.parent):
            yield True
        else:
            text = file.read_text(encoding="utf-8", errors="replace")[:LONGEST]
            found = list(self.bindings(text, (*seen, module)))
            # by a name that the module makes in ways that are not seen here
            yield from found or [False] * (word in given)

    def _file(self, module: str) -> Path | None:
        parts = module.split(".")
        places = [Path(*parts[:-1], f"{parts[-1]}.py"), Path(*parts, "__init__.py")]
        for place in places if module else ():
            folders = [self._folder] if self._folder else []
            folders += [self._course] * any(map(place.is_relative_to, self._given))
            file = next((path for one in folders if (path := one / place).is_file()), None)
            if file is not None:
                return file
        return _installed(module)


@cache
def _installed(module: str) -> Path | None:
    """The file of a module of this Python, found without importing what it lies in."""
    path, found = list(sys.path), None
    name = ""
    for part in module.split(".") if module else ():
        name = f"{name}.{part}" if name else part
        try:
            found = PathFinder.find_spec(name, path)
        except (ImportError, ValueError):
            return None
        path = list(found.submodule_search_locations or ()) if found else []
    file = Path(found.origin) if found and found.has_location and found.origin else None
    return file if file is not None and file.suffix == ".py" else None


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.ExceptHandler)):
            yield from _outside_functions(node)


def _names(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
