"""A wrong answer as an author would write it into a test, `tensor([[1., 3.]])`, or its digest.

Two answers that are spelled alike are the same for a person, whatever their last digits are.
"""

from __future__ import annotations

import math
from typing import Any

from nbseal import packing
from nbseal.records import NotAnswer

DIGITS = 4  # of a number, behind its first
MOST = 400  # numbers of a tensor; one of more is known by all of its bits, and not written out
LONGEST = 4000  # letters


def spelled(value: Any, outline: Any, tensors: bytes) -> str:
    """An answer as Python; a digest for one that is too large or no plain data. outline, tensors:
    as which it came."""
    text = None
    if len(str(outline)) <= LONGEST:
        try:
            text = _spelled(value)
        except (TypeError, ValueError, RuntimeError):  # numbers of a type that Python has not
            text = None
    if text is None or len(text) > LONGEST:
        return f"#{packing.digest(outline, tensors)[:12]}"
    return text


def _spelled(value: Any) -> str | None:
    if isinstance(value, NotAnswer):
        return None
    if isinstance(value, (bool, str, int)) or value is None:
        return repr(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        held = [_spelled(one) for one in value.values()]
        pairs = ", ".join(f"{key!r}: {one}" for key, one in zip(value, held))
        return None if None in held else "{" + pairs + "}"
    if isinstance(value, (tuple, list)):
        parts = [_spelled(held) for held in value]
        text = ", ".join(map(str, parts)) + "," * (isinstance(value, tuple) and len(parts) == 1)
        brackets = "()" if isinstance(value, tuple) else "[]"
        return None if None in parts else brackets[0] + text + brackets[1]
    if isinstance(value, complex):
        return repr(value)
    if len(value.shape) > MOST or math.prod(max(1, size) for size in value.shape) > MOST:
        return None  # written out, 0 times a billion brackets are a billion
    return f"tensor({_nested(value.tolist())})"


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_nested, value)) + "]"
    return _number(value) if isinstance(value, float) else repr(value)


def _number(value: float) -> str:
    text = f"{value:.{DIGITS + 1}g}"
    if text in ("nan", "inf", "-inf"):
        return f'float("{text}")'
    text = "0" if float(text) == 0 else text  # a zero has no sign for a person
    return text if "." in text or "e" in text else f"{text}."
