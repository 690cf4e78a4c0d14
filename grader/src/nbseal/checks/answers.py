"""Plain copies of what student code returned, and how messages name them."""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .arrays import is_array, is_tensor, loaded

if TYPE_CHECKING:
    from torch import Tensor


MAX_DEPTH, MAX_ITEMS = 16, 100_000
MAX_KEY = 2**31  # of whole numbers: larger ones can be chosen so that all have one hash


class NotAnAnswer(TypeError):
    """The value is not a tensor, number, bool, string, None, or tuple, list or dict of them."""


def snapshot(answer: Any, _depth: int = 0) -> Any:
    """Return a copy of an answer as plain data that later changes in place do not reach.

    Tensors come back detached, dense and on the CPU; NumPy numbers become Python's, and NumPy
    arrays become tensors
    where torch is loaded and stay arrays where it is not. Raises NotAnAnswer for anything else.
    """
    if _depth > MAX_DEPTH:
        raise NotAnAnswer(f"a structure nested more than {MAX_DEPTH} deep")
    if answer is None or type(answer) in (bool, int, float, str):
        return answer
    if is_tensor(answer):
        return _plain_tensor(answer)
    if isinstance(answer, (tuple, list)):
        _check_size(answer)
        items = [snapshot(item, _depth + 1) for item in answer]
        return tuple(items) if isinstance(answer, tuple) else items
    if isinstance(answer, Mapping):
        _check_size(answer)
        return {_plain_key(key): snapshot(value, _depth + 1) for key, value in answer.items()}
    if type(answer).__module__ == "numpy":
        return (
            snapshot(answer.item(), _depth + 1)
            if not getattr(answer, "shape", ())
            else _plain_array(answer)
        )
    # what it is, whatever its class makes of it: an Enum writes its name
    if isinstance(answer, int):
        return int.__int__(answer)
    if isinstance(answer, float):
        return float.__float__(answer)
    if isinstance(answer, str):
        return str.__str__(answer)
    raise NotAnAnswer(kind_of(answer))


def _check_size(items: Sequence | Mapping) -> None:
    if len(items) > MAX_ITEMS:
        raise NotAnAnswer(f"a structure of {len(items)} items, more than {MAX_ITEMS}")


def _plain_key(key: Any) -> Any:
    if type(key) not in (bool, int, float, str, type(None)):
        raise NotAnAnswer(f"a dict with a key of type {type(key).__name__}")
    if isinstance(key, (int, float)) and MAX_KEY <= abs(key) < math.inf:
        raise NotAnAnswer(f"a dict with a number of {MAX_KEY} or more as a key")
    return key


def _plain_array(array: Any) -> Any:
    if torch := loaded("torch"):
        return _plain_tensor(torch.as_tensor(array))
    if array.dtype.kind not in "biufc":
        raise NotAnAnswer(f"an array of {array.dtype}")
    return sys.modules["numpy"].array(array, order="C")


def _plain_tensor(tensor: Tensor) -> Tensor:
    torch = sys.modules["torch"]
    # also no mode sees the copying, by_hand's above all
    with torch._C.DisableTorchFunction():
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta:
            raise NotAnAnswer("a tensor that is sparse, quantized or without data")
        plain = torch.Tensor.detach(tensor).as_subclass(torch.Tensor)
        dense: Tensor
        if plain.is_cpu and not plain.is_conj() and not plain.is_neg():
            dense = plain.clone(memory_format=torch.contiguous_format)
        else:
            dense = plain.to("cpu", copy=True).resolve_conj().resolve_neg().contiguous()
        return dense


def kind_of(answer: Any) -> str:
    """What an answer is, for messages: 'a tensor of shape (2, 3)', 'a tuple of 2', 'a Linear'."""
    if answer is None:
        return "None"
    if is_array(answer):
        return f"{'a tensor' if is_tensor(answer) else 'an array'} of shape {tuple(answer.shape)}"
    if isinstance(answer, (tuple, list)):
        return f"a {type(answer).__name__} of {len(answer)}"
    if isinstance(answer, Mapping):
        return f"a dict with keys {list(answer)[:6]}"
    if isinstance(answer, type):
        return f"the class {answer.__name__}"
    if isinstance(answer, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        return f"the function {answer.__name__} (is it called?)"
    if isinstance(answer, bool) or not isinstance(answer, (int, float, str)):
        name = type(answer).__name__
        return (
            repr(answer)
            if isinstance(answer, bool)
            else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
        )
    return (
        f"the text {answer[:60]!r}"
        if isinstance(answer, str)
        else f"the number {shown_number(answer)}"
    )


def shown_number(value: float) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
