"""Take the expected values out of a test cell, by its syntax alone.

``seal`` turns

    x = sample(5, 16, seed=7)
    with answer_key():
        reference = nn.LayerNorm(16)
    expect("matches torch", layer_norm(x), reference(x), mistakes={"n - 1": wrong(x)})

into

    x = _course_sample(5, 16, seed=7)
    pass
    _course_expect("matches torch", layer_norm(x))

The sealed cell is what a student's session runs. From every ``expect`` label and answer stay,
``answer_key`` blocks go, course names are bound privately (a student's own ``sample`` changes
nothing), all else is kept as it is. Nothing is executed, and no statement is judged "unused":
slicing those away was tried and is unsound. What cannot be sealed is refused with a sentence.
"""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass

from nbseal.cells.python import as_python, bound_names, parse
from nbseal.cells.sealable import (
    COURSE_NAMES,
    KEPT_NAMES,
    PRIVATE,
    ByHand,
    SealingError,
    by_hand,
    check_bindings,
    check_direct_calls,
    check_expect,
    check_imports,
    is_course_module,
    is_name,
)

HIDDEN_BEGIN = re.compile(r"^\s*#+ *BEGIN HIDDEN TESTS", re.IGNORECASE)
HIDDEN_END = re.compile(r"^\s*#+ *END HIDDEN TESTS", re.IGNORECASE)


@dataclass(frozen=True)
class Site:
    """One ``expect`` call in the source of a test cell: its first line, and whether it is hidden
    from students."""

    line: int
    hidden: bool


@dataclass(frozen=True)
class Sealed:
    """A sealed test cell: its source, where its checks stood, and what has to be written by
    hand."""

    source: str
    sites: tuple[Site, ...]
    by_hand: tuple[ByHand, ...]

    @property
    def shown(self) -> tuple[int, ...]:
        """The lines of the full source on which ``expect`` calls stand that students see."""
        return tuple(site.line for site in self.sites if not site.hidden)


def uses_expect(source: str) -> bool:
    """Whether a test cell calls ``expect``, and so is to be sealed. Cells that are not Python are
    not."""
    try:
        tree = parse(source)
    except SyntaxError:
        return False
    return any(
        isinstance(node, ast.Call) and is_name(node.func, "expect") for node in ast.walk(tree)
    )


def key_of(run_key: str, test: str) -> str:
    """The key that one test cell draws with. Whoever knows it knows nothing of other cells."""
    return hashlib.sha256(f"{run_key}:{test}".encode()).hexdigest()[:32]


def seal(source: str) -> Sealed:
    """Seal one test cell. Raises SealingError where its syntax does not allow it."""
    try:
        tree = parse(source)
    except SyntaxError as error:
        raise SealingError(
            error.lineno or 1, "the cell is not valid Python", "mend the syntax"
        ) from None
    hidden = _hidden_lines(source)
    nodes = list(ast.walk(tree))
    check_imports(nodes)
    check_bindings(nodes)
    check_direct_calls(nodes)
    sites, hands = [], []
    for node in nodes:
        if isinstance(node, ast.Call) and is_name(node.func, "expect"):
            check_expect(node)
            sites.append(Site(node.lineno, node.lineno in hidden))
        elif isinstance(node, ast.Call) and is_name(node.func, "by_hand"):
            hands.append(by_hand(node, node.lineno in hidden))
    stripper = _Stripper()
    kept = ast.fix_missing_locations(stripper.visit(tree))
    _check_escapes(kept, stripper.dropped)
    text = ast.unparse(_Privatise().visit(kept)) + "\n"
    return Sealed(text, tuple(sorted(sites, key=lambda site: site.line)), tuple(hands))


# --------------------------------------------------------------------------------------------------
# The steps of sealing
# --------------------------------------------------------------------------------------------------


def _hidden_lines(source: str) -> set[int]:
    """The numbers of the lines between BEGIN and END HIDDEN TESTS, which nbgrader removes for
    students."""
    lines, inside = set(), False
    for number, line in enumerate(as_python(source).split("\n"), start=1):
        if HIDDEN_BEGIN.match(line):
            inside = True
        if inside:
            lines.add(number)
        if HIDDEN_END.match(line):
            inside = False
    return lines


class _Stripper(ast.NodeTransformer):
    """Deletes answer_key blocks and all arguments of expect but label and answer; remembers what
    the blocks bound."""

    def __init__(self):
        self.dropped: dict[str, int] = {}

    def visit_With(self, node: ast.With) -> ast.AST:
        marks = [
            isinstance(item.context_expr, ast.Call)
            and is_name(item.context_expr.func, "answer_key")
            for item in node.items
        ]
        if not any(marks):
            return self.generic_visit(node)
        item = node.items[0]
        if (
            len(marks) > 1
            or item.optional_vars
            or not isinstance(item.context_expr, ast.Call)
            or item.context_expr.args
            or item.context_expr.keywords
        ):
            raise SealingError(
                node.lineno,
                "`answer_key()` shares its with statement",
                "write `with answer_key():` alone",
            )
        self._drop(node)
        return ast.copy_location(ast.Pass(), node)

    def _drop(self, block: ast.With) -> None:
        names = {name for statement in block.body for name in bound_names(statement)}
        for node in (node for statement in block.body for node in ast.walk(statement)):
            if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)):
                raise SealingError(
                    node.lineno,
                    "an answer_key block leaves its place (return, yield, global)",
                    "compute expected values only",
                )
            if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
                owner = node.value
                while isinstance(owner, (ast.Attribute, ast.Subscript)):
                    owner = owner.value
                if isinstance(owner, ast.Name) and owner.id not in names:
                    raise SealingError(
                        node.lineno,
                        f"an answer_key block changes `{owner.id}`, which lives outside of it",
                        "change only what the block made itself",
                    )
        for name in names:
            self.dropped.setdefault(name, block.lineno)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if is_name(node.func, "expect"):
            node.args = node.args[:2]
            node.keywords = [
                keyword for keyword in node.keywords if keyword.arg in ("label", "answer")
            ]
        return self.generic_visit(node)


def _check_escapes(kept: ast.Module, dropped: dict[str, int]) -> None:
    for node in ast.walk(kept):
        if (
            isinstance(node, ast.Name)
            and node.id in dropped
            and not isinstance(node.ctx, ast.Store)
        ):
            raise SealingError(
                node.lineno,
                f"`{node.id}` is bound in an answer_key block (line {dropped[node.id]}) and used "
                "outside of one",
                "use it only for expected values, or bind it outside the block",
            )


class _Privatise(ast.NodeTransformer):
    """Gives course names the prefix under which the session binds the course's own functions."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in KEPT_NAMES:
            node.id = PRIVATE + node.id
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if not is_course_module(node.module):
            return node
        node.names = [alias for alias in node.names if alias.name not in COURSE_NAMES]
        return node if node.names else ast.copy_location(ast.Pass(), node)
