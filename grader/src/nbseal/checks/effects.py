"""What a call leaves changed, and for which forms of its inputs it answers otherwise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .answers import snapshot
from .arrays import is_tensor, loaded
from .comparing import mismatch
from .settings import usual_settings

FORMS = ("again", "views", ".grad", "no_grad", "computed")
_NEAR = 1e-3  # between the same numbers, laid out in another way
_LENT = 0.5  # what stands in each .grad while a call is watched


def changes(function: Callable, *args: Any, **options: Any) -> list[str]:
    """Call the function and return the names of what it leaves changed that it was not asked to.

    Of torch: its settings by name ("threads", "seed", ...). Of what it is given, also within lists
    and tuples, and of itself where it is a module: "values" of tensors and parameters, their
    "requires_grad", their ".grad" (each has one while the call runs), the "order" of a list, the
    "modes" of a module's parts, "hooks" of tensors and modules, the "buffers" of a module in
    evaluation mode, and "attributes" that a module it is given has more or less. Afterwards
    settings and gradients are as they were before the call.
    """
    torch = loaded("torch")
    if torch is None:
        function(*args, **options)
        return []
    own = {id(part) for part in _parts(torch, [function])}
    parts = _parts(torch, [function, *args, *options.values()])
    given = [_Look(part, id(part) in own) for part in parts]
    recorded = torch.is_grad_enabled()
    with _lending(torch, parts) as leaves:
        with usual_settings(torch) as changed:
            function(*args, **options)
            found = changed()
            if not recorded:  # an earlier call may have switched them off
                with torch.enable_grad():
                    function(*args, **options)
                    found += [] if torch.is_grad_enabled() else ["gradients"]
        names = {name for look in given for name in look.changed()}
        return found + sorted(names | ({".grad"} if any(map(_took, leaves)) else set()))


def differs(function: Callable, *args: Any, forms: Collection[str] = FORMS) -> list[str]:
    """Call the function with several forms of the same inputs; return the names of those for which
    it answers otherwise than at first.

    "again": called once more. "views": all tensors, also those in lists and tuples, are views that
    are not contiguous. ".grad": something stands in each `.grad` already. "no_grad": no gradients
    are recorded. "computed": tensors that want gradients are results of another operation. And
    "kept", where the first answer, or the one without gradients, is no longer what it was after a
    call with other numbers.
    """
    torch = loaded("torch")
    answer = function(*args)
    first, found = snapshot(answer), []

    def is_first(other: Any) -> bool:
        return not mismatch(snapshot(other), first, _NEAR)

    def is_kept(other: Any) -> bool:
        if next(_tensors(args), None) is not None:
            function(*_each(args, _turned))
        return is_first(other)

    if "again" in forms and not is_first(function(*args)):
        found.append("again")
    if torch and "views" in forms:
        viewed = _each(args, lambda tensor: _view(torch, tensor))
        found += [] if is_first(function(*viewed)) else ["views"]
    if torch and ".grad" in forms:
        with _lending(torch, _parts(torch, [function, *args])):
            found += [] if is_first(function(*args)) else [".grad"]
    kept = is_kept(answer)
    if torch and "no_grad" in forms:
        with torch.no_grad():
            silent = function(*args)
            if is_first(silent):
                kept = is_kept(silent) and kept
            else:
                found.append("no_grad")
    if "computed" in forms and any(tensor.requires_grad for tensor in _tensors(args)):
        computed = _each(args, lambda one: one.clone() if one.requires_grad else one)
        found += [] if is_first(function(*computed)) else ["computed"]
    return found if kept else [*found, "kept"]


class _Look:
    """How a tensor, a list or a part of a module looked before a call. own: it is of the module
    that is called, which may keep what it likes."""

    def __init__(self, one: Any, own: bool):
        self.one, self.own = one, own
        self.before = self._looks()

    def _looks(self) -> dict[str, Any]:
        if is_tensor(self.one):
            looks = {"values": snapshot(self.one), "requires_grad": self.one.requires_grad}
            return looks | {"hooks": _hooks(self.one, "_backward_hooks", "retains_grad")}
        if isinstance(self.one, list):
            return {"order": [id(item) for item in self.one]}
        looks = {"modes": self.one.training}
        looks["hooks"] = _hooks(self.one, "_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
        if not self.own:
            looks["attributes"] = sorted(vars(self.one))
        if not self.one.training:
            looks["buffers"] = snapshot(list(self.one._buffers.values()))
        return looks

    def changed(self) -> Iterator[str]:
        now = self._looks()
        for name, value in self.before.items():
            if name not in now or not _same(now[name], value):
                yield name


@contextmanager
def _lending(torch: Any, parts: Sequence[Any]) -> Iterator[list[Any]]:
    """Has something stand in the `.grad` of each tensor that can have one; yields those."""
    leaves = [one for one in parts if is_tensor(one) and one.is_floating_point() and one.is_leaf]
    grads = [one.grad for one in leaves]
    for one in leaves:
        one.grad = torch.full_like(one, _LENT, requires_grad=False)
    try:
        yield leaves
    finally:
        for one, grad in zip(leaves, grads):
            one.grad = grad


def _took(leaf: Any) -> bool:
    """Whether what was lent is no longer there; it may have been put back as a copy."""
    return leaf.grad is None or bool((leaf.grad != _LENT).any())


def _same(now: Any, before: Any) -> bool:
    """Whether two copies of what `_Look` reads are equal; NaN is NaN."""
    if isinstance(before, list):
        return len(now) == len(before) and all(map(_same, now, before))
    if not (is_tensor(now) and is_tensor(before)):
        return now is before or now == before
    same = now.dtype == before.dtype and now.equal(before)
    return same or not mismatch(now, before, 0.0)


def _hooks(one: Any, *names: str) -> list[int]:
    """How many hooks there are of each kind; of a flag, whether it is set."""
    held = [getattr(one, name, None) or () for name in names]
    return [int(hooks) if isinstance(hooks, bool) else len(hooks) for hooks in held]


def _parts(torch: Any, values: Sequence[Any]) -> list[Any]:
    """Each tensor, list and module among values once, with a module's parts and parameters."""
    found: dict[int, Any] = {}
    for value in values:
        parts = [value] if is_tensor(value) or isinstance(value, list) else []
        if isinstance(value, torch.nn.Module):
            parts += [*value.modules(), *value.parameters()]
        elif isinstance(value, (tuple, list)):
            parts += _parts(torch, value)
        found |= {id(part): part for part in parts}
    return list(found.values())


def _tensors(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if is_tensor(value):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors(value)


def _each(values: Sequence[Any], change: Callable[[Any], Any]) -> list[Any]:
    """The same values, with each tensor changed."""
    return [
        change(value)
        if is_tensor(value)
        else type(value)(_each(value, change))
        if type(value) in (tuple, list)
        else value
        for value in values
    ]


def _view(torch: Any, tensor: Any) -> Any:
    """The same numbers, every second one of a tensor."""
    apart = torch.stack([tensor.detach()] * 2, -1)[..., 0]
    return apart.requires_grad_() if tensor.requires_grad else apart


def _turned(tensor: Any) -> Any:
    """The same numbers in the opposite order."""
    turned = tensor.detach().flip(tuple(range(tensor.dim())))
    return turned.requires_grad_() if tensor.requires_grad else turned
