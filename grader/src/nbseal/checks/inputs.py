"""Inputs for checks, drawn with a key and nothing else; and what a call raises or prints."""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import random
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .arrays import loaded

if TYPE_CHECKING:
    from torch import nn


LIBRARIES = ("torch", "numpy")
_library_of_inputs: str | None = None
# fixed while you work; when your notebook is graded it is another one, fresh and secret
_key = "notebook"


def _seed(*words: object) -> int:
    """A number that depends on the key and these words alone, never on the global random state."""
    digest = hashlib.sha256(repr((_key, *words)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % 2**63


def _drawn_with() -> str:
    """The library whose numbers `sample` returns: what the grader said, else what the notebook has
    loaded."""
    return _library_of_inputs or next((name for name in LIBRARIES if loaded(name)), "python")


def _filled(shape: Sequence[int], number: Callable[[], float]) -> Any:
    """Nested lists of this shape; one number where the shape is ()."""
    return [_filled(shape[1:], number) for _ in range(shape[0])] if shape else number()


def sample(*shape: int, seed: int) -> Any:
    """Return standard normal numbers of this shape, independent of the global random state.

    A float32 tensor where torch is loaded, else a float64 NumPy array where NumPy is, else nested
    lists.
    """
    number = _seed("sample", shape, seed)
    library = _drawn_with()
    if library == "torch":
        torch = sys.modules["torch"]
        numbers = torch.randn(shape, **_drawn_on_the_cpu(number))
        return numbers.to(torch.get_default_device())
    if library == "numpy":
        return sys.modules["numpy"].random.default_rng(number).standard_normal(shape)
    draws = random.Random(number)
    return _filled(shape, lambda: draws.gauss(0.0, 1.0))


def sample_ids(high: int, *shape: int, seed: int) -> Any:
    """Return integers in 0..high-1 of this shape, independent of the global random state.

    An int64 tensor where torch is loaded, else an int64 NumPy array where NumPy is, else nested
    lists.
    """
    number = _seed("sample_ids", high, shape, seed)
    library = _drawn_with()
    if library == "torch":
        torch = sys.modules["torch"]
        numbers = torch.randint(high, shape, **_drawn_on_the_cpu(number))
        return numbers.to(torch.get_default_device())
    if library == "numpy":
        return sys.modules["numpy"].random.default_rng(number).integers(high, size=shape)
    draws = random.Random(number)
    return _filled(shape, lambda: draws.randrange(high))


def _drawn_on_the_cpu(number: int) -> dict[str, Any]:
    """For torch's random functions: equal numbers, whatever the default device is."""
    generator = sys.modules["torch"].Generator(device="cpu").manual_seed(number)
    return {"generator": generator, "device": "cpu"}


def fill_(module: nn.Module, seed: int) -> nn.Module:
    """Set a module's parameters, and the float buffers of its state_dict, in place to values keyed
    by their names and shapes; returns it. A buffer that is not persistent is its own affair.

    Two modules with equal names and shapes get equal values, in whatever order they were defined.
    Matrices are scaled
    by 1/sqrt(fan_in); buffers whose name ends in "var" are positive.
    """
    torch = sys.modules["torch"]
    state = module.state_dict()
    buffers = [(name, value) for name, value in module.named_buffers() if name in state]
    for name, value in (*module.named_parameters(), *buffers):
        if not value.is_floating_point():
            continue
        source = _drawn_on_the_cpu(_seed("fill_", name, tuple(value.shape), seed))
        if name.endswith("var"):
            numbers = torch.rand(value.shape, **source) + 0.5
        else:
            numbers = torch.randn(value.shape, **source)
            if value.dim() > 1:
                numbers = numbers / math.sqrt(value[0].numel())
        with torch.no_grad():
            value.copy_(numbers)
    return module


def raises(function: Callable, *args: Any, **options: Any) -> str | None:
    """Call the function and return the name of the built-in exception it raises (of the nearest
    one), or None."""
    try:
        function(*args, **options)
    # the caller asked what is raised: whatever it is, its name is the answer
    except Exception as error:
        return next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")
    return None


def printed(function: Callable, *args: Any, **options: Any) -> str:
    """Call the function and return the text it prints to stdout."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        function(*args, **options)
    return text.getvalue()


def first(answer: Sequence) -> Any:
    """The first of several returned values; for expect(..., of=first)."""
    return answer[0]


def second(answer: Sequence) -> Any:
    """The second of several returned values; for expect(..., of=second)."""
    return answer[1]


def set_key(key: str) -> None:
    """Replace the key that sample, sample_ids and fill_ mix into their values."""
    global _key
    _key = str(key)


def draw_with(library: str | None) -> None:
    """Fix what sample and sample_ids return: "torch", "numpy" or "python"; None for what is loaded
    when they are called.

    A student who imports NumPy into a notebook that had none must not get other inputs than the
    reference solution.
    """
    global _library_of_inputs
    _library_of_inputs = library


def current_key() -> str:
    """The key that inputs are drawn with."""
    return _key
