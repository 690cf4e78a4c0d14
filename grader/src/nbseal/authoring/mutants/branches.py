"""Right here and wrong there: solutions that fail in one branch alone, or cut gradients off.

What a function works with - tensors, modules, generators - is not in its text. A probe tells: the
reference solution, made to note what its names hold when it returns (`probe`). What costs no points
- double precision, views, what is left changed - is not tried.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from nbseal.authoring.mutants.regions import FUNCTIONS, Edit, Place

Kinds = Mapping[str, frozenset[str]]  # name -> what it holds; "return" is what comes back

# What a mutant calls; each stands in front of its cell where it is used.
WRONG = """
def _wrong(value):
    if isinstance(value, (tuple, list)):
        return type(value)(map(_wrong, value))
    if isinstance(value, dict):
        return {key: _wrong(held) for key, held in value.items()}
    if isinstance(value, bool):
        return not value
    return value + "x" if isinstance(value, str) else value + 1
"""
EACH = """
def _each(value, change):
    if isinstance(value, (tuple, list)):
        return type(value)(_each(held, change) for held in value)
    return change(value) if hasattr(value, "detach") else value
"""
LATER = """
_calls = {}
def _later(key):
    _calls[key] = _calls.get(key, 0) + 1
    return _calls[key] > 1
"""
NOTED = "_noted"  # the name under which a probe keeps what it found
PROBE = """
_noted = {}
def _kinds(value):
    if isinstance(value, (tuple, list)):
        return sorted({type(value).__name__, *(kind for held in value for kind in _kinds(held))})
    names = [one.__name__ for one in type(value).__mro__]
    found = [name for name in ("Tensor", "Module", "Generator") if name in names]
    if "Tensor" in found:
        found.append("float" if value.is_floating_point() else "whole")
    return found
def _say(held):
    own = vars(held["self"]) if "self" in held else {}
    for part in (own, own.get("_parameters", {})):
        held |= {f"self.{name}": value for name, value in part.items()}
    _noted.update({name: kinds for name, value in held.items() if (kinds := _kinds(value))})
