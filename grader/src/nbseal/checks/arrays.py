"""torch and NumPy where the notebook has loaded them; neither is ever loaded here."""

from __future__ import annotations

import sys
from typing import Any


class _Torch:
    """torch, for code that runs only where a notebook or a task file has imported it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.modules["torch"], name)


torch: Any = _Torch()


def loaded(library: str) -> Any:
    """A library that the notebook has imported, or None."""
    return sys.modules.get(library)


def is_tensor(value: Any) -> bool:
    torch = loaded("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_array(value: Any) -> bool:
    """Whether it is a tensor or a NumPy array."""
    numpy = loaded("numpy")
    return is_tensor(value) or (numpy is not None and isinstance(value, numpy.ndarray))


def dtype_of(array: Any) -> str:
    return str(array.dtype).removeprefix("torch.")


def family_of(array: Any) -> str:
    """What its numbers are: bool, int, float or complex."""
    name = dtype_of(array)
    return next((kind for kind in ("bool", "complex", "float") if kind in name), "int")
