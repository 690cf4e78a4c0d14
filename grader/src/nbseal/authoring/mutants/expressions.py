"""Slips within an expression: another operator, a constant beside it, a call left out, a
neighbour's name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbseal.authoring.mutants.regions import Edit, Place

# What is confused with what; each is tried in place of the other.
OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ONE_SIDED = (ast.Sub, ast.Div, ast.MatMult, ast.Pow)  # their sides may be the wrong way round
EVEN = ("square", "abs")
SYMMETRIC = ("transpose", "swapaxes", "maximum", "minimum", "allclose", "equal")
IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
PAIRS = (
    "mean sum|sqrt square|var std|max min|amax amin|argmax argmin|tanh relu|exp log|zeros ones|"
    "zeros_like ones_like|train eval|weight bias|weight grad|running_mean running_var|"
    "softmax log_softmax|randn rand|shape size|double float|all any|append extend|"
    "no_grad enable_grad|Parameter tensor|register_buffer register_parameter|"
    "in_features out_features|eigvals svdvals|"
    "abs square|floor ceil|sorted list|len sum|ValueError TypeError"
)
CONFUSED: dict[str, list[str]] = {}
for _pair in PAIRS.split("|"):
    _one, _other = _pair.split()
    CONFUSED.setdefault(_one, []).append(_other)
    CONFUSED.setdefault(_other, []).append(_one)


class Slips:
    """The slips in the nodes of a region."""

    def __init__(self, place: Place, nodes: list[ast.AST]):
        self.place, self.nodes = place, nodes
        texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        keys = {id(key) for n in nodes if isinstance(n, ast.Dict) for key in n.keys}
        self.texts = list(dict.fromkeys(texts))
        self.keys = keys
        # a - b, where b - a is the same
        self.even = {id(n.value) for n in nodes if isinstance(n, ast.Attribute) and n.attr in EVEN}

    def of(self, node: ast.AST) -> Iterator[Edit]:
        """Slips in one node."""
        texts = [] if id(node) in self.keys else self.texts
        for edit in (*_edits(node, self.place, texts), *names(node, self.place)):
            if not (edit.kind == "swapped" and id(node) in self.even):
                yield edit


def _edits(node: ast.AST, place: Place, texts: list[str]) -> Iterator[Edit]:
    match node:
        case ast.BinOp():
            yield from _operation(node, place)
        case ast.Compare(ops=[_]):
            yield from _comparison(node)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield Edit("operator", node, ast.BoolOp(other, node.values))
            for at in range(len(node.values)):
                rest = node.values[:at] + node.values[at + 1 :]
                left = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield Edit("dropped part", node, left)
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() as number), op=ast.USub()):
            yield from (Edit("constant", node, new) for new in _numbers(-number))
        case ast.UnaryOp():
            yield Edit("dropped part", node, node.operand)
        case ast.Constant():
            yield from (Edit("constant", node, new) for new in _constants(node.value, texts))
        case ast.IfExp():
            yield Edit("condition", node, node.body)
            yield Edit("condition", node, node.orelse)
        case ast.Subscript(ctx=ast.Load()):
            yield Edit("dropped part", node, node.value)
        case ast.Slice():
            if node.lower:
                yield Edit("dropped part", node, ast.Slice(None, node.upper, node.step))
            if node.upper:
                yield Edit("dropped part", node, ast.Slice(node.lower, None, node.step))
        case ast.Call():
            yield from _call(node, place)
        case ast.ListComp() | ast.GeneratorExp():
            yield from _comprehension(node)


def _operation(node: ast.BinOp, place: Place) -> Iterator[Edit]:
    for other in OPERATORS.get(type(node.op), ()):
        yield Edit("operator", node, ast.BinOp(node.left, other(), node.right))
    yield Edit("dropped part", node, node.left)
    if not isinstance(node.op, ast.Pow):
        yield Edit("dropped part", node, node.right)
    if isinstance(node.op, ONE_SIDED):
        yield Edit("swapped", node, ast.BinOp(node.right, node.op, node.left))
    is_argument = isinstance(node.left, ast.Name) and node.left.id in place.parameters
    if type(node.op) in IN_PLACE and is_argument:
        call = ast.Attribute(node.left, IN_PLACE[type(node.op)], ast.Load())
        yield Edit("in place", node, ast.Call(call, [node.right], []))


def _comparison(node: ast.Compare) -> Iterator[Edit]:
    [operator], [right] = node.ops, node.comparators
    for other in OPERATORS.get(type(operator), ()):
        yield Edit("operator", node, ast.Compare(node.left, [other()], [right]))
    if isinstance(right, ast.Constant) and right.value is None:  # 0 and None are not the same
        truth: ast.expr = node.left
        if isinstance(operator, ast.Is):
            truth = ast.UnaryOp(ast.Not(), node.left)
        yield Edit("condition", node, truth)


def _numbers(number: int | float) -> list[ast.expr]:
    """Constants beside a number."""
    if isinstance(number, int):
        others: list = [number + 1, number - 1, *([0] if abs(number) > 1 else [])]
    else:
        others = [10 * number if abs(number) < 0.1 else 2 * number, 0.0 if number else 1.0]
    return [ast.parse(str(other), mode="eval").body for other in others]


def _constants(value: object, texts: list[str]) -> list[ast.expr]:
    if isinstance(value, bool):
        return [ast.Constant(not value)]
    if isinstance(value, int | float):
        return _numbers(value)
    if isinstance(value, str):
        others = [text for text in texts if text != value][:3] or [f"{value}_"]
        return [ast.Constant(other) for other in others]
    return []


def _call(node: ast.Call, place: Place) -> Iterator[Edit]:
    first = node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None
    if isinstance(node.func, ast.Attribute) and _is_value(node.func.value, place):
        yield Edit("dropped call", node, node.func.value)
    elif first is not None:
        yield Edit("dropped call", node, first)
    for at in range(1, len(node.args)):
        rest = node.args[:at] + node.args[at + 1 :]
        yield Edit("dropped argument", node, ast.Call(node.func, rest, node.keywords))
        turned = [*node.args[: at - 1], node.args[at], node.args[at - 1], *node.args[at + 1 :]]
        if not (isinstance(node.func, ast.Attribute) and node.func.attr in SYMMETRIC):
            yield Edit("swapped", node, ast.Call(node.func, turned, node.keywords))
    for keyword in node.keywords:
        others = [one for one in node.keywords if one is not keyword]
        yield Edit("dropped keyword", node, ast.Call(node.func, node.args, others))


def _is_value(node: ast.expr, place: Place) -> bool:
    """Whether a method is called on it, rather than a module's function or a layer."""
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return True
    is_self = bool(place.within) and root.id == "self"
    return (is_self and root is not node) or root.id in {*place.parameters, *assigned(place)}


