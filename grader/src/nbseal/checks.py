"""What a notebook calls to check answers: one file, needed by students and graders alike.

    inputs      sample, sample_ids, fill_, raises, printed, first, second
    checks      expect, at_most, at_least, between, where, loss_at_most, answer_key, by_hand

`expect` compares what your code returned with what it should have returned. When they differ it
looks for a known mistake that explains the answer and tells you which one it is.

It needs Python alone: torch and numpy are used where the notebook has loaded them, and never loaded
here. A grader asks of this file what its last section, "What a grader asks", names, and nothing
else.
"""

from __future__ import annotations

import atexit
import contextlib
import dis
import functools
import hashlib
import inspect
import io
import math
import os
import random
import re
import sys
import sysconfig
import threading
import types
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = [
    "answer_key",
    "at_least",
    "at_most",
    "between",
    "by_hand",
    "expect",
    "fill_",
    "first",
    "loss_at_most",
    "printed",
    "raises",
    "sample",
    "sample_ids",
    "second",
    "where",
]


def _loaded(library: str) -> Any:
    """A library that the notebook has imported, or None."""
    return sys.modules.get(library)


def _is_tensor(value: Any) -> bool:
    torch = _loaded("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_array(value: Any) -> bool:
    """Whether it is a tensor or a NumPy array."""
    numpy = _loaded("numpy")
    return _is_tensor(value) or (numpy is not None and isinstance(value, numpy.ndarray))


# --------------------------------------------------------------------------------------------------
# Inputs for checks
# --------------------------------------------------------------------------------------------------

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
    return _library_of_inputs or next((name for name in LIBRARIES if _loaded(name)), "python")


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
    """Set a module's parameters and float buffers in place to values keyed by their names and
    shapes; returns it.

    Two modules with equal names and shapes get equal values, in whatever order they were defined.
    Matrices are scaled
    by 1/sqrt(fan_in); buffers whose name ends in "var" are positive.
    """
    torch = sys.modules["torch"]
    for name, value in (*module.named_parameters(), *module.named_buffers()):
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


# --------------------------------------------------------------------------------------------------
# Answers: plain copies of what student code returned
# --------------------------------------------------------------------------------------------------

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
    if _is_tensor(answer):
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
    for kind in (int, float, str):
        if isinstance(answer, kind):
            return kind(answer)
    raise NotAnAnswer(_kind(answer))


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
    if torch := _loaded("torch"):
        return _plain_tensor(torch.as_tensor(array))
    if array.dtype.kind not in "biufc":
        raise NotAnAnswer(f"an array of {array.dtype}")
    return sys.modules["numpy"].array(array, order="C")


def _plain_tensor(tensor: Tensor) -> Tensor:
    torch = sys.modules["torch"]
    # also no mode sees the copying, by_hand's above all
    with torch._C.DisableTorchFunction(), torch.no_grad():
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta:
            raise NotAnAnswer("a tensor that is sparse, quantized or without data")
        plain = torch.Tensor.detach(tensor).as_subclass(torch.Tensor)
        dense: Tensor = plain.to("cpu", copy=True).resolve_conj().resolve_neg().contiguous()
        return dense


def _kind(answer: Any) -> str:
    """What an answer is, for messages: 'a tensor of shape (2, 3)', 'a tuple of 2', 'a Linear'."""
    if answer is None:
        return "None"
    if _is_array(answer):
        return f"{'a tensor' if _is_tensor(answer) else 'an array'} of shape {tuple(answer.shape)}"
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
        f"the text {answer[:60]!r}" if isinstance(answer, str) else f"the number {_number(answer)}"
    )


def _number(value: float) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


# --------------------------------------------------------------------------------------------------
# Criteria: what may stand in place of an expected value
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Criterion:
    """A condition on an answer: `reason(answer)` returns None when it holds, else one sentence why
    it does not.

    secret: what an answer is scored against, where one that was invented without it cannot meet the
    condition.
    """

    describes: str
    reason: Callable[[Any], str | None]
    flag: Callable[[Any], str | None] = lambda answer: None
    secret: Any = None


def _scalar(answer: Any) -> float | None:
    """The number an answer stands for (a number or a tensor of one element), or None."""
    if _is_array(answer) and math.prod(answer.shape) == 1 and _family(answer) != "complex":
        return float(answer.reshape(()))
    return (
        float(answer) if isinstance(answer, (int, float)) and not isinstance(answer, bool) else None
    )


def between(low: float, high: float) -> Criterion:
    """A number from low to high, both included."""
    if low == -math.inf:
        describes = f"at most {_number(high)}"
    else:
        describes = (
            f"at least {_number(low)}"
            if high == math.inf
            else f"between {_number(low)} and {_number(high)}"
        )

    def reason(answer: Any) -> str | None:
        number = _scalar(answer)
        if number is None:
            return f"got {_kind(answer)}, wanted one number {describes}"
        return None if low <= number <= high else f"got {_number(number)}, wanted {describes}"

    return Criterion(describes, reason)


def at_most(high: float) -> Criterion:
    """A number that is not above high."""
    return between(-math.inf, high)


def at_least(low: float) -> Criterion:
    """A number that is not below low."""
    return between(low, math.inf)


def where(message: str, predicate: Callable[[Any], bool]) -> Criterion:
    """Any answer for which the predicate is true; `message` completes 'wanted ...'. The predicate
    runs where answers are judged."""
    return Criterion(
        message,
        lambda answer: (
            None if bool(predicate(answer)) else f"got {_kind(answer)}, wanted {message}"
        ),
    )


