"""Slips between statements: one left out, two in the wrong order, a context or a turn of a loop
that is not there, a layer that is another's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbseal.authoring.mutants.expressions import OPERATORS
from nbseal.authoring.mutants.regions import FUNCTIONS, Edit

EFFECTS = (ast.AugAssign, ast.Expr)
SIMPLE = (ast.Assign, ast.AnnAssign, *EFFECTS)


def edits(block: list[ast.stmt], lines: frozenset[int], bound_before: set[str]) -> Iterator[Edit]:
    """Slips in a list of statements. bound_before: names that are bound before it begins."""
    for at, statement in enumerate(block):
        if statement.lineno not in lines:
            continue
        before, after = block[:at], block[at + 1 :]
        if _may_go(statement, after, bound_before | bound_in(before)):
            yield Edit("dropped statement", block, [*before, *after] or [ast.Pass()])
        if after and _may_turn(statement, after[0]):
            turned = [*before, after[0], statement, *after[1:]]
            about = f"{ast.unparse(after[0])} before {ast.unparse(statement)}"
            yield Edit("order", block, turned, about)
        for kind, new in _instead(statement, before):
            yield Edit(kind, block, [*before, *new, *after])


def _may_go(statement: ast.stmt, after: list[ast.stmt], bound: set[str]) -> bool:
    """Whether it can be left out: without all being left out, or a name being unknown."""
    if isinstance(statement, ast.Return):
        return bool(after)
    if isinstance(statement, ast.Assign) and not bound_in([statement]) <= bound:
        return False
    return not isinstance(statement, (ast.Pass, ast.ClassDef, *FUNCTIONS))


def _may_turn(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements in the other order may do something else, and run."""
    effects = isinstance(one, EFFECTS) or isinstance(other, EFFECTS)
    reads = {n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
    simple = isinstance(one, SIMPLE) and isinstance(other, SIMPLE)
    return simple and effects and not bound_in([one]) & reads


def bound_in(statements: list[ast.stmt]) -> set[str]:
    """The names that statements bind."""
    return {
        node.id
        for one in statements
        for node in ast.walk(one)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _instead(statement: ast.stmt, before: list[ast.stmt]) -> Iterator[tuple[str, list[ast.stmt]]]:
    """What may stand in a statement's place: (kind, statements)."""
    match statement:
        case ast.With() | ast.AsyncWith():
            yield "dropped context", statement.body
        case ast.If():
            yield "condition", statement.body
            if statement.orelse:
                yield "condition", statement.orelse
        case ast.For() | ast.While():
            yield "one turn", [_with_body(statement, [*statement.body, ast.Break()])]
            if isinstance(statement, ast.For):
                short = ast.Subscript(
                    ast.Call(ast.Name("list", ast.Load()), [statement.iter], []),
                    ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1))),
                    ast.Load(),
                )
                loop = ast.For(statement.target, short, statement.body, statement.orelse)
                yield "one turn less", [loop]
        case ast.AugAssign():
            for other in OPERATORS.get(type(statement.op), ()):
                yield "operator", [ast.AugAssign(statement.target, other(), statement.value)]
            yield "operator", [ast.Assign([statement.target], statement.value, lineno=0)]
        case ast.Return(value=ast.Tuple(elts=parts)):
            for at in range(len(parts) - 1):
                turned = [*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]]
                yield "swapped", [ast.Return(ast.Tuple(turned, ast.Load()))]
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.Call(func=made_by)):
            for earlier in before:
                match earlier:
                    case ast.Assign(targets=[ast.Attribute() as first], value=ast.Call(func=by)):
                        if ast.dump(by) == ast.dump(made_by):
                            shared = ast.Attribute(first.value, first.attr, ast.Load())
                            yield "shared module", [ast.Assign([target], shared, lineno=0)]


def _with_body(loop: ast.For | ast.While, body: list[ast.stmt]) -> ast.stmt:
    if isinstance(loop, ast.While):
        return ast.While(loop.test, body, loop.orelse)
    return ast.For(loop.target, loop.iter, body, loop.orelse)
