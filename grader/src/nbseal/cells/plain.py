"""A small part of Python, in which a name is what it says: see resting.py.

It holds what most students write: functions of sums and products, and classes of torch's modules
with attributes of their own. What is more than that - a decorator, a default that is computed, a
class within a function, a name that begins with an underscore, `self` bound to something else - is
not looked through, but taken for something that is not plain. Lists of what to refuse were got
around in some twenty ways, by which a method was called for another object, or code ran that
nobody had read; so these are lists of what may stand there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nbseal.cells.elementary import CONSISTS_OF, ELEMENTARY, MODULES, NODES

# Attributes of torch's modules, by which one would come to its compiler, or to what calls methods.
_NOT_OWN = frozenset({"compile", "forward", "apply"})
_METHODS = frozenset(
    {"__init__", "forward", "__call__", "__len__", "__iter__", "__next__", "__getitem__"}
)
_STORED = frozenset({"grad", "data", "requires_grad"})  # of anything
_MODES = frozenset({"no_grad", "enable_grad", "inference_mode"})  # that decorate functions
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, *_COMPREHENSIONS)
# what an annotation is made of
_TYPES = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.Load),
    *(ast.BinOp, ast.BitOr),
)


def is_plain(nodes: Sequence[ast.AST], top: frozenset[int]) -> bool:
    """Whether all of these nodes are. top: the ids of the statements at the cell's top level."""
    places = _Places.of([node for node in nodes if isinstance(node, ast.ClassDef)])
    return all(
        isinstance(node, NODES)
        and _is_plain(node, places)
        and (id(node) in top or not isinstance(node, ast.ClassDef))
        for node in nodes
    )