def loss_at_most(targets: Tensor, bound: float, implausible: float = -math.inf) -> Criterion:
    """Logits (N, classes) whose mean cross-entropy (nats) against targets (N,) is at most `bound`.

    A loss below `implausible` is accepted, and flagged for a person to look at.
    """

    def loss(logits: Tensor) -> float:
        functional = sys.modules["torch"].nn.functional
        return float(functional.cross_entropy(logits.double(), targets))

    def reason(logits: Any) -> str | None:
        if (
            not _is_tensor(logits)
            or logits.dim() != 2
            or len(logits) != len(targets)
            or not logits.is_floating_point()
        ):
            return f"got {_kind(logits)}, wanted logits of shape ({len(targets)}, classes)"
        if int(targets.max()) >= logits.shape[1]:
            wanted = int(targets.max()) + 1
            return f"got logits over {logits.shape[1]} classes, wanted at least {wanted}"
        value = loss(logits)
        return None if value <= bound else f"the loss is {value:.3f}, wanted at most {bound:.3f}"

    def flag(logits: Any) -> str | None:
        return (
            f"the loss {loss(logits):.3f} is below the plausible {implausible:.3f}"
            if loss(logits) < implausible
            else None
        )

    return Criterion(f"a loss of at most {bound:.3f}", reason, flag, secret=targets)


# --------------------------------------------------------------------------------------------------
# Judging an answer
# --------------------------------------------------------------------------------------------------

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right; if not, why (reason) and which known mistake explains it; flag:
    for a person to look at."""

    ok: bool
    reason: str = ""
    mistake: str | None = None
    flag: str | None = None


@dataclass(frozen=True)
class Expectation:
    """One call of expect, as recorded by record_expectations."""

    label: str
    answer: Any
    expected: Any
    of: Callable | None
    tolerance: float | None
    mistakes: Mapping[str, Any]


def distance(got: Any, want: Any) -> float:
    """How far a number or tensor is from another, as a multiple of the scale on which tolerances
    are stated.

    An element's error is divided by max(|want|, scale), scale being the largest |want| of the
    tensor but at most 1, so
    that a tolerance means the same for gradients of size 1e-6 and for outputs of size 1. inf where
    shapes differ.
    """
    if not _is_array(got) and not _is_array(want):
        return _error(got, want)
    got, want = _wide(got, want)
    if got.shape != want.shape:
        return math.inf
    return float(_errors(got, want).max()) if math.prod(want.shape) else 0.0


def _library() -> Any:
    """What computes with arrays here: torch where it is loaded, else NumPy, which a course without
    arrays need not have."""
    return _loaded("torch") or _loaded("numpy")


def _wide(*values: Any) -> Any:
    """Numbers and arrays as arrays of the widest precision of their kind, to be compared."""
    complex_ = any(_is_array(value) and _family(value) == "complex" for value in values)
    if torch := _loaded("torch"):
        kind = torch.complex128 if complex_ else torch.float64
        return [torch.as_tensor(value).to(kind) for value in values]
    return [
        _loaded("numpy").asarray(value, dtype="complex128" if complex_ else "float64")
        for value in values
    ]


def _errors(got: Any, want: Any) -> Any:
    """Of two arrays from `_wide`: how far each element is off, on the scale of `distance`."""
    library = _library()
    sizes = abs(want)
    with (
        contextlib.nullcontext() if library is _loaded("torch") else library.errstate(all="ignore")
    ):
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


def _mismatch(got: Any, want: Any, tolerance: float, where_: str = "") -> str | None:
    """The first difference between an answer and what was wanted, in words, or None where there is
    none."""
    at = f"{where_}: " if where_ else ""
    if isinstance(want, Criterion):
        reason = want.reason(got)
        return reason and at + reason
    if isinstance(want, Mapping):
        return _mapping_mismatch(got, want, tolerance, where_)
    if isinstance(want, (tuple, list)):
        if reason := _names_mismatch(got, want):
            return at + reason
        if not isinstance(got, (tuple, list)) or len(got) != len(want):
            return f"{at}got {_kind(got)}, wanted {len(want)} values"
        parts = (
            _mismatch(
                g, w, tolerance, f"{where_}[{i}]" if where_ else f"value {i + 1} of {len(want)}"
            )
            for i, (g, w) in enumerate(zip(got, want))
        )
        return next((part for part in parts if part), None)
    if want is None or isinstance(want, (str, bool)):
        same = type(got) is type(want) and got == want
        return None if same else f"{at}got {_kind(got)}, wanted {_kind(want)}"
    reason = _number_mismatch(got, want, tolerance)
    return reason and at + reason


def _mapping_mismatch(got: Any, want: Mapping, tolerance: float, where_: str) -> str | None:
    at = f"{where_}: " if where_ else ""
    if not isinstance(got, Mapping):
        return f"{at}got {_kind(got)}, wanted a dict"
    if reason := _difference(got, want):
        return at + reason
    parts = (
        _mismatch(got[k], want[k], tolerance, f"{where_}[{k!r}]" if where_ else f"{k!r}")
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
    if isinstance(got, bool) or not (isinstance(got, (int, float)) or _is_array(got)):
        return f"got {_kind(got)}, wanted {_kind(want) if _is_array(want) else 'a number'}"
    if not _is_array(got) and not _is_array(want):
        same = _error(got, want) <= tolerance
        return None if same else f"got {_number(got)}, wanted {_number(want)}"
    got_, want_ = _wide(got, want)
    if got_.shape != want_.shape:
        return f"got {_kind(got)}, wanted {_kind(want) if len(want_.shape) else 'a single number'}"
    if _is_array(got) and _is_array(want) and _family(got) != _family(want):
        return f"got dtype {_dtype(got)}, wanted {_dtype(want)}"
    errors = _errors(got_, want_)
    if not math.prod(errors.shape) or float(errors.max()) <= tolerance:
        return None
    worst = _unravel(int(errors.argmax()), errors.shape)
    values = f"got {_number(_element(got, worst))}, wanted {_number(_element(want, worst))}"
    share = int((errors > tolerance).sum())
    return (
        values
        if not worst
        else f"{values} at {list(worst)} ({share} of {math.prod(errors.shape)} values differ)"
    )


def _element(value: Any, index: tuple[int, ...]) -> Any:
    return value[index].item() if _is_array(value) else value


def _dtype(array: Any) -> str:
    return str(array.dtype).removeprefix("torch.")


def _family(array: Any) -> str:
    """What its numbers are: bool, int, float or complex."""
    name = _dtype(array)
    return next((kind for kind in ("bool", "complex", "float") if kind in name), "int")


def _unravel(flat: int, shape: Sequence[int]) -> tuple[int, ...]:
    index = []
    for n in reversed(shape):
        flat, i = divmod(flat, n)
        index.append(i)
    return tuple(reversed(index))


def judge(
    answer: Any,
    expected: Any,
    *,
    of: Callable | None = None,
    tolerance: float | None = None,
    mistakes: Mapping[str, Any] | None = None,
) -> Verdict:
    """Compare an answer (a snapshot) with what was expected. Pure: runs nothing of the
    student's."""
    tolerance = TOLERANCE if tolerance is None else tolerance
    if of is not None:
        if answer is None:
            return Verdict(False, "got None: is there a `return`?")
        try:
            answer = snapshot(of(answer))
        # any failure to read the part means that the answer is not of the form asked for
        except Exception:
            return Verdict(False, f"got {_kind(answer)}, which is not of the form asked for")
    try:
        reason = _mismatch(answer, expected, tolerance)
    # a predicate may fail on an answer of a form its author did not think of
    except Exception as error:
        return Verdict(
            False, f"got {_kind(answer)}, which could not be checked ({type(error).__name__})"
        )
    if reason is None:
        flag = expected.flag(answer) if isinstance(expected, Criterion) else None
        return Verdict(True, flag=flag)
    found = (
        message
        for message, value in (mistakes or {}).items()
        if _is_mistake(answer, value, tolerance)
    )
    mistake = next(found, None)
    # a None that nobody expected is most often a function without a return; one that has a name
    # (no gradient, no error raised) is not
    if answer is None and mistake is None and not isinstance(expected, (str, Criterion)):
        reason = "got None: is there a `return`?"
    return Verdict(False, reason, mistake)


