"""The rules for test cells that their syntax shows: what cannot be proved by running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from nbseal.cells.python import as_python, bound_names
from nbseal.cells.sealing import COURSE_NAMES


@dataclass(frozen=True)
class Violation:
    """A rule that a test cell breaks, and what to write instead."""

    cell: str
    rule: str
    problem: str
    instead: str


def student_names(solutions: list[str]) -> set[str]:
    """Names that solution cells bind at their top level: what these names stand for is a
    student's."""
    names: set[str] = set()
    for source in solutions:
        try:
            tree = ast.parse(as_python(source))
        except SyntaxError:
            continue
        for statement in tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.add(statement.name)
            else:
                names |= bound_names(statement)
    return names


def not_imported(cell: str, source: str, bound: set[str]) -> Iterator[Violation]:
    """A test uses a name of nbseal.checks that no cell binds. Sealed it has it all the same; in the
    student's notebook it has not."""
    read = {
        node.id for node in ast.walk(ast.parse(as_python(source))) if isinstance(node, ast.Name)
    }
    for name in sorted((read & COURSE_NAMES) - bound if "*" not in bound else ()):
        yield Violation(
            cell,
            "imported",
            f"it uses `{name}`, which no cell imports, so it fails in the notebook itself",
            f"import `{name}` in the notebook's first cells",
        )


def check_syntax(cell: str, source: str, students: set[str]) -> Iterator[Violation]:
    """Rules about loops, conditions and asserts in one test cell."""
    tree = ast.parse(as_python(source))
    theirs = _tainted(tree, students)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield Violation(
                cell,
                "assert",
                f"line {node.lineno} has an assert, which a submission can patch away",
                "write it as an `expect`",
            )
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            if _holds_expect(node, tree) and _reads(node.iter, theirs):
                yield Violation(
                    cell,
                    "loop",
                    f"line {node.iter.lineno} loops over `{ast.unparse(node.iter)}`, which student "
                    "code made",
                    "loop over a literal or over what the test made itself",
                )
        elif (
            isinstance(node, (ast.If, ast.While, ast.IfExp))
            and _holds_expect(node, tree)
            and _reads(node.test, theirs)
        ):
            yield Violation(
                cell,
                "condition",
                f"line {node.test.lineno} decides by `{ast.unparse(node.test)}`, which student "
                "code made, whether to check",
                "check in any case",
            )
        elif isinstance(node, ast.Try) and _holds_expect(node, tree):
            yield Violation(
                cell,
                "condition",
                f"line {node.lineno} puts `expect` into a try statement",
                "use raises(f, x) as the answer",
            )


def _holds_expect(node: ast.AST, tree: ast.Module) -> bool:
    """Whether an `expect` runs under the control of this node; for a comprehension, one in its
    element."""
    if isinstance(node, ast.comprehension):
        owners = (owner for owner in ast.walk(tree) if node in getattr(owner, "generators", ()))
        return any(_calls_expect(owner) for owner in owners)
    return _calls_expect(node)


def _calls_expect(node: ast.AST) -> bool:
    return any(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "expect"
        for call in ast.walk(node)
    )


def _tainted(tree: ast.Module, students: set[str]) -> set[str]:
    """Names that hold what student code made, followed through assignments until nothing is
    added."""
    tainted = set(students) - COURSE_NAMES
    while True:
        before = len(tainted)
        for node in ast.walk(tree):
            if (
                isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr))
                and node.value is not None
                and _reads(node.value, tainted)
            ):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                tainted |= {name for target in targets for name in bound_names(target)}
            elif isinstance(node, (ast.For, ast.comprehension)) and _reads(node.iter, tainted):
                tainted |= bound_names(node.target)
        if len(tainted) == before:
            return tainted


def _reads(node: ast.AST, names: set[str]) -> bool:
    return any(
        isinstance(name, ast.Name) and name.id in names and isinstance(name.ctx, ast.Load)
        for name in ast.walk(node)
    )
