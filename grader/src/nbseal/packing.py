"""Answers on their way: a JSON outline, where every tensor is a number, and the tensors beside it
as safetensors bytes. Never pickle, and who relays an answer never looks inside.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable
from typing import Any

from nbseal.records import NotAnswer
from nbseal.wire import MAX_BLOB, WireError

MAX_DEPTH = 20  # one answer; nbseal.checks stops at 16
MAX_KEY = 2**31  # the same as in nbseal.checks
MAX_DIGITS = 4000  # Python refuses to print longer integers


def pack(answer: Any, max_bytes: int = MAX_BLOB) -> tuple[Any, bytes]:
    """A snapshot as (outline, safetensors bytes). What cannot travel becomes a NotAnswer,
    described."""
    tensors: dict = {}
    try:
        outline = _outline(answer, tensors)
        if not all(map(_in_one_piece, tensors.values())):
            raise ValueError("a tensor that is not in memory in one piece")
        size = sum(tensor.nbytes for tensor in tensors.values())
        blob = _save(tensors) if tensors and size <= max_bytes else b""
        if max(size, len(blob)) > max_bytes:
            return _outline(NotAnswer(f"more than {max_bytes >> 20} MB of numbers"), {}), b""
        return outline, blob
    except (ValueError, KeyError, RuntimeError, TypeError, AttributeError) as error:
        return _outline(NotAnswer(f"something that cannot be sent ({str(error)[:200]})"), {}), b""


def _save(tensors: dict) -> bytes:
    """The bytes that safetensors.torch.save would make, of tensors that lie in memory in one piece.

    That function goes through NumPy and ctypes, which makes a forked test copy hundreds of pages of
    the worker's memory.
    """
    from safetensors import SafetensorError, TensorSpec, serialize

    try:
        return bytes(
            serialize(
                {
                    name: TensorSpec(
                        dtype=str(tensor.dtype).removeprefix("torch."),
                        shape=tensor.shape,
                        data_ptr=_address(tensor),
                        data_len=tensor.nbytes,
                    )
                    for name, tensor in tensors.items()
                }
            )
        )
    except SafetensorError as error:  # a type of numbers that the format has no name for
        raise ValueError(str(error)) from None


def _in_one_piece(array: Any) -> bool:
    """Whether a tensor or NumPy array lies in this process's memory, its elements one behind the
    other."""
    if hasattr(array, "ctypes"):
        return bool(array.flags.c_contiguous)
    return array.device.type == "cpu" and bool(array.is_contiguous())  # sparse ones raise here


def _address(array: Any) -> int:
    return int(array.ctypes.data if hasattr(array, "ctypes") else array.data_ptr())


def _outline(value: Any, tensors: dict, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value).bit_length() > MAX_DIGITS * 3:
            raise ValueError("an integer of thousands of digits")
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, NotAnswer):
        return {"not": value.description[:1000]}
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [_outline(item, tensors, depth + 1) for item in value]}
    if isinstance(value, dict):
        pairs = [
            [_outline(key, tensors, depth + 1), _outline(item, tensors, depth + 1)]
            for key, item in value.items()
        ]
        return {"dict": pairs}
    if isinstance(value, complex):
        return {"complex": [_outline(value.real, tensors), _outline(value.imag, tensors)]}
    tensors[str(len(tensors))] = value
    return {"tensor": len(tensors) - 1}


def unpack(outline: Any, blob: bytes) -> Any:
    """The snapshot that was packed. Raises WireError on anything that `pack` does not make."""
    if blob:
        from safetensors import SafetensorError

        try:
            tensors = _load(blob)
        except (SafetensorError, ValueError, KeyError, RuntimeError, TypeError) as error:
            raise WireError(f"damaged tensors ({type(error).__name__})") from None
    else:
        tensors = {}
    return _value(outline, tensors)


def _load(blob: bytes) -> dict:
    """As torch tensors where torch is loaded, else as NumPy arrays."""
    if "torch" in sys.modules:
        from safetensors import torch as library
    else:
        from safetensors import numpy as library  # type: ignore[no-redef]
    return library.load(blob)


def _value(outline: Any, tensors: dict, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise WireError("an answer is nested too deeply")
    if isinstance(outline, str):
        # half a surrogate pair could not be written to any file
        return outline.encode("utf-8", "replace").decode()
    if outline is None or isinstance(outline, (bool, int, float)):
        return outline
    if not isinstance(outline, dict) or len(outline) != 1:
        raise WireError("an answer has an unknown form")
    ((kind, content),) = outline.items()
    reader = _READERS.get(kind)
    try:
        if reader is None:
            raise ValueError(kind)
        return reader(content, tensors, depth + 1)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise WireError("an answer has an unknown form") from None


def _items(content: Any, tensors: dict, depth: int) -> list:
    if not isinstance(content, list):
        raise ValueError
    return [_value(item, tensors, depth) for item in content]


def _key(key: Any) -> Any:
    if key is not None and not isinstance(key, (bool, int, float, str)):
        raise ValueError
    if isinstance(key, (int, float)) and MAX_KEY <= abs(key) < math.inf:
        raise ValueError  # such numbers can be chosen so that all have one hash
    return key


_READERS: dict[str, Callable[[Any, dict, int], Any]] = {
    "tuple": lambda content, tensors, depth: tuple(_items(content, tensors, depth)),
    "list": _items,
    "dict": lambda content, tensors, depth: {
        _key(_value(key, tensors, depth)): _value(item, tensors, depth) for key, item in content
    },
    "float": lambda content, tensors, depth: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[
        content
    ],
    "complex": lambda content, tensors, depth: complex(
        *(float(_value(part, tensors, depth)) for part in content)
    ),
    "tensor": lambda content, tensors, depth: tensors[str(content)],
    "not": lambda content, tensors, depth: NotAnswer(
        str(content)[:1000].encode("utf-8", "replace").decode()
    ),
}


def digest(outline: Any, tensors: bytes) -> str:
    """One text for a packed answer, equal only for bitwise equal answers."""
    return hashlib.sha256(json.dumps(outline, sort_keys=True).encode() + tensors).hexdigest()