def _is_mistake(answer: Any, value: Any, tolerance: float) -> bool:
    try:
        return _mismatch(answer, value, tolerance) is None
    except Exception:  # as in judge: a criterion that cannot read this answer does not describe it
        return False


# --------------------------------------------------------------------------------------------------
# expect
# --------------------------------------------------------------------------------------------------


class CheckFailed(AssertionError):
    """A check that did not hold. Notebooks show its message alone, without a traceback through the
    course's code."""

    def _render_traceback_(self) -> list[str]:
        head, *rest = str(self).splitlines()
        return [f"\x1b[1;31m✗ {head}\x1b[0m", *rest]


_recorders: list[list[Expectation]] = []


def expect(
    label: str,
    answer: Any,
    expected: Any,
    *,
    of: Callable | None = None,
    tolerance: float | None = None,
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """Check one answer: print a tick, or raise an AssertionError that says what differs and, where
    known, why.

    label      what is being checked, in your words
    answer     what your code returned: tensor, number, bool, string, None, or tuples, lists, dicts
    of them
    expected   the right value, or a criterion (at_most, at_least, between, where, loss_at_most)
    of         a function applied to the answer before it is compared, e.g. `second`
    tolerance  largest relative error (see `distance`); 1e-4 unless told
    mistakes   message -> the value that a known mistake gives
    """
    raise_violation(label)
    try:
        answer = snapshot(answer)
    except NotAnAnswer as error:
        raise CheckFailed(f"{label}\n  got {error}, wanted {_wanted(expected)}") from None
    expected = snapshot_expected(expected)
    mistakes = {message: snapshot_expected(value) for message, value in (mistakes or {}).items()}
    for recorder in _recorders:
        recorder.append(Expectation(label, answer, expected, of, tolerance, mistakes))
    verdict = judge(answer, expected, of=of, tolerance=tolerance, mistakes=mistakes)
    if not verdict.ok:
        explained = f"\n  → {verdict.mistake}" if verdict.mistake else ""
        raise CheckFailed(f"{label}\n  {verdict.reason}{explained}")
    print(f"✓ {label}")


def snapshot_expected(expected: Any) -> Any:
    """A copy of an expected value; criteria, also inside tuples, lists and dicts, are kept as they
    are."""
    if isinstance(expected, Criterion):
        return expected
    if isinstance(expected, (tuple, list)):
        items = [snapshot_expected(item) for item in expected]
        return items if isinstance(expected, list) else tuple(items)
    if isinstance(expected, Mapping):
        return OrderedDict((key, snapshot_expected(value)) for key, value in expected.items())
    return snapshot(expected)


def _wanted(expected: Any) -> str:
    return expected.describes if isinstance(expected, Criterion) else _kind(expected)


@contextlib.contextmanager
def answer_key() -> Iterator[None]:
    """Marks code that computes expected values. When notebooks are graded it runs apart from the
    student's code."""
    with _by_hand.pause(sys._getframe(1)):
        yield


# --------------------------------------------------------------------------------------------------
# by_hand
#
# A watch, from by_hand(...) to the end of the cell. It sees what Python calls (sys.setprofile) and
# what torch is asked for from anywhere, compiled code included (torch's modes). What it looks at is
# the *place* of a call, not its name in the source: a ready-made operation counts wherever code of
# the notebook stands above it on the stack, whoever wrote the lines between.
#
# The test cell's own lines are the one exception: `F.layer_norm(x)` or `y.backward()` in it are the
# test's words, and so is all that an answer_key block does. What such a line calls *of the
# student's* counts: the target itself, whatever it is, and objects that calling it has made.
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operations:
    """A group of ready-made operations, by what they are for.

    names   matches the names of functions and classes of numerical libraries, see `canonical`
    advice  what to do instead
    places  modules all of whose functions belong to the group
    """

    names: re.Pattern[str]
    advice: str
    places: tuple[str, ...] = ()


OPERATIONS = {
    "normalisation": Operations(
        re.compile(
            r"(layer|batch|group|instance|rms|localresponse|weight|spectral)norm"
            r"|^normali[sz](e|ation)$|^zscore$|^zmap$|transformer(en|de)coder"
        ),
        "use sums, means and products of your own",
        ("sklearn.preprocessing",),
    ),
    "autograd": Operations(
        re.compile(
            r"(?<!savefor)backward$|^gradfn$|^(jac(obian|rev|fwd)|hessian|v?hvp|vhp|vjp|jvp)$"
            r"|^(grad|gradandvalue|valueandgrad|linearize|makedual|enterduallevel|grad(grad)?check)$"
            r"|^(grad|jvp)incrementnesting$|^(run|enginerun)backward$|^approx(fprime|derivative)$"
            r"|^checkgrad$"
        ),
        "write out the derivative yourself",
        ("torch.nn.grad", "scipy.differentiate", "scipy.optimize._numdiff"),
    ),
    "attention": Operations(
        re.compile(r"attention|transformer(en|de)coder|^transformer$"),
        "use products and a softmax of your own",
    ),
    "convolution": Operations(
        re.compile(r"conv($|\dd|ol|transpose|tbc|forward|dilated|depthwise)|^correlate|^lfilter$"),
        "use loops, or slices and products, of your own",
    ),
    "pooling": Operations(
        re.compile(r"(max|avg|average|lp|fractional)pool"), "use slices, and max or mean"
    ),
    "softmax": Operations(re.compile(r"softmax|softmin"), "use exp and sums of your own"),
    "loss": Operations(
        re.compile(r"crossentropy|loss$|kldiv"), "use logarithms, sums and means of your own"
    ),
    "recurrence": Operations(
        re.compile(r"rnn|lstm|^gru(cell)?$"), "use a loop and products of your own"
    ),
}
# Whose functions are ready-made operations when only a group is named.
NUMERICAL = frozenset(
    ("torch", "numpy", "scipy", "sklearn", "pandas", "statsmodels", "skimage", "cv2")
    + ("torchvision", "jax", "tensorflow", "keras")
)
# What takes the watch off, or reaches past it, when the notebook's own code calls it.
_TAKES_OFF = frozenset(
    ("setprofile", "_setprofile", "_pop_mode", "_pop_mode_temporarily", "_disable_current_modes")
    + ("_pop_torch_dispatch_stack", "_pop_torch_function_stack")
)
_REACHES_PAST = {
    "gc.get_objects": "searches the objects of the interpreter",
    "gc.get_referrers": "searches the objects of the interpreter",
    "sys._getframe": "reads the frames of its callers",
    "ctypes.dlopen": "uses ctypes",
    "ctypes.dlsym": "uses ctypes",
    "os.fork": "starts a process",
    "os.system": "starts a process",
    "os.posix_spawn": "starts a process",
    "subprocess.Popen": "starts a process",
    "_thread.start_new_thread": "starts a thread past Python's threading",
}
_TOLD = (*_REACHES_PAST, "sys.setprofile")
LONGEST_NAME = 60


def canonical(name: str) -> str:
    """One spelling for an operation's function, class and internal name: LayerNorm, layer_norm,
    native_layer_norm."""
    plain = name.strip("_").lower().removeprefix("native_")
    return re.sub(r"\d+d$", "", plain).replace("_", "")


def is_forbidden(name: str, without: Sequence[str], module: str = "torch") -> bool:
    """Whether an operation of this name, in this module, is one that a task must do without.

    without: names of operations, and of groups in OPERATIONS.
    """
    spelled = canonical(name)
    for word in without:
        group = OPERATIONS.get(word)
        if group is None:
            if spelled == canonical(word):
                return True
        elif f"{module}.".startswith(tuple(f"{place}." for place in group.places)) or (
            module.split(".")[0] in NUMERICAL and group.names.search(spelled)
        ):
            return True
    return False


@dataclass(frozen=True)
class Finding:
    """What the watch saw.

    kind  called: an operation that the target must do without; off: the watch was taken off;
          looked: nothing forbidden, but something for a person to look at
    what  the operation's name, or what was done
    """

    kind: str
    target: str
    what: str = ""
    library: str = ""

    def sentence(self, without: Sequence[str] = ()) -> str:
        """What students and instructors read. The same in a notebook and in feedback."""
        if self.kind == "off":
            return (
                f"{self.target} is to be written by hand here, and the watch over ready-made "
                "operations was taken off while this test ran: leave sys.setprofile and torch's "
                "modes alone"
            )
        if self.kind == "looked":
            return f"{self.target} is to be written by hand here, and the code {self.what}"
        own = self.library in ("utils", "checks", "nbseal")
        whose = "the course's" if own else f"{self.library}'s"
        groups = [OPERATIONS[word] for word in without if word in OPERATIONS]
        named = [group for group in groups if group.names.search(canonical(self.what))]
        placed = [group for group in groups if group.places]
        advice = next((group.advice for group in (*named, *placed)), "write it out")
        return (
            f"{self.target} is to be written by hand here, and it calls {whose} ready-made "
            f"{self.what}: {advice}"
        )


class _Stack:
    """Reads the stack of calls: which frames are the test cell's, the notebook's, a library's."""

    def __init__(self, caller: types.FrameType):
        """caller: the frame of the test cell that called by_hand."""
        self.test_file = caller.f_code.co_filename
        outermost, frame = caller, caller.f_back
        while frame is not None and frame.f_code.co_filename == self.test_file:
            outermost, frame = frame, frame.f_back
        # what runs cells: a cell's statements may be compiled one by one, but it calls all of them
        self.runner = outermost.f_back and outermost.f_back.f_code
        self.targets: list[Any] = []
        self.references: list[Any] = []  # what answer_key blocks have made
        self._known: dict[int, tuple[types.CodeType, bool]] = {}

    def counts(self, frame: types.FrameType | None, in_backward: bool = False) -> bool:
        """Whether what is called in this frame is called by what the student wrote.

        in_backward: it is torch's backward pass that is called. What a student's own `backward`
        method does inside of one that the test asked for is the student's own work.
        """
        seen = 0
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return False  # a library that loads another
            if self.is_test(frame):
                if self._is_students(_callee(frame, self.targets)):
                    return True
                if frame.f_back is None or frame.f_back.f_code is self.runner:
                    return False
            elif frame.f_code in _PASSES_ON:
                if self._is_students(frame.f_locals.get("function")):
                    return True
            elif (self.is_notebooks(frame) or self._is_method_of_theirs(frame)) and not (
                in_backward and _below_backward(frame)
            ):
                return True
            seen += frame.f_code.co_filename != __file__
            frame = frame.f_back
        # a thread that the notebook started; torch's own have no Python in them
        return seen > 0

    def is_direct(self, frame: types.FrameType | None) -> bool:
        """Whether the notebook's code itself makes a call, and no library on its behalf."""
        while frame is not None and frame.f_code.co_filename == contextlib.__file__:
            frame = frame.f_back
        return frame is not None and not self.is_test(frame) and self.is_notebooks(frame)

    def is_test(self, frame: types.FrameType) -> bool:
        """Whether a frame is the test cell's own code."""
        return frame.f_code.co_filename == self.test_file

    def is_notebooks(self, frame: types.FrameType) -> bool:
        """Whether a frame runs code of another cell, or of a file beside the notebook."""
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            known = self._known[id(code)] = code, _is_notebooks(code, frame.f_globals)
        return known[1]

    def _is_method_of_theirs(self, frame: types.FrameType) -> bool:
        """Whether a library's method runs for an object whose class the notebook defines."""
        code = frame.f_code
        if not code.co_argcount or code.co_varnames[0] not in ("self", "cls"):
            return False
        first = frame.f_locals.get(code.co_varnames[0])
        return type(first).__module__ == "__main__" or any(first is one for one in self.targets)

    def _is_students(self, value: Any) -> bool:
        """Whether what the test cell calls is the student's work."""
        if value is _MADE_OF_TARGET or any(value is target for target in self.targets):
            return True
        if value is None or any(value is reference for reference in self.references):
            return False
        if isinstance(value, (*_PLAIN_CALLABLES, types.ModuleType)) or _is_array(value):
            return False
        return not _is_course_module(type(value).__module__)


_MADE_OF_TARGET = object()
_PLAIN_CALLABLES = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
_PASSES_ON = frozenset({raises.__code__, printed.__code__})
_LIBRARY_PLACES = tuple(
    os.path.join(place, "")
    for place in {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib")}
)


def _below_backward(frame: types.FrameType) -> bool:
    """Whether torch's backward pass, asked for in Python, stands above a frame."""
    above = frame.f_back
    while above is not None and above.f_code.co_name != "_engine_run_backward":
        above = above.f_back
    return above is not None


def _is_library_file(name: str) -> bool:
    return (
        name.startswith((*_LIBRARY_PLACES, "<frozen "))
        or f"{os.sep}site-packages{os.sep}" in name
        or f"{os.sep}dist-packages{os.sep}" in name
    )


def _is_course_module(module: str) -> bool:
    """Whether a module is the course's or the grader's: it lies where a `checks.py` does."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and not _is_library_file(file) and _beside_checks(file)


def _beside_checks(file: str) -> bool:
    package = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.dirname(os.path.abspath(file))
    return f"{folder}{os.sep}".startswith(f"{package}{os.sep}") or os.path.exists(
        os.path.join(folder, "checks.py")
    )


def _is_notebooks(code: types.CodeType, names: Mapping[str, Any]) -> bool:
    """Whether code was written in a cell, or in a file that lies beside the notebook."""
    file = code.co_filename
    if file == __file__ or _is_library_file(file):
        return False
    if os.path.exists(file):
        return not _beside_checks(file)
    if not file.startswith("<"):
        return True
    # made from a text while running: a library does that for its dataclasses, say
    module = sys.modules.get(str(names.get("__name__")))
    made_in = getattr(module, "__file__", None)
    return made_in is None or not (_is_library_file(made_in) or _beside_checks(made_in))


def _callee(frame: types.FrameType, targets: Sequence[Any]) -> Any:
    """What the line that a frame is at calls, as far as the student may have made it.

    The value of a name; _MADE_OF_TARGET for what calling a target has returned; None for what the
    test cell spells itself, such as F.layer_norm or y.backward.
    """
    part = _called_part(frame)
    names = [one for one in part if one.opname.startswith(_LOADS_NAME)]
    if not part or not names:
        return None
    if len(part) == 1 or (len(part) == 2 and part[1].opname.startswith(_LOADS_ATTRIBUTE)):
        return _value(frame, names[0].argval)
    if part[-1].opname.startswith(_LOADS_ATTRIBUTE):
        return None
    values = [_value(frame, one.argval) for one in names]
    if isinstance(values[0], types.ModuleType):  # torch.func.vmap(target): the test's own words
        return None
    return _MADE_OF_TARGET if any(v is t for v in values for t in targets) else None


_LOADS_NAME = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF", "LOAD_CLASSDEREF")
_LOADS_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_NO_PART = ("PUSH", "RESUME", "PRECALL", "KW_NAMES")


def _called_part(frame: types.FrameType) -> list[dis.Instruction]:
    """Where a frame is at a call, the instructions that load what it calls: those that stand where
    the call begins, and end before its arguments."""
    # up to where it is: a place within an instruction's cache is still that instruction
    *before, now = (
        one for one in dis.get_instructions(frame.f_code) if one.offset <= frame.f_lasti
    )
    span_of_call = _span(now)
    if "CALL" not in now.opname or span_of_call is None:
        return []
    begin, end = span_of_call
    spans = [
        (one, span)
        for one in before
        if (span := _span(one)) and not one.opname.startswith(_NO_PART)
    ]
    ends = [span[1] for _, span in spans if span[0] == begin and span[1] < end]
    return [one for one, span in spans if ends and begin <= span[0] and span[1] <= max(ends)]


def _span(instruction: dis.Instruction) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where in the source an instruction comes from: its first and its last place."""
    at = instruction.positions
    if at is None or at.lineno is None or at.col_offset is None:
        return None
    if at.end_lineno is None or at.end_col_offset is None:
        return None
    return (at.lineno, at.col_offset), (at.end_lineno, at.end_col_offset)


def _value(frame: types.FrameType, name: Any) -> Any:
    return frame.f_locals.get(name, frame.f_globals.get(name))


# as they are before a notebook's cells run
_set_profile, _get_profile = sys.setprofile, sys.getprofile


class _ByHand:
    """Watches what is called while a test cell runs."""

    def __init__(self) -> None:
        self.tasks: list[tuple[Any, str, tuple[str, ...]]] = []  # target, its name, without
        self.found: dict[str, Finding] = {}  # the first of each kind
        self.stack: _Stack | None = None
        self.paused = 0
        self._modes: list[Any] = []
        self._callback = self._profile  # one object, so that it can be looked for
        self._before: Any = None
        self._changing = self._hooked = False
        self._seen: dict[tuple[str, ...], _Seen] = {}
        self._now = _Seen()
        self._local = threading.local()

    # ---- its life -----------------------------------------------------------------------------

    def watch(self, target: Any, without: Sequence[str], caller: types.FrameType) -> None:
        """Watch until the cell ends, for this target too. caller: the frame of the test cell."""
        if self.stack is None:
            self._start(caller)
        assert self.stack
        self.stack.targets.append(target)
        self.tasks.append((target, _name_in(caller, target), tuple(without)))
        words = tuple(sorted({word for _, _, without in self.tasks for word in without}))
        if words not in self._seen:
            self._seen[words] = _Seen(no_backward=self._forbids("backward"))
        self._now = self._seen[words]

    def _start(self, caller: types.FrameType) -> None:
        self.stack = _Stack(caller)
        for thread, frame in sys._current_frames().items():
            if thread != threading.get_ident() and self._holds_notebook(frame):
                self._look("runs a thread that was there before the test")
        self._modes = _entered_modes(self)
        if not self._hooked:  # Python cannot take one off again, and neither can a student
            self._hooked = True
            traps: dict[Any, str] = {_Trap(event, self._told): event for event in _TOLD}
            sys.addaudithook(traps.get)
        self._before = _get_profile()
        self._set_profile(self._callback, self._in_thread)
        shell = _shell()
        if shell is not None:
            shell.events.register("post_run_cell", self.release)

    def _set_profile(self, here: Any, in_threads: Any) -> None:
        self._changing = True
        threading.setprofile(in_threads)
        _set_profile(here)
        self._changing = False

    def release(self, *_: Any) -> None:
        """Stop watching; called when the cell that called by_hand has run."""
        if self.stack is None:
            return
        if _get_profile() is self._callback:
            self._set_profile(self._before, None)
        for mode in reversed(self._modes):
            if _stands(mode):
                mode.__exit__(None, None, None)
        shell = _shell()
        if shell is not None:
            shell.events.unregister("post_run_cell", self.release)
        self.stack, self.paused, self._modes = None, 0, []
        self.tasks.clear()
        self.found.clear()

    def findings(self) -> list[Finding]:
        """What was seen so far; also that the watch is no longer where it was put."""
        if self.stack is not None and not (
            _get_profile() is self._callback and all(map(_stands, self._modes))
        ):
            self._note("off", self.tasks[0][1])
        return list(self.found.values())

    def raise_violation(self, label: str) -> None:
        for finding in self.findings():
            if finding.kind != "looked":
                raise CheckFailed(f"{label}\n  {finding.sentence(self._without(finding.target))}")

    def _without(self, target: str) -> tuple[str, ...]:
        return next(without for _, name, without in self.tasks if name == target)

    # ---- what it sees -------------------------------------------------------------------------

    def _profile(self, frame: types.FrameType, event: str, arg: Any) -> None:
        """What Python tells of every call, some ten thousand times in a test."""
        if self.stack is None:
            return
        now = self._now
        if event == "call":
            code = frame.f_code
            known = now.codes.get(id(code))
            if known is None:
                known = now.codes[id(code)] = code, self._operation(code, frame.f_globals)
            if known[1]:
                self._called(*known[1], frame.f_back)
        elif event == "c_call":
            name = getattr(arg, "__name__", "")
            if name not in now.harmless and self._is_suspect(name):
                self._called(name, _module_of_builtin(arg), frame)

    def _is_suspect(self, name: str) -> bool:
        """Whether an operation of this name is to be looked at."""
        suspect = name in _TAKES_OFF or self._forbids(name)
        if not suspect:
            self._now.harmless.add(name)
        return suspect

    def _in_thread(self, frame: types.FrameType, event: str, arg: Any) -> None:
        """As `_profile`, in a thread started meanwhile: torch's modes are of one thread alone."""
        if self.stack is not None and not hasattr(self._local, "modes"):
            self._local.modes = _entered_modes(self)
        self._callback(frame, event, arg)

    def asked_torch(self, name: str) -> None:
        """torch is asked for an operation that is not known to be harmless; called by its modes.

        name: of a function, "layer_norm", or of an operation with its overload,
        "native_layer_norm.default"
        """
        operation = name.split(".")[0]
        if not self._is_suspect(operation):
            self._now.harmless.add(name)
        elif self.stack is not None:
            self._called(operation, "torch", sys._getframe(1))

    def went_backward(self) -> None:
        """torch does something in a backward pass; called by its modes."""
        if self.stack is not None:
            self._called("backward", "torch", sys._getframe(1), in_backward=True)

    def _told(self, event: str) -> None:
        """Python tells of what cannot be seen otherwise, or is done before it is seen."""
        if self.stack is None or self._changing:
            return
        self._changing = True
        try:
            if not self.stack.is_direct(sys._getframe(2)):
                return
            if event == "sys.setprofile":
                self._note("off", self.tasks[0][1] if self.tasks else "")
            else:
                self._look(_REACHES_PAST[event])
        finally:
            self._changing = False

    # ---- what it makes of it ------------------------------------------------------------------

    def _operation(self, code: types.CodeType, names: Mapping[str, Any]) -> tuple[str, str] | None:
        """Name and module of the ready-made operation that code is, where it is a forbidden one."""
        if code.co_name in _TAKES_OFF:
            return code.co_name, "torch"
        # class bodies and modules, which run once while a library is loaded, are no functions
        if not code.co_flags & inspect.CO_OPTIMIZED or _is_notebooks(code, names):
            return None
        module = _module_of_code(code, names)
        if module.split(".")[0] in sys.stdlib_module_names:
            return None
        *owners, name = code.co_qualname.replace(".<locals>", "").split(".")
        if self._forbids(name, module):
            return name, module
        if owners and name in _DOES_ITS_WORK and self._forbids(owners[-1], module):
            return owners[-1], module
        if owners and name == "__init__" and self._forbids(owners[-1], ""):
            return owners[-1], module
        return None

    def _forbids(self, name: str, module: str = "torch") -> bool:
        return any(is_forbidden(name, without, module) for _, _, without in self.tasks)

    def _called(
        self, name: str, module: str, frame: types.FrameType | None, in_backward: bool = False
    ) -> None:
        """A forbidden operation is about to run; frame: the one that called it."""
        assert self.stack
        if name in _TAKES_OFF:
            if self.stack.is_direct(frame):
                self._note("off", self.tasks[0][1])
        elif not self.paused and "called" not in self.found:
            if module.split(".")[0] in sys.stdlib_module_names:
                return
            if self._forbids(name, module) and self.stack.counts(frame, in_backward):
                self._note("called", self._task_of(frame, name, module), name, module)

    def _task_of(self, frame: types.FrameType | None, name: str, module: str) -> str:
        """The target that is at work, of those that must do without this operation."""
        tasks = [task for task in self.tasks if is_forbidden(name, task[2], module)]
        while frame is not None:
            for target, called, _ in tasks:
                if frame.f_code in _codes(target):
                    return called
            frame = frame.f_back
        return tasks[0][1]

    def _note(self, kind: str, target: str, what: str = "", module: str = "") -> None:
        library = module.split(".")[0]
        finding = Finding(kind, target[:LONGEST_NAME], what[:LONGEST_NAME], library)
        self.found.setdefault(kind, finding)

    def _look(self, what: str) -> None:
        self._note("looked", self.tasks[0][1] if self.tasks else "a task", what)

    def _holds_notebook(self, frame: types.FrameType | None) -> bool:
        while frame is not None and self.stack is not None:
            if self.stack.is_notebooks(frame):
                return True
            frame = frame.f_back
        return False

    # ---- answer_key blocks ----------------------------------------------------------------------

    @contextlib.contextmanager
    def pause(self, frame: types.FrameType | None) -> Iterator[None]:
        """While a test cell computes expected values; what that binds is the test's, not the
        student's."""
        while frame is not None and self.stack is not None and not self.stack.is_test(frame):
            if self.stack.is_notebooks(frame):
                break  # not the test cell's own block
            frame = frame.f_back
        if frame is None or self.stack is None or not self.stack.is_test(frame):
            yield
            return
        before, self.paused = dict(frame.f_locals), self.paused + 1
        try:
            yield
        finally:
            self.paused -= 1
            self.stack.references += [
                value for name, value in frame.f_locals.items() if before.get(name) is not value
            ]


class _Trap:
    """The key of a dictionary that tells when somebody looks its event up in there.

    Python hands every event, thousands in a test, to its audit hook. Where that hook is the `get`
    of a dictionary of traps, an event that is none of ours costs no line of Python: of two keys
    only those of equal hash are compared.
    """

    def __init__(self, event: str, tell: Callable[[str], None]):
        self.event, self.tell = event, tell

    def __hash__(self) -> int:
        return hash(self.event)

    def __eq__(self, other: object) -> bool:
        if self is other or other != self.event:
            return self is other
        self.tell(self.event)
        return True


@dataclass
class _Seen:
    """What is known already of what is called, for tasks that must do without the same."""

    no_backward: bool = False
    # id of code -> the code, and the operation that it is
    codes: dict[int, tuple[types.CodeType, tuple[str, str] | None]] = field(default_factory=dict)
    harmless: set[str] = field(default_factory=set)  # names


# the methods in which an object does what its class is named after
_DOES_ITS_WORK = frozenset({"forward", "__call__", "fit_transform", "transform"})


def _name_in(caller: types.FrameType, target: Any) -> str:
    """What a test cell that hands a target on calls it."""
    code, own = caller.f_code, str(getattr(target, "__name__", type(target).__name__))
    names = (*code.co_names, *code.co_varnames, *code.co_freevars)
    return next((name for name in names if _value(caller, name) is target), own)


def _codes(target: Any) -> list[types.CodeType]:
    """The code objects of a function, or of all methods of a class."""
    members = vars(target).values() if isinstance(target, type) else [target]
    functions = (getattr(member, "__func__", member) for member in members)
    return [f.__code__ for f in functions if isinstance(f, types.FunctionType)]


def _module_of_code(code: types.CodeType, names: Mapping[str, Any]) -> str:
    """The module that code belongs to: by its file, where that lies in a library."""
    parts = code.co_filename.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            path = parts[len(parts) - parts[::-1].index(folder) :]
            return ".".join(path).removesuffix(".py")
    return str(names.get("__name__", ""))


def _module_of_builtin(function: Any) -> str:
    owner = getattr(function, "__self__", None)
    kind = owner if isinstance(owner, type) else type(owner)
    inner = kind.__module__ if kind.__module__ != "builtins" else getattr(owner, "__name__", "")
    return str(getattr(function, "__module__", None) or inner)


def _entered_modes(watch: _ByHand) -> list[Any]:
    """What tells a watch of every operation that torch is asked for in this thread."""
    if not _loaded("torch"):
        return []
    modes = [mode(watch) for mode in _mode_classes()]
    for mode in modes:
        mode.__enter__()
    return modes


@functools.cache
def _mode_classes() -> tuple[Any, ...]:
    """Both call as little as they can: whatever they call, the watch is told of."""
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    backward_pass = torch._C._current_graph_task_id

    class Asked(TorchFunctionMode):
        """Sees what Python asks for: also operations that torch puts together from others."""

        def __init__(self, watch: _ByHand):
            super().__init__()
            self.watch = watch

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            try:
                name = function.__name__
            except AttributeError:
                name = ""
            if name == "__get__":  # a tensor's attribute; with its grad_fn one can go backward
                name = getattr(getattr(function, "__self__", None), "__name__", "")
                name = name if name == "grad_fn" else ""
            if name not in self.watch._now.harmless:
                self.watch.asked_torch(name)
            return function(*args, **kwargs) if kwargs else function(*args)

    class Done(TorchDispatchMode):
        """Sees what is done in the end, whoever asked: also compiled code."""

        def __init__(self, watch: _ByHand):
            super().__init__()  # type: ignore[no-untyped-call]
            self.watch = watch

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # else the first operation loads torch's compiler: 800 modules, 2 s

        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            now = self.watch._now
            if function.__name__ not in now.harmless:
                self.watch.asked_torch(function.__name__)
            if now.no_backward and backward_pass() != -1:
                self.watch.went_backward()
            return function(*args, **kwargs) if kwargs else function(*args)

    return Asked, Done


def _stands(mode: Any) -> bool:
    """Whether one of torch's modes is still entered."""
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    asked = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    stacks = asked, _get_current_dispatch_mode_stack()
    return any(mode is one for stack in stacks for one in stack)


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


_by_hand = _ByHand()


def by_hand(target: Any, *, without: str | Sequence[str]) -> None:
    """Until the cell ends, fail when what the notebook defines calls a ready-made operation.

    target   the function, class or object that is to be written by hand
    without  a group of operations ("normalisation", "autograd", "attention", "convolution",
             "pooling", "softmax", "loss", "recurrence"), or a list of groups and of names

    by_hand(layer_norm, without="normalisation")
    by_hand(softmax, without=["softmax", "log_softmax"])

    It counts whoever in the notebook calls the operation: the target, a helper, another cell's
    class. What the lines of the test cell themselves spell out, `F.layer_norm(x, (3,))` say, and
    what an `answer_key` block does, is the test's and does not count.
    """
    if not callable(target):
        raise CheckFailed(
            f"expected a function or class to check, got {_kind(target)}: "
            "run the cell that defines it"
        )
    words = [without] if isinstance(without, str) else list(without)
    _by_hand.watch(target, words, sys._getframe(1))


# --------------------------------------------------------------------------------------------------
# What a grader asks: with snapshot, NotAnAnswer, judge and Expectation above, all that it uses of
# this file
# --------------------------------------------------------------------------------------------------


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


@contextlib.contextmanager
def record_expectations(into: list[Expectation]) -> Iterator[list[Expectation]]:
    """While active, every call of expect is appended to the list before it is judged."""
    _recorders.append(into)
    try:
        yield into
    finally:
        _recorders.remove(into)


def by_hand_findings() -> list[Finding]:
    """What the watch of by_hand has seen in this cell so far."""
    return _by_hand.findings()


def raise_violation(label: str) -> None:
    """Raise CheckFailed where the notebook's code called what a task must do without."""
    _by_hand.raise_violation(label)


def stop_watching() -> None:
    """End what by_hand began; in a notebook the end of the cell does."""
    _by_hand.release()


# What was watched without a notebook's shell, as in a script, ends with the script.
atexit.register(stop_watching)
