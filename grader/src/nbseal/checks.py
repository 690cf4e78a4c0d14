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

import contextlib
import hashlib
import io
import math
import random
import sys
import types
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
        return torch.randn(*shape, generator=torch.Generator().manual_seed(number))
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
        return torch.randint(high, shape, generator=torch.Generator().manual_seed(number))
    if library == "numpy":
        return sys.modules["numpy"].random.default_rng(number).integers(high, size=shape)
    draws = random.Random(number)
    return _filled(shape, lambda: draws.randrange(high))


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
        generator = torch.Generator().manual_seed(_seed("fill_", name, tuple(value.shape), seed))
        if name.endswith("var"):
            numbers = torch.rand(value.shape, generator=generator) + 0.5
        else:
            numbers = torch.randn(value.shape, generator=generator)
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
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta:
            raise NotAnAnswer("a tensor that is sparse, quantized or without data")
        plain = torch.Tensor.detach(tensor).as_subclass(torch.Tensor)
        return plain.to("cpu", copy=True).resolve_conj().resolve_neg().contiguous()


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

    def reason(answer):
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

    def loss(logits):
        return sys.modules["torch"].nn.functional.cross_entropy(logits.double(), targets).item()

    def reason(logits):
        if (
            not _is_tensor(logits)
            or logits.dim() != 2
            or len(logits) != len(targets)
            or not logits.is_floating_point()
        ):
            return f"got {_kind(logits)}, wanted logits of shape ({len(targets)}, classes)"
        if int(targets.max()) >= logits.shape[1]:
            return f"got logits over {logits.shape[1]} classes, wanted at least {int(targets.max()) + 1}"
        value = loss(logits)
        return None if value <= bound else f"the loss is {value:.3f}, wanted at most {bound:.3f}"

    def flag(logits):
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
    finite = sizes[library.isfinite(sizes)]
    scale = min(float(finite.max()), 1.0) if math.prod(finite.shape) else 1.0
    with (
        contextlib.nullcontext() if library is _loaded("torch") else library.errstate(all="ignore")
    ):
        errors = abs(got - want) / sizes.clip(min=scale or 1.0)
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
    # None for a text: `raises` found no error
    if got is None and want is not None and not isinstance(want, str):
        return f"{at}got None: is there a `return`?"
    if isinstance(want, Mapping):
        return _mapping_mismatch(got, want, tolerance, where_)
    if isinstance(want, (tuple, list)):
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
    missing, extra = [k for k in want if k not in got], [k for k in got if k not in want]
    if missing or extra:
        words = [f"{k!r} is missing" for k in missing] + [
            f"{k!r} should not be there" for k in extra
        ]
        return at + ", ".join(words[:4])
    parts = (
        _mismatch(got[k], want[k], tolerance, f"{where_}[{k!r}]" if where_ else f"{k!r}")
        for k in want
    )
    return next((part for part in parts if part), None)


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
            return Verdict(
                False, f"got {_kind(answer)}, which does not have the part that is checked here"
            )
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
    return Verdict(False, reason, next(found, None))


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
    yield


# --------------------------------------------------------------------------------------------------
# by_hand
# --------------------------------------------------------------------------------------------------


class _ByHand:
    """Watches the calls of torch's ready-made operations while a test cell runs, and stops those
    from by-hand code."""

    def __init__(self) -> None:
        self.forbidden: dict[types.CodeType, tuple[str, frozenset[str]]] = {}
        self.violation: str | None = None
        self.mode: Any = None

    def called(self, function: Callable) -> None:
        """One of torch's operations is about to be called."""
        name = getattr(function, "__name__", "").split(".")[0].removeprefix("native_")
        if any(name in names for _, names in self.forbidden.values()):
            self._check_callers(name)

    def _check_callers(self, name: str) -> None:
        frame: types.FrameType | None = sys._getframe(3)
        while frame is not None:
            task, names = self.forbidden.get(frame.f_code, ("", ()))
            if name in names:
                self.violation = (
                    f"{task} is to be written by hand here, and it calls torch's ready-made {name}: "
                    "use sums, means and products of your own"
                )
                raise CheckFailed(self.violation)
            frame = frame.f_back

    def raise_violation(self, label: str) -> None:
        if self.violation:
            message, self.violation = self.violation, None
            raise CheckFailed(f"{label}\n  {message}")

    def watch(self, target: Callable, without: Sequence[str]) -> None:
        for code in _codes(target):
            self.forbidden[code] = (target.__name__, frozenset(without))
        if self.mode is None and _loaded("torch"):
            self.mode = _torch_mode(self)
            self.mode.__enter__()
            shell = _shell()
            if shell is not None:
                shell.events.register("post_run_cell", self.release)

    def release(self, *_: Any) -> None:
        """Stop watching; called when the cell that called by_hand has run."""
        if self.mode is not None:
            self.mode.__exit__(None, None, None)
            self.mode = None
            shell = _shell()
            if shell is not None:
                shell.events.unregister("post_run_cell", self.release)
        self.forbidden.clear()
        self.violation = None


def _torch_mode(watch: _ByHand) -> Any:
    """What tells a watch of every operation that torch is asked for."""
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            watch.called(function)
            return function(*args, **(kwargs or {}))

    return Mode()


def _codes(target: Callable) -> list[types.CodeType]:
    """The code objects of a function, or of all methods of a class."""
    members = vars(target).values() if isinstance(target, type) else [target]
    functions = (getattr(member, "__func__", member) for member in members)
    return [f.__code__ for f in functions if isinstance(f, types.FunctionType)]


def _shell():
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


_by_hand = _ByHand()


def by_hand(target: Callable, *, without: Sequence[str]) -> None:
    """Until the cell ends, fail when this function or class calls one of torch's ready-made
    operations named here.

    by_hand(layer_norm, without=["layer_norm", "LayerNorm"])
    """
    if not callable(target):
        raise CheckFailed(
            f"expected a function or class to check, got {_kind(target)}: run the cell that defines it"
        )
    _by_hand.watch(target, without)


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


def by_hand_violation() -> str | None:
    """What a by-hand function was seen to call since the last `raise_violation`, as a sentence."""
    return _by_hand.violation


def raise_violation(label: str) -> None:
    """Raise CheckFailed, once, where a by-hand function called what it must do without."""
    _by_hand.raise_violation(label)


def stop_watching() -> None:
    """End what by_hand began; in a notebook the end of the cell does."""
    _by_hand.release()
