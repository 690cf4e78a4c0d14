"""What a test cell must not do if it is to be sealed, and the names that sealing knows.

Each rule is there because something written otherwise could not be taken apart by its syntax alone.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from nbseal.cells.python import bound_by
from nbseal.checks import OPERATIONS

PRIVATE = "_course_"  # not with two underscores: Python would mangle it inside a class
# What a sealed cell may call of the course's grading vocabulary. Criteria only ever stand in
# deleted arguments.
KEPT_NAMES = frozenset(
    "by_hand changes differs expect fill_ printed raises sample sample_ids".split()
)
COURSE_NAMES = KEPT_NAMES | {"answer_key"}
# from which a test cell may import these; to the cell they mean the course's own in any case
COURSE_MODULES = ("utils", "checks", "nbseal.checks")


class SealingError(Exception):
    """A test cell is written in a way that cannot be sealed. The text says where, why, and what to
    write instead."""

    def __init__(self, line: int, problem: str, instead: str):
        super().__init__(f"line {line}: {problem}; {instead}")
        self.line, self.problem, self.instead = line, problem, instead


@dataclass(frozen=True)
class ByHand:
    """One ``by_hand`` call: the name of the student's function or class, and what it must do
    without."""

    target: str
    without: tuple[str, ...]
    hidden: bool


def is_course_module(name: str | None) -> bool:
    """Whether it is one of them, or a module in one of them."""
    return name is not None and f"{name}.".startswith(tuple(f"{one}." for one in COURSE_MODULES))


def is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def check_imports(nodes: Sequence[ast.AST]) -> None:
    for node in nodes:
        if not isinstance(node, ast.ImportFrom):
            continue
        if any(alias.name == "*" for alias in node.names):
            raise SealingError(
                node.lineno,
                f"`from {node.module} import *` hides which names the cell uses",
                "import the names one by one",
            )
        for alias in node.names:
            if (
                is_course_module(node.module)
                and alias.name in COURSE_NAMES
                and alias.asname not in (None, alias.name)
            ):
                raise SealingError(
                    node.lineno,
                    f"`{alias.name}` is renamed to `{alias.asname}`",
                    f"call {alias.name} by its own name",
                )


def check_bindings(nodes: Sequence[ast.AST]) -> None:
    """A course name must mean the course's function throughout a test cell."""
    own_imports = {
        id(alias)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and is_course_module(node.module)
        for alias in node.names
    }
    for node in nodes:
        if isinstance(node, ast.alias) and id(node) in own_imports:
            continue
        name = node.arg if isinstance(node, ast.arg) else bound_by(node)
        if name in COURSE_NAMES:
            raise SealingError(
                getattr(node, "lineno", 1),
                f"the test cell gives `{name}` another meaning",
                "choose another name",
            )


def check_direct_calls(nodes: Sequence[ast.AST]) -> None:
    """``expect``, ``by_hand`` and ``answer_key`` are called by name, where they stand; nothing may
    carry them elsewhere."""
    direct = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    contexts = {
        id(item.context_expr.func)
        for node in nodes
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
    }
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in ("expect", "by_hand", "answer_key"):
            if id(node) not in direct:
                raise SealingError(
                    node.lineno,
                    f"`{node.id}` is used without being called",
                    f"call {node.id}(...) directly",
                )
            if node.id == "answer_key" and id(node) not in contexts:
                raise SealingError(
                    node.lineno,
                    "`answer_key()` is called outside a with statement",
                    "write `with answer_key():`",
                )
        elif (
            isinstance(node, ast.Attribute)
            and node.attr in ("expect", "by_hand", "answer_key")
            and isinstance(node.value, ast.Name)
            and node.value.id in COURSE_MODULES
        ):
            raise SealingError(
                node.lineno,
                f"`{node.value.id}.{node.attr}` cannot be sealed",
                f"call {node.attr}(...) by its own name",
            )


def check_expect(call: ast.Call) -> None:
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    ):
        raise SealingError(
            call.lineno, "`expect` is called with * or **", "write its arguments out"
        )
    names = {keyword.arg for keyword in call.keywords}
    for position, name in enumerate(("label", "answer", "expected")):
        if len(call.args) <= position and name not in names:
            raise SealingError(
                call.lineno,
                f"`expect` is called without its {name}",
                'write expect("what is checked", answer, expected)',
            )
    if len(call.args) > 3:
        raise SealingError(
            call.lineno,
            "`expect` takes three positional arguments",
            "name the others: of=, tolerance=, mistakes=",
        )


def by_hand(call: ast.Call, hidden: bool) -> ByHand:
    """What a ``by_hand`` call asks for."""
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "without"), None)
    words = _words(given)
    if (
        len(call.args) != 1
        or not isinstance(call.args[0], ast.Name)
        or not words
        or len(call.keywords) != 1
    ):
        raise SealingError(
            call.lineno,
            "`by_hand` cannot be read without running it",
            'write by_hand(name, without="normalisation"), or a list of groups and names',
        )
    if isinstance(given, ast.Constant) and words[0] not in OPERATIONS:
        raise SealingError(
            call.lineno,
            f"`by_hand` knows no group {words[0]!r} of ready-made operations",
            f"the groups are {', '.join(OPERATIONS)}; names stand in a list",
        )
    return ByHand(call.args[0].id, words, hidden)


def _words(given: ast.expr | None) -> tuple[str, ...]:
    """The texts of a text, or of a list of them; none of anything else."""
    items = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    texts = [item.value for item in items if isinstance(item, ast.Constant)]
    words = tuple(text for text in texts if isinstance(text, str))
    return words if len(words) == len(items) else ()