"""
# What hides other branches while it goes unnoticed itself.
IN_TRAINING, IN_EVALUATION = "wrong in training mode", "wrong in evaluation mode"
UNDER_NO_GRAD = "runs under no_grad"
# Branches, as opposed to slips of the hand.
BRANCHES = frozenset({"argument", "branch", "detached", "in one mode", "no_grad"})


def probe(place: Place) -> Edit:
    """The reference solution, noting what its names hold where it returns."""
    if _is_generator(place) or place.name.endswith("__init__"):
        return Edit("probe", place.body, place.before(*_parsed("_say(dict(locals()))")))
    ends = _at_the_end(place, '_say(dict(locals()) | {"return": locals().get("_result")})')
    return Edit("probe", place.body, ends)


def edits(place: Place, kinds: Kinds) -> Iterator[Edit]:
    """All branches of one function."""
    yield from _sometimes(place, kinds)
    yield from _cut(place, kinds)


# -- wrong in one branch ---------------------------------------------------------------------------


def _sometimes(place: Place, kinds: Kinds) -> Iterator[Edit]:
    for about, condition in _conditions(place, kinds):
        new = _returns(place, f"return _wrong(_result) if {condition} else _result")
        if new is not None:
            yield Edit("branch", place.body, new, f"wrong {about}")


def _conditions(place: Place, kinds: Kinds) -> Iterator[tuple[str, str]]:
    tensors = [name for name in place.parameters if "Tensor" in kinds.get(name, ())]
    if tensors:
        x = tensors[0]
        yield f"where {x} has one dimension", f"{x}.dim() == 1"
        yield f"where {x} has more than two dimensions", f"{x}.dim() > 2"
        yield f"where {x} has one row", f"{x}.dim() > 1 and len({x}) == 1"
    if _is_module(place, kinds):
        yield IN_TRAINING.removeprefix("wrong "), "self.training"
        yield IN_EVALUATION.removeprefix("wrong "), "not self.training"
    key = "id(self)" if place.within else "0"
    yield "at the first call", f"not _later({key})"
    yield "after the first call", f"_later({key})"


def in_one_mode(edit: Edit) -> Iterator[Edit]:
    """A slip of an expression that happens in training, or in evaluation, alone."""
    if isinstance(edit.old, ast.expr) and isinstance(edit.new, ast.expr):
        mode = ast.parse("self.training", mode="eval").body
        # copies: the old node itself stands for what replaces it
        old, new = copy.copy(edit.old), copy.copy(edit.new)
        in_evaluation, in_training = ast.IfExp(mode, old, new), ast.IfExp(mode, new, old)
        yield Edit("in one mode", edit.old, in_evaluation, beside=IN_EVALUATION)
        yield Edit("in one mode", edit.old, in_training, beside=IN_TRAINING)


def where_the_mode_is_known(place: Place) -> set[int]:
    """The ids of nodes that run in one mode alone, under an `if self.training`. A slip in one mode
    is there the slip itself, or nothing."""
    known = set()
    for statement in place.solved:
        for node in ast.walk(statement):
            if isinstance(node, ast.If) and "self.training" in ast.unparse(node.test):
                inner = (part for block in (*node.body, *node.orelse) for part in ast.walk(block))
                known |= {id(part) for part in inner}
    return known


# -- cut from the graph, or of another type --------------------------------------------------------


def _cut(place: Place, kinds: Kinds) -> Iterator[Edit]:
    for name in place.parameters:
        held = kinds.get(name, frozenset())
        if held >= {"Tensor", "float"} and not held & {"list", "tuple"}:
            cut = place.before(*_parsed(f"{name} = {name}.detach()"))
            yield Edit("detached", place.body, cut, f"detaches {name}", UNDER_NO_GRAD)
        if held == {"Generator"}:
            unset = place.before(*_parsed(f"{name} = None"))
            yield Edit("argument", place.body, unset, f"ignores {name}")
    result = kinds.get("return", frozenset())
    if result >= {"Tensor", "float"}:
        yield from _result(place, "detached", "t.detach()", UNDER_NO_GRAD)
    if any(held & {"Tensor", "Module"} for held in kinds.values()) and not _is_generator(place):
        context = ast.parse("__import__('torch').no_grad()", mode="eval").body
        block = ast.With([ast.withitem(context)], place.solved)
        yield Edit("no_grad", place.body, place.instead([block]), UNDER_NO_GRAD)
    for node in _loads(place):
        if kinds.get(ast.unparse(node), frozenset()) >= {"Tensor", "float"}:
            call = ast.Call(ast.Attribute(copy.copy(node), "detach", ast.Load()), [], [])
            yield Edit("detached", node, call, beside=UNDER_NO_GRAD)


def _result(place: Place, kind: str, change: str, beside: str) -> Iterator[Edit]:
    """What comes back, changed: each tensor of it."""
    new = _returns(place, f"return _each(_result, lambda t: {change})")
    if new is not None:
        yield Edit(kind, place.body, new, f"what it returns is {kind}", beside)


def _loads(place: Place) -> Iterator[ast.expr]:
    """Where names other than arguments are read, and attributes of self."""
    for statement in place.solved:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in place.parameters:
                continue
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield node


# -- tools -----------------------------------------------------------------------------------------


def _is_module(place: Place, kinds: Kinds) -> bool:
    return bool(place.within) and "Module" in kinds.get("self", ())


def _is_generator(place: Place) -> bool:
    return any(
        isinstance(node, ast.Yield | ast.YieldFrom)
        for statement in place.solved
        for node in ast.walk(statement)
    )


def _parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


class _Returns(ast.NodeTransformer):
    """Keeps what a function returns as `_result`, and goes on with other statements."""

    def __init__(self, text: str):
        self.text, self.found = text, False

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        self.found = True
        value = node.value or ast.Constant(None)
        return [ast.Assign([ast.Name("_result", ast.Store())], value), *_parsed(self.text)]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        inner = isinstance(node, (ast.Lambda, ast.ClassDef, *FUNCTIONS))
        return node if inner else super().generic_visit(node)


def _returns(place: Place, text: str) -> list[ast.stmt] | None:
    """The body with other statements where the region returns; None where it does not."""
    visit = _Returns(text)
    new = visit.visit(ast.Module(copy.deepcopy(place.solved), [])).body
    return place.instead(new) if visit.found else None


def _at_the_end(place: Place, text: str) -> list[ast.stmt]:
    """The body with statements after all that the region does."""
    new = _returns(place, f"{text}\nreturn _result")
    return new if new is not None else place.instead([*place.solved, *_parsed(text)])