def bases(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names that stand for classes from which others are derived."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    found = {base.id for one in classes for base in one.bases if isinstance(base, ast.Name)}
    return frozenset(found - {"object"})


def is_elementary(name: str) -> bool:
    return name in ELEMENTARY or name in CONSISTS_OF


def is_plain_import(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether it takes modules of elementary operations, or such operations from them."""
    if any(alias.asname and not _may_be_bound(alias.asname) for alias in node.names):
        return False
    if isinstance(node, ast.Import):
        return all(alias.name in MODULES for alias in node.names)
    known = node.module in MODULES and not node.level
    return known and all(is_elementary(alias.name) for alias in node.names)


@dataclass
class _Places:
    """Where in a class what is meant is known: by the ids of nodes."""

    methods: set[int] = field(default_factory=set)
    own: set[int] = field(default_factory=set)  # the arguments called `self`
    supers: set[int] = field(default_factory=set)  # the names `super`
    # an attribute of a method's own object, or of super() -> the names that it may have
    kept: dict[int, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, classes: Sequence[ast.ClassDef]) -> _Places:
        places = cls()
        for one in classes:
            places._look(one)
        return places

    def _look(self, one: ast.ClassDef) -> None:
        methods = [part for part in one.body if isinstance(part, ast.FunctionDef)]
        self.methods |= set(map(id, methods))
        self.own |= {id(method.args.args[0]) for method in methods if method.args.args}
        found = [place for method in methods for place in _of_self(method)]
        names = {place.attr for place in found if not isinstance(place.ctx, ast.Load)}
        names |= {method.name for method in methods}
        kept = frozenset(name for name in names - _NOT_OWN if not name.startswith("_"))
        self.kept |= {id(place): kept for place in found}
        for method in methods:
            for place, name in _of_super(method):
                self.kept[id(place)] = frozenset({"__init__"})
                self.supers.add(id(name))


def _of_self(method: ast.FunctionDef) -> Iterator[ast.Attribute]:
    """Where the body of a method takes or sets an attribute of `self`."""
    for statement in method.body:
        for node in ast.walk(statement):
            match node:
                case ast.Attribute(value=ast.Name(id="self")):
                    yield node


def _of_super(method: ast.FunctionDef) -> Iterator[tuple[ast.Attribute, ast.Name]]:
    """Where a method says `super().__init__`. In a function within it that would be another
    object's."""
    todo: list[ast.AST] = [*method.body]
    while todo:
        node = todo.pop()
        match node:
            case ast.Attribute(
                attr="__init__",
                value=ast.Call(func=ast.Name(id="super") as name, args=[], keywords=[]),
            ):
                yield node, name
        if not isinstance(node, _INNER):
            todo += ast.iter_child_nodes(node)


def _is_plain(node: ast.AST, places: _Places) -> bool:
    match node:
        case ast.Name(id="super"):
            return id(node) in places.supers
        case ast.Name(id="self"):
            return isinstance(node.ctx, ast.Load)
        case ast.Name(id="_"):
            return isinstance(node.ctx, ast.Store)
        case ast.Name(id=name):
            return _may_be_bound(name)
        case ast.arg(arg=name):
            return id(node) in places.own or _may_be_bound(name)
        case ast.ExceptHandler(name=name):
            return name is None or _may_be_bound(name)
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return is_elementary(name) or name in places.kept.get(id(node), ())
        case ast.Attribute(attr=name):
            return name in places.kept.get(id(node), _STORED)
        case ast.Import() | ast.ImportFrom():
            return is_plain_import(node)
        case ast.FunctionDef():
            return id(node) in places.methods or _is_plain_function(node)
        case ast.Lambda():
            return _is_plain_head(node.args, None)
        case ast.ClassDef():
            return _is_plain_class(node)
    return True


def _may_be_bound(name: str) -> bool:
    """Whether a name is one of a student's own: Python spells some anew that begin with an
    underscore, IPython binds others, and `self` and `super` mean one thing alone."""
    return not name.startswith("_") and name not in ("self", "super")


def _is_plain_function(node: ast.FunctionDef) -> bool:
    return (
        _may_be_bound(node.name)
        and all(map(_sets_a_mode, node.decorator_list))
        and _is_plain_head(node.args, node.returns)
    )


def _sets_a_mode(node: ast.expr) -> bool:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch"), attr=name), args=[], keywords=[]
        ):
            return name in _MODES
    return False


def _is_plain_class(node: ast.ClassDef) -> bool:
    """None of its methods can be called but for an object of the class: none is decorated or has
    the name of an operation (`A.method(other)`), and nothing is handed the class's namespace."""
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    return (
        _may_be_bound(node.name)
        and not (node.keywords or node.decorator_list)
        and all(map(_is_base, node.bases))
        and all(map(_is_plain_method, methods))
        and all(part in methods or _says_nothing(part) for part in node.body)
    )


def _is_base(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True  # that it stands for a class is looked at by resting.py
        case ast.Attribute(attr="Module", value=ast.Name(id="nn")):
            return True
        case ast.Attribute(attr="Module", value=ast.Attribute(attr="nn")):
            return True
    return False


def _is_plain_method(method: ast.FunctionDef) -> bool:
    arguments = method.args
    known = method.name in _METHODS or _may_be_bound(method.name)
    return (
        known
        and not is_elementary(method.name)
        and not method.decorator_list
        and bool(arguments.args)
        and not arguments.posonlyargs
        and arguments.args[0].arg == "self"
        and _is_plain_head(arguments, method.returns)
    )


def _is_plain_head(arguments: ast.arguments, returns: ast.expr | None) -> bool:
    """Whether what runs where a function is defined does nothing: defaults are constants, and
    annotations name types."""
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    given += [one for one in (arguments.vararg, arguments.kwarg) if one]
    types = [one for one in (*(argument.annotation for argument in given), returns) if one]
    defaults = [one for one in (*arguments.defaults, *arguments.kw_defaults) if one]
    return all(map(_is_constant, defaults)) and all(
        isinstance(node, _TYPES) for one in types for node in ast.walk(one)
    )


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(operand=operand):
            return _is_constant(operand)
        case ast.Tuple(elts=parts):
            return all(map(_is_constant, parts))
    return isinstance(node, ast.Constant)


def _says_nothing(part: ast.stmt) -> bool:
    return isinstance(part, ast.Pass) or (
        isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
    )
