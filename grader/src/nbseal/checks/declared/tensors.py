"""The battery for functions of torch tensors: what holds for every one, from shapes alone.

It needs torch when it is used, and loads without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import isfunction
from typing import Any

from ..arrays import torch
from ..effects import FORMS, changes, differs
from ..inputs import sample
from .asking import How, Namespace, Probe, find

EFFECTS = {
    "values": "you changed {first} in place; make a new tensor (x - mean, not x -= mean)",
    "requires_grad": "you switched requires_grad of what you were given",
    ".grad": "you changed or cleared the .grad of what you were given",
    "gradients": "gradients are switched on or off for the whole notebook now; use "
    "`with torch.no_grad():`, which ends",
    "seed": "you set torch's seed for the whole notebook; draw with a generator of your own",
    "modes": "a model is in another mode than before; restore the mode of each of its parts",
    "kept": "what you returned changes with the next call; return a new tensor each time",
    "again": "the same call gives another answer the second time; keep nothing between calls",
    "views": "a view that is not contiguous gives another answer",
    "no_grad": "under torch.no_grad() the answer is another one",
    "computed": "for an input that is itself computed the answer is another one",
    "attributes": "you left an attribute behind on the model",
    "otherwise": "the call leaves something of torch or of what it was given changed",
}
DOUBLE = "of a double tensor you return one that is not double"
SIZES = (3, 2, 5, 4)  # of dimensions that are not called D, in their order


@dataclass(frozen=True)
class Situation:
    """Inputs of which a function is asked: leading dimensions, features, and what is made of the
    numbers that are drawn, as text and as code."""

    label: str
    lead: tuple[int, ...]
    features: int
    text: str = "{}"
    change: Callable[[Any], Any] = lambda x: x


ROWS = (
    Situation("a batch of rows", (5,), 6),
    Situation("three leading dimensions", (2, 1, 3), 6),
    Situation("a single row", (), 6),
    Situation("as many rows as features", (4,), 4),
    Situation("rows far from 0", (3,), 6, "10 + {}", lambda x: 10 + x),
    Situation("rows of small numbers", (3,), 6, "0.001 * {}", lambda x: 0.001 * x),
)
DRAWN = (Situation("drawn numbers", (), 4), Situation("other drawn numbers", (), 7))
BACKWARD = (
    Situation("gradients of a batch of rows", (3,), 4),
    Situation("gradients with three leading dimensions", (2, 1, 2), 5),
    Situation("gradients of a single row", (), 4),
)


class TensorFunction:
    """A function of tensors that the task asks for.

    arguments  of each what it is: "... D", a tensor with any leading dimensions, "D" or "N D", one
               of these; a list, values that may come; a function, what is made for each call
    gradient   whether gradients must flow back to the tensors
    skip       situations, forms of `differs` and "effects" that this task does not ask for
    """

    def __init__(
        self,
        task: Any,
        name: str,
        gradient: bool = True,
        skip: Sequence[str] = (),
        **arguments: Any,
    ):
        self.task, self.name, self.gradient, self.skip = task, name, gradient, set(skip)
        self.arguments = arguments

    # ---- what an author adds --------------------------------------------------------------------

    def look(
        self,
        label: str,
        *,
        backward: bool = False,
        otherwise: str | None = None,
        of: Callable[[Any], Any] | None = None,
        tolerance: float | None = None,
        **given: Any,
    ) -> None:
        """A call with numbers that can be followed by hand; nested lists become tensors."""

        def make() -> dict[str, Any]:
            return {name: literal(value) for name, value in given.items()}

        def shown() -> str:
            return f"{self.name}({', '.join(map(as_text, make().values()))})"

        probe = Probe(label, self._ask(make, backward, of), shown=shown, tolerance=tolerance)
        if otherwise:
            probe.sentences["otherwise"] = otherwise
        self.task.add(probe)

    def case(
        self,
        label: str,
        make: Callable[[], Sequence[Any]],
        *,
        backward: bool = False,
        of: Callable[[Any], Any] | None = None,
        tolerance: float | None = None,
        shown: str | None = None,
    ) -> None:
        """A call with what `make` returns, drawn by sample."""
        probe = Probe(
            label,
            self._ask(lambda: dict(zip(self.arguments, make())), backward, of),
            drawn=True,
            tolerance=tolerance,
            shown=(lambda: shown) if shown else None,
        )
        self.task.add(probe)

    def _ask(
        self, make: Callable[[], dict[str, Any]], backward: bool, of: Callable | None = None
    ) -> Callable[[Namespace, How], Any]:
        def ask(namespace: Namespace, how: How) -> Any:
            function = find(namespace, self.name)
            given = {name: prepared(value, how) for name, value in make().items()}
            leaves = {name: value for name, value in given.items() if is_float(value)}
            for value in leaves.values() if backward else ():
                value.requires_grad_()
            out = function(*given.values())
            result = of(out) if of else out
            return {"result": result, **gradients(out, leaves)} if backward else result

        return ask

    # ---- what holds for every function ----------------------------------------------------------

    def battery(self) -> list[Probe]:
        """Situations, which decide points, and what a good engineer would also do."""
        rows = any(isinstance(what, str) and "..." in what for what in self.arguments.values())
        probes = [self._situation(k, one, False) for k, one in enumerate(ROWS if rows else DRAWN)]
        if self.gradient:
            probes += [
                self._situation(k, one, True)
                for k, one in enumerate(BACKWARD if rows else BACKWARD[:1])
            ]
        if "effects" not in self.skip:
            told = {
                name: text.format(first=next(iter(self.arguments)))
                for name, text in EFFECTS.items()
            }
            more: Any = {"core": False, "wanted": [], "sentences": told}
            label = f"{self.name}: what it is given, and torch's settings, stay as they are"
            probes.append(Probe(label, self._effects, **more))
            label = f"{self.name}: views, computed inputs, no_grad and a second call change nothing"
            probes.append(Probe(label, self._differs, **more))
        if "double" not in self.skip:
            label = f"{self.name}: double precision stays double"
            told = {"otherwise": DOUBLE}
            probes.append(Probe(label, self._double, core=False, wanted=True, sentences=told))
        return [probe for probe in probes if probe.label.split(": ")[-1] not in self.skip]

    def _situation(self, number: int, one: Situation, backward: bool) -> Probe:
        make = partial(self._made, one, 21 + number, number)

        def shown() -> str:
            texts = [self._text(one, 21 + number, number, name) for name in self.arguments]
            return f"{self.name}({', '.join(texts)})"

        several = len(self.task.handles) > 1
        label = f"{self.name}: {one.label}" if several else one.label
        return Probe(label, self._ask(make, backward), drawn=True, shown=shown)

    def _shape(self, what: str, one: Situation) -> list[int]:
        others = [p for w in self.arguments.values() if isinstance(w, str) for p in w.split()]
        names = list(dict.fromkeys(p for p in others if p.isalpha() and p != "D"))
        sizes = dict(zip(names, SIZES)) | {"D": one.features}
        parts = [one.lead if p == "..." else (sizes.get(p) or int(p),) for p in what.split()]
        return [size for part in parts for size in part]

    def _made(self, one: Situation, seed: int, number: int) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for k, (name, what) in enumerate(self.arguments.items()):
            if isinstance(what, str):
                value = sample(*self._shape(what, one), seed=seed + 31 * k)
                given[name] = one.change(value) if "..." in what else value
            elif isinstance(what, list):
                given[name] = prepared(what[number % len(what)], How())
            else:
                given[name] = what() if callable(what) else what
        return given

    def _text(self, one: Situation, seed: int, number: int, name: str) -> str:
        k, what = list(self.arguments).index(name), self.arguments[name]
        if not isinstance(what, str):
            return as_text(self._made(one, seed, number)[name])
        sizes = ", ".join(map(str, self._shape(what, one)))
        drawn = (
            f"sample({sizes}, seed={seed + 31 * k})" if sizes else f"sample(seed={seed + 31 * k})"
        )
        return one.text.format(drawn) if "..." in what else drawn

    def _effects(self, namespace: Namespace, how: How) -> list[str]:
        function, found = find(namespace, self.name), list[str]()
        for number, learns in enumerate((False, True)):
            given = list(self._made(Situation("", (3,), 5), 61, number).values())
            given = [v.requires_grad_(learns) if is_float(v) else v for v in given]
            found += changes(function, *given)
            with torch.no_grad():
                found += changes(function, *given)
        return sorted(set(found))

    def _differs(self, namespace: Namespace, how: How) -> list[str]:
        function, forms = find(namespace, self.name), [f for f in FORMS if f not in self.skip]
        given = list(self._made(Situation("", (3,), 5), 62, 0).values())
        return differs(
            function, *(v.requires_grad_() if is_float(v) else v for v in given), forms=forms
        )

    def _double(self, namespace: Namespace, how: How) -> bool:
        given = [prepared(v, How(wide=True)) for v in self._made(ROWS[0], 63, 0).values()]
        out = find(namespace, self.name)(*given)
        return all(part.dtype == torch.float64 for part in parts_of(out) if is_float(part))


# ---- tensors ------------------------------------------------------------------------------------


def is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def parts_of(out: Any) -> list[Any]:
    return list(out) if isinstance(out, (tuple, list)) else [out]


def literal(value: Any) -> Any:
    """A nested list of numbers as a tensor; whole numbers stay whole."""
    numbers = isinstance(value, list) and not any(map(callable, value))
    return torch.tensor(value) if numbers else value


def prepared(value: Any, how: How) -> Any:
    """An input as it is asked: in double precision, or with each number off by one rounding."""
    if isinstance(value, (tuple, list)):
        return type(value)(prepared(item, how) for item in value)
    if not is_float(value):
        return value
    if how.jiggled:
        source = torch.Generator().manual_seed(how.jiggled + value.dim())
        signs = torch.randint(0, 2, value.shape, generator=source).to(value) * 2 - 1
        value = value * (1 + signs * torch.finfo(value.dtype).eps)
    return value.double() if how.wide else value


def gradients(out: Any, leaves: Mapping[str, Any]) -> dict[str, Any]:
    """Of each value that is returned, for each leaf, what arrives there; None where nothing
    does."""
    parts, found = parts_of(out), dict[str, Any]()
    for number, part in enumerate(parts):
        through = f" through value {number + 1}" if len(parts) > 1 else ""
        slopes: Any = [None] * len(leaves)
        if is_float(part) and part.requires_grad:
            pull = sample(*part.shape, seed=7000 + number).to(part.dtype)
            again = number + 1 < len(parts)
            slopes = torch.autograd.grad(
                part, list(leaves.values()), pull, allow_unused=True, retain_graph=again
            )
        found |= {f"gradient of {name}{through}": one for name, one in zip(leaves, slopes)}
    return found


def as_text(value: Any) -> str:
    """A value as it is written in a call."""
    if isinstance(value, torch.Tensor):
        numbers = repr(value.tolist()) if value.numel() <= 30 else f"<{tuple(value.shape)} numbers>"
        return f"tensor({numbers})"
    if isinstance(value, list):
        return f"[{', '.join(map(as_text, value))}]"
    return value.__name__ if isfunction(value) else repr(value)
