"""Does a definition keep anything from one call to the next?

Read from its syntax, as a list of what is known to be harmless: see sharing.py.
"""

from __future__ import annotations

import ast

from nbseal.cells.suspects import ANYWHERE, BY_TEXT

DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORT = (ast.Import, ast.ImportFrom)
# Names of functions that change what lasts begin like this ...
_LASTING = (
    *("set", "use_", "register", "enable", "disable", "patch", "save", "enter_context"),
    *("__enter__", "__exit__", "__setattr__", "__delattr__"),
)
# ... but these make something new, or are random state.
_PASSING = frozenset({"set", "set_seed", "enable_grad"})
_DECORATORS = frozenset({"staticmethod", "classmethod", "property"})
_TORCH_DECORATORS = frozenset({"torch.no_grad", "torch.inference_mode"})
_SUSPECT = (
    BY_TEXT
    | ANYWHERE
    | {"modules", "ops"}
    | {"__class__", "__defaults__", "__kwdefaults__", "In", "Out", "open", "setattr", "delattr"}
)
_SUSPECT_ATTRIBUTES = _SUSPECT - {"eval", "modules"}  # which nn.Module has


def keeps_nothing(node: ast.AST, outside: set[str]) -> bool:
    """Of any node in a definition: as far as one can see it makes nothing that all calls share, and
    changes nothing that
    lasts. outside: the names that are not its own.
    """
    if isinstance(node, (ast.Global, *IMPORT)):
        return False
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        defaults = (*node.args.defaults, *node.args.kw_defaults)
        return all(
            is_constant(default) or _dotted(default) for default in defaults if default is not None
        ) and _decorators_are_plain(node, outside)
    if isinstance(node, ast.ClassDef):
        return (
            not node.keywords
            and all(map(_dotted, node.bases))
            and _decorators_are_plain(node, outside)
            and all(
                isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass))
                or (
                    isinstance(part, (ast.Assign, ast.AnnAssign, ast.Expr))
                    and is_constant(part.value)
                )
                for part in node.body
            )
        )
    if is_suspect(node, _SUSPECT):
        return False
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return root(node) not in outside | {None}
    # another name for something from outside could be used to change it
    if isinstance(node, ast.Assign):
        return not (isinstance(node.value, ast.Name) and node.value.id in outside)
    if isinstance(node, ast.Call):
        name = _last(node.func) or ""
        from_outside = root(node.func) in outside | {None}
        return (
            not (name.startswith(_LASTING) and (from_outside or name.startswith(("enter", "__"))))
            or name in _PASSING
        )
    return True


def is_suspect(node: ast.AST, names: frozenset[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Attribute) and node.attr in names & _SUSPECT_ATTRIBUTES


def _decorators_are_plain(node: ast.AST, outside: set[str]) -> bool:
    for decorator in getattr(node, "decorator_list", []):
        called = (
            decorator.func if isinstance(decorator, ast.Call) and not decorator.args else decorator
        )
        if _dotted(called) not in _DECORATORS | _TORCH_DECORATORS:
            return False
    return True


def root(node: ast.AST) -> str | None:
    """The name at the start of a.b[c].d; None where it starts with something else, as a call."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _dotted(node: ast.AST) -> str | None:
    """a.b.c as text; None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _last(node: ast.AST) -> str | None:
    """The last name of a.b.c."""
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else None
    )


def is_constant(node: ast.AST | None) -> bool:
    """Whether an expression is a constant, or made of constants in no time, and cannot be
    changed."""
    if isinstance(node, (ast.Tuple, ast.UnaryOp)):
        return all(
            is_constant(child)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.expr)
        )
    if isinstance(node, ast.BinOp):
        return all(
            isinstance(side, ast.Constant) and isinstance(side.value, (int, float))
            for side in (node.left, node.right)
        ) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))
    return node is None or isinstance(node, ast.Constant)
