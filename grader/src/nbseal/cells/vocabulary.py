"""Whether a notebook's `expect` is the one of nbseal.checks, told from its imports alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path

from nbseal.cells.python import parse

OURS = frozenset({"checks", "nbseal.checks"})
NAME = "expect"


def speaks(sources: Iterable[str], folders: Sequence[Path]) -> bool:
    """Whether `expect` in these cells is nbseal.checks', also by way of a module in one of these
    folders.

    A function of that name that a module or the notebook itself defines is a function like all
    others.
    """
    return all(origin for source in sources for origin in _origins(source, folders, seen=()))


def _origins(source: str, folders: Sequence[Path], seen: tuple[str, ...]) -> list[bool]:
    """For each statement that binds `expect`: whether it binds ours."""
    try:
        tree = parse(source)
    except SyntaxError:
        return []
    found = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            found += _imported(node, folders, seen)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found += [False] * (node.name == NAME)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [False] * any(
                isinstance(target, ast.Name) and target.id == NAME for target in targets
            )
    return found


def _imported(node: ast.ImportFrom, folders: Sequence[Path], seen: tuple[str, ...]) -> list[bool]:
    names = {alias.asname or alias.name for alias in node.names}
    module = node.module or ""
    if not names & {NAME, "*"}:
        return []
    if module in OURS:
        return [True]
    places = [folder / (module.replace(".", "/") + ".py") for folder in folders]
    file = next((place for place in places if place.is_file()), None)
    if module in seen or file is None:
        return [False] if NAME in names else []
    return _origins(file.read_text(encoding="utf-8", errors="replace"), folders, (*seen, module))