def _comprehension(node: ast.ListComp | ast.GeneratorExp) -> Iterator[Edit]:
    loop = node.generators[0]
    if loop.ifs:
        bare = ast.comprehension(loop.target, loop.iter, [], loop.is_async)
        yield Edit("condition", node, type(node)(node.elt, [bare, *node.generators[1:]]))
    if isinstance(node.elt, ast.Call) and len(node.generators) == 1:
        made_of = {one.id for one in ast.walk(node.elt) if isinstance(one, ast.Name)}
        if not made_of & {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}:
            count = _called("len", _called("list", loop.iter))
            many = ast.BinOp(ast.List([node.elt], ast.Load()), ast.Mult(), count)
            yield Edit("shared module", node, many)


def _called(function: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [argument], [])


# -- names -----------------------------------------------------------------------------------------


def assigned(place: Place) -> list[str]:
    """The names that the region binds, in its order."""
    found = [
        node.id
        for statement in place.solved
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return list(dict.fromkeys(found))


def names(node: ast.AST, place: Place) -> Iterator[Edit]:
    """A name or attribute that stands where its neighbour should."""
    match node:
        case ast.Name(ctx=ast.Load()):
            others = _neighbours(node.id, [*place.parameters, *assigned(place)])
            for other in others or CONFUSED.get(node.id, []):
                yield Edit("other name", node, ast.Name(other, ast.Load()))
        case ast.Attribute(ctx=ast.Load()):
            others = list(CONFUSED.get(node.attr, []))
            if place.within and _of_self(node):
                known = attributes(place.within)
                others += [name for name in known if name != node.attr and node.attr in known][:3]
            for other in dict.fromkeys(others):
                yield Edit("other name", node, ast.Attribute(node.value, other, ast.Load()))


def _neighbours(name: str, known: list[str]) -> list[str]:
    """The names bound just before and after one."""
    if name not in known:
        return []
    at = known.index(name)
    return list(dict.fromkeys(known[max(at - 1, 0) : at] + known[at + 1 : at + 2]))


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def attributes(within: ast.ClassDef) -> list[str]:
    """What a class puts on `self`, in its order."""
    found = [
        node.attr
        for node in ast.walk(within)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _of_self(node)
    ]
    return list(dict.fromkeys(found))
