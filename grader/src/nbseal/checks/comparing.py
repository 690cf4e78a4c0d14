"""How far an answer is from what was wanted, and where it first differs, in words."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .answers import kind_of, shown_number
from .arrays import dtype_of, family_of, is_array, is_tensor, loaded
from .criteria import Criterion

ROUNDED = 1e-5  # off a whole number is what single precision has computed


def distance(got: Any, want: Any) -> float:
    """How far a number or tensor is from another, as a multiple of the scale on which tolerances
    are stated.

    An element's error is divided by max(|want|, scale), scale being the largest |want| of the
    tensor but at most 1, so
    that a tolerance means the same for gradients of size 1e-6 and for outputs of size 1. inf where
    shapes differ.
    """
    if not is_array(got) and not is_array(want):
        return _error(got, want)
    got, want = _wide(got, want)
    if got.shape != want.shape:
        return math.inf
    return float(_errors(got, want).max()) if math.prod(want.shape) else 0.0


def _library() -> Any:
    """What computes with arrays here: torch where it is loaded, else NumPy, which a course without
    arrays need not have."""
    return loaded("torch") or loaded("numpy")


def _wide(*values: Any) -> Any:
    """Numbers and arrays as arrays of the widest precision of their kind, to be compared."""
    complex_ = any(is_array(value) and family_of(value) == "complex" for value in values)
    if torch := loaded("torch"):
        kind = torch.complex128 if complex_ else torch.float64
        return [torch.as_tensor(value, dtype=kind) for value in values]
    return [
        loaded("numpy").asarray(value, dtype="complex128" if complex_ else "float64")
        for value in values
    ]


def _errors(got: Any, want: Any) -> Any:
    """Of two arrays from `_wide`: how far each element is off, on the scale of `distance`."""
    library = _library()
    sizes = abs(want)
    with contextlib.nullcontext() if library is loaded("torch") else library.errstate(all="ignore"):
        errors = abs(got - want)
        if not math.prod(errors.shape):
            return errors
        largest = float(sizes.max())
        if math.isfinite(largest) and math.isfinite(float(errors.max())):
            return errors / sizes.clip(min=min(largest, 1.0) or 1.0)
        finite = sizes[library.isfinite(sizes)]
        scale = min(float(finite.max()), 1.0) if math.prod(finite.shape) else 1.0
        errors = errors / sizes.clip(min=scale or 1.0)
    same = (got == want) | (library.isnan(got) & library.isnan(want))
    undefined = library.isnan(errors) | ~library.isfinite(sizes)
    return library.where(same, 0.0, library.where(undefined, math.inf, errors))


def _error(got: float, want: float) -> float:
    """As `_errors`, of two numbers."""
    if got == want or (math.isnan(got) and math.isnan(want)):
        return 0.0
    if not (math.isfinite(got) and math.isfinite(want)):
        return math.inf
    return abs(got - want) / (abs(want) or 1.0)


def mismatch(
    got: Any, want: Any, tolerance: float, where_: str = "", exact: bool = False
) -> str | None:
    """The first difference between an answer and what was wanted, in words, or None where there is
    none. exact: whole numbers must be equal, whatever the tolerance; those that were computed as
    floats, up to rounding."""
    at = f"{where_}: " if where_ else ""
    if isinstance(want, Criterion):
        reason = want.reason(got)
        return reason and at + reason
    if isinstance(want, Mapping):
        return _mapping_mismatch(got, want, tolerance, where_, exact)
    if isinstance(want, (tuple, list)):
        if reason := _names_mismatch(got, want):
            return at + reason
        if not isinstance(got, (tuple, list)) or len(got) != len(want):
            return f"{at}got {kind_of(got)}, wanted {len(want)} values"
        parts = (
            mismatch(
                g,
                w,
                tolerance,
                f"{where_}[{i}]" if where_ else f"value {i + 1} of {len(want)}",
                exact,
            )
            for i, (g, w) in enumerate(zip(got, want))
        )
        return next((part for part in parts if part), None)
    if want is None or isinstance(want, (str, bool)):
        same = type(got) is type(want) and got == want
        return None if same else f"{at}got {kind_of(got)}, wanted {kind_of(want)}"
    if exact and _family(want) == "int":
        tolerance = 0.0 if _family(got) == "int" else ROUNDED
    reason = _number_mismatch(got, want, tolerance)
    return reason and at + reason


def _family(value: Any) -> str:
    return family_of(value) if is_array(value) else type(value).__name__


def _mapping_mismatch(
    got: Any, want: Mapping, tolerance: float, where_: str, exact: bool
) -> str | None:
    at = f"{where_}: " if where_ else ""
    if not isinstance(got, Mapping):
        return f"{at}got {kind_of(got)}, wanted a dict"
    if reason := _difference(got, want):
        return at + reason
    parts = (
        mismatch(got[k], want[k], tolerance, f"{where_}[{k!r}]" if where_ else f"{k!r}", exact)
        for k in want
    )
    return next((part for part in parts if part), None)


def _names_mismatch(got: Any, want: Sequence) -> str | None:
    """Of two lists of names, which are missing or too many; None for other values, or where only
    their order differs."""
    texts = isinstance(got, (tuple, list)) and all(isinstance(item, str) for item in (*got, *want))
    return _difference(got, want) if texts else None


def _difference(got: Collection, want: Collection) -> str | None:
    """What is missing or too many among names, the first four of them."""
    words = [f"{_shown(name)} is missing" for name in want if name not in got]
    words += [f"{_shown(name)} should not be there" for name in got if name not in want]
    return ", ".join(words[:4]) or None


def _shown(name: Any) -> str:
    return repr(name[:60] if isinstance(name, str) else name)


def _number_mismatch(got: Any, want: Any, tolerance: float) -> str | None:
    if isinstance(got, bool) or not (isinstance(got, (int, float)) or is_array(got)):
        return f"got {kind_of(got)}, wanted {kind_of(want) if is_array(want) else 'a number'}"
    if not is_array(got) and not is_array(want):
        same = _error(got, want) <= tolerance
        return None if same else f"got {shown_number(got)}, wanted {shown_number(want)}"
    if _equal(got, want):
        return None
    got_, want_ = _wide(got, want)
    if got_.shape != want_.shape:
        return (
            f"got {kind_of(got)}, wanted {kind_of(want) if len(want_.shape) else 'a single number'}"
        )
    if is_array(got) and is_array(want) and family_of(got) != family_of(want):
        return f"got dtype {dtype_of(got)}, wanted {dtype_of(want)}"
    errors = _errors(got_, want_)
    if not math.prod(errors.shape) or float(errors.max()) <= tolerance:
        return None
    worst = _unravel(int(errors.argmax()), errors.shape)
    values = (
        f"got {shown_number(_element(got, worst))}, wanted {shown_number(_element(want, worst))}"
    )
    share = int((errors > tolerance).sum())
    return (
        values
        if not worst
        else f"{values} at {list(worst)} ({share} of {math.prod(errors.shape)} values differ)"
    )


def _equal(got: Any, want: Any) -> bool:
    """Whether two tensors are equal to the last digit, as most of a right answer are."""
    return is_tensor(got) and is_tensor(want) and got.dtype == want.dtype and got.equal(want)


def _element(value: Any, index: tuple[int, ...]) -> Any:
    return value[index].item() if is_array(value) else value


def _unravel(flat: int, shape: Sequence[int]) -> tuple[int, ...]:
    index = []
    for n in reversed(shape):
        flat, i = divmod(flat, n)
        index.append(i)
    return tuple(reversed(index))
