"""Whether a check may keep something from one submission for the next.

A check without functions of the instructor's cannot. Most functions are one expression over the
answer, ``lambda dweight: dweight.shape != (2, 2)``, whose bytecode shows that they keep nothing. Of
all others it is assumed that they may.
"""

from __future__ import annotations

import builtins
import dis
import math
import operator
from collections import Counter, OrderedDict
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

from nbseal.checks import Criterion
from nbseal.checks.arrays import is_array
from nbseal.inside.declared_tasks import Asked

# Types as they are, and none made of them: a lookup in a defaultdict keeps what was asked for.
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_MAPPINGS = (dict, OrderedDict, Counter)
_COLLECTIONS = (tuple, list, set, frozenset)
_READERS = (operator.itemgetter, operator.attrgetter)
_FREE: tuple[Any, ...] = (
    *(abs, all, any, bool, dict, enumerate, float, frozenset, int, isinstance, len, list),
    *(map, max, min, range, reversed, round, set, sorted, str, sum, tuple, type, zip),
)
# what could change something that outlives a call
_STORES = {"STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL", "STORE_NAME"}
_STORES |= {"DELETE_ATTR", "DELETE_SUBSCR", "DELETE_GLOBAL", "IMPORT_NAME", "LOAD_BUILD_CLASS"}
# attributes and methods of what answers are made of, which change nothing
_NAMES = frozenset(
    "T abs all allclose any argmax argmin bool count ceil cumsum diag diagonal diff dim double "
    "dtype endswith eq equal exp eye find flatten flip float floor get imag index int "
    "is_contiguous is_floating_point isalpha isclose isdigit isfinite isinf islower isnan isspace "
    "issubset issuperset isupper item items join keys log long lower lstrip matmul max mean median "
    "min mT ndim norm numel numpy permute prod ravel real replace requires_grad reshape round "
    "rstrip shape sign size split splitlines sqrt square squeeze startswith std stride strip sum "
    "t tanh title tolist trace transpose tril triu unsqueeze upper values var view".split()
) | frozenset(vars(math))


def keeps_nothing(expectation: Any) -> bool:
    """Whether judging answers by an expectation leaves nothing behind, as far as can be seen."""
    if isinstance(expectation, Asked):
        held: Any = expectation.wanted.value
    else:
        held = expectation.expected, expectation.of, list(expectation.mistakes.values())
    try:
        return _nothing(held, set())
    except (ValueError, RecursionError):  # a name without a value yet; lists in lists in lists
        return False


def _nothing(value: Any, seen: set[int]) -> bool:
    """Whether a value, as part of what is expected, keeps nothing. seen: ids of functions that are
    being looked at."""
    if type(value) in (*_PLAIN, *_READERS) or is_array(value):
        return True
    if type(value) in _MAPPINGS:
        value = list(value.values())
    if type(value) in _COLLECTIONS:
        return all(_nothing(item, seen) for item in value)
    if isinstance(value, Criterion):
        return _nothing((value.reason, value.flag), seen)
    if isinstance(value, FunctionType):
        return id(value) in seen or _function(value, seen | {id(value)})
    if isinstance(value, (type, BuiltinFunctionType)):
        return value in _FREE
    return value is math


def _function(function: FunctionType, seen: set[int]) -> bool:
    held = [cell.cell_contents for cell in function.__closure__ or ()]
    held += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    ours = function.__module__ == Criterion.__module__
    return _nothing(held, seen) and (ours or _code(function.__code__, function, seen))


def _code(code: CodeType, function: FunctionType, seen: set[int]) -> bool:
    """code: of the function, or of something within it."""
    if any("out" in const for const in code.co_consts if isinstance(const, tuple)):
        return False  # f(..., out=kept)
    steps = list(dis.get_instructions(code))
    for at, step in enumerate(steps):
        name, what = step.opname, step.argval
        if name in _STORES or (name == "BINARY_OP" and step.argrepr.endswith("=")):
            return False
        if name == "STORE_DEREF" and what in code.co_freevars:
            return False
        if name in ("LOAD_ATTR", "LOAD_METHOD") and what not in _NAMES:
            return False
        if name == "LOAD_GLOBAL":
            named = what not in function.__globals__ and _is_getattr(what, steps[at + 1 : at + 3])
            if not (named or _global(what, function, seen)):
                return False
        if isinstance(what, CodeType) and not _code(what, function, seen):
            return False
    return True


def _is_getattr(name: str, arguments: list[dis.Instruction]) -> bool:
    """Whether it is `getattr(x, "shape", ...)`, of a name that is written there."""
    if name != "getattr" or len(arguments) < 2:
        return False
    of, attribute = arguments
    constant = attribute.opname == "LOAD_CONST" and attribute.argval in _NAMES
    return constant and of.opname.startswith(("LOAD_FAST", "LOAD_DEREF"))


def _global(name: str, function: FunctionType, seen: set[int]) -> bool:
    names = function.__globals__
    if name in names:
        return _nothing(names[name], seen)
    return getattr(builtins, name, None) in _FREE
