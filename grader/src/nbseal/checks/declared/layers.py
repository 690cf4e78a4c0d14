"""The battery for torch modules: what holds for every layer, from how it is built and what it is
given.

It needs torch when it is used, and loads without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..arrays import torch
from ..effects import changes, differs
from ..inputs import fill_, sample
from .asking import PLAIN, How, Namespace, Probe, find
from .tensors import DOUBLE, EFFECTS, gradients, parts_of, prepared

GRADIENTS = 2  # builds that are asked for gradients, and with inputs of all these shapes
LEADS = ((3,), (), (2, 1, 2))
COPIES = "a deep copy, or a loaded state, shares numbers with the layer that it came from"


@dataclass(frozen=True)
class Build:
    """One way to build a layer. takes: the last dimensions of what it is then given."""

    takes: tuple[int, ...]
    args: tuple
    options: dict[str, Any]

    def __str__(self) -> str:
        options = (f"{name}={as_written(value)}" for name, value in self.options.items())
        return ", ".join([*map(as_written, self.args), *options])


def as_written(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)


class Module:
    """A class of modules that the task asks for.

    attributes  names that must be there, or be None
    leads       the leading dimensions of what it is given, the same for every build: a layer of
                images has ((4,), (1,)); all are asked in training, then all but the first in
                evaluation mode
    starts      whether the numbers that a fresh layer holds are asked for, or their shapes alone
    gradient    whether gradients must reach input and parameters
    tolerance   how far results and gradients may be off, where rounding does not say it: where a
                task takes approximations, too
    skip        "effects", "double" and "copies", where the task does not speak of them
    """

    def __init__(
        self,
        task: Any,
        name: str,
        attributes: Sequence[str] = (),
        leads: Sequence[tuple[int, ...]] = (),
        starts: bool = True,
        gradient: bool = True,
        skip: Sequence[str] = (),
        tolerance: float | None = None,
    ):
        self.task, self.name, self.attributes, self.skip = task, name, attributes, set(skip)
        self.starts, self.gradient, self.tolerance = starts, gradient, tolerance
        self.leads, self.lead = leads, leads[0] if leads else (2, 3)
        self.builds: list[Build] = []

    def build(self, *args: Any, takes: tuple[int, ...], **options: Any) -> None:
        """One way to build it that the task asks for."""
        self.builds.append(Build(takes, args, options))

    # ---- what an author adds --------------------------------------------------------------------

    def look(
        self,
        label: str,
        *args: Any,
        x: Any,
        state: dict[str, list] | None = None,
        evaluate: bool = False,
        pull: list | None = None,
        otherwise: str | None = None,
        **options: Any,
    ) -> None:
        """A layer with given weights, and one input that can be followed by hand. pull: the
        gradient that arrives at its output."""

        def ask(namespace: Namespace, how: How) -> Any:
            layer = find(namespace, self.name)(*args, **options)
            if state:
                layer.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
            layer = (layer.double() if how.wide else layer).train(not evaluate)
            given = prepared(torch.tensor(x), how).requires_grad_(pull is not None)
            out = layer(given)
            if pull is None:
                return out
            (torch.tensor(pull).to(out) * out).sum().backward()
            slopes = {f"gradient of {k}": v.grad for k, v in sorted(layer.named_parameters())}
            return {"result": out, "gradient of x": given.grad, **slopes}

        def shown() -> str:
            after = f", after load_state_dict of {state}" if state else ""
            mode = ".eval()" if evaluate else ""
            return f"{self.name}({Build((), args, options)}){mode}(tensor({x})){after}"

        told = {"otherwise": otherwise} if otherwise else {}
        more: Any = {"tolerance": self.tolerance, "sentences": told}
        self.task.add(Probe(label, ask, shown=shown, **more))

    def state(self, label: str, *args: Any, **options: Any) -> None:
        """What a fresh layer holds: names, shapes and numbers, and which of them learn."""
        build = Build((), args, options)
        shown = partial(str, f"{self.name}({build})")
        self.task.add(Probe(label, partial(self._holds, build), shown=shown))

    # ---- what holds for every layer -------------------------------------------------------------

    def battery(self) -> list[Probe]:
        """Each build, which decides points, and what a good engineer would also do."""
        probes = []
        for number, build in enumerate(self.builds):
            call, some = f"{self.name}({build})", number < GRADIENTS
            made, filled = partial(str, call), partial(self._tour_text, build)
            tour = partial(self._tour, build, self.leads or (LEADS if some else LEADS[:1]))
            drawn: Any = {"drawn": True, "shown": filled, "tolerance": self.tolerance}
            probes.append(Probe(f"{call}: a fresh layer", partial(self._holds, build), shown=made))
            probes.append(Probe(f"{call}: results", tour, **drawn))
            if self.gradient and some:
                slopes = partial(self._slopes, build, number == 0)
                probes.append(Probe(f"{call}: gradients", slopes, **drawn))
        return probes + self._care()

    def _care(self) -> list[Probe]:
        told = {name: text.format(first="x") for name, text in EFFECTS.items()}
        effects: Any = {"core": False, "wanted": [], "sentences": told}
        stays = "what it is given, and torch's settings, stay as they are"
        same = "views, computed inputs, no_grad and a second call change nothing"
        double: Any = {"core": False, "wanted": True, "sentences": {"otherwise": DOUBLE}}
        copies: Any = {"core": False, "wanted": [], "sentences": {"otherwise": COPIES}}
        probes = {
            "effects": [
                Probe(f"{self.name}: {stays}", self._effects, **effects),
                Probe(f"{self.name}: {same}", self._differs, **effects),
            ],
            "double": [
                Probe(f"{self.name}: double precision stays double", self._double, **double)
            ],
            "copies": [
                Probe(f"{self.name}: copies have numbers of their own", self._copies, **copies)
            ],
        }
        return [one for word, some in probes.items() if word not in self.skip for one in some]

    def _made(self, namespace: Namespace, build: Build, how: How = PLAIN) -> Any:
        """A layer of drawn numbers."""
        layer = fill_(find(namespace, self.name)(*build.args, **build.options), seed=36)
        return layer.double() if how.wide else layer

    @staticmethod
    def _given(build: Build, lead: Sequence[int], how: How = PLAIN, seed: int = 49) -> Any:
        return prepared(3 * sample(*lead, *build.takes, seed=seed) + 1, how)

    def _tour_text(self, build: Build) -> str:
        sizes = ", ".join(map(str, build.takes))
        return f"fill_({self.name}({build}), seed=36)(3 * sample(..., {sizes}, seed=49) + 1)"

    def _holds(self, build: Build, namespace: Namespace, how: How) -> dict[str, Any]:
        other, layer = (find(namespace, self.name)(*build.args, **build.options) for _ in "12")
        with torch.no_grad():
            for value in other.parameters():
                value += 1  # of no layer but its own
        state = layer.state_dict()
        return {
            "state_dict": dict(state)
            if self.starts
            else {k: list(v.shape) for k, v in state.items()},
            "what learns": sorted(k for k, v in layer.named_parameters() if v.requires_grad),
            "what is None": [k for k in self.attributes if getattr(layer, k, 0) is None],
        }

    def _tour(
        self, build: Build, leads: Sequence, namespace: Namespace, how: How
    ) -> dict[str, Any]:
        """One call after the other, in both modes, with inputs of several shapes."""
        layer = self._made(namespace, build, how)
        seen: dict[str, Any] = {}
        for mode, some in (("training", leads), ("evaluation", leads[1:])):
            layer.train(mode == "training")
            for lead in some:
                name = f"{mode}, input of shape {(*lead, *build.takes)}"
                seen[name] = layer(self._given(build, lead, how))
        return seen

    def _slopes(
        self, build: Build, training: bool, namespace: Namespace, how: How
    ) -> dict[str, Any]:
        layer = self._made(namespace, build, how).train(training)
        x = self._given(build, self.leads[0] if self.leads else (3,), how).requires_grad_()
        return gradients(layer(x), {"x": x, **dict(sorted(layer.named_parameters()))})

    def _effects(self, namespace: Namespace, how: How) -> list[str]:
        build = self.builds[0]
        found = changes(find(namespace, self.name), *build.args, **build.options)
        for training in (False, True):
            layer = self._made(namespace, build).train(training)
            x = self._given(build, self.lead).requires_grad_(training)
            found += changes(layer, x)
        return sorted(set(found))

    def _differs(self, namespace: Namespace, how: How) -> list[str]:
        layer = self._made(namespace, self.builds[0]).eval()
        return differs(layer, self._given(self.builds[0], self.lead).requires_grad_())

    def _double(self, namespace: Namespace, how: How) -> bool:
        build, wide = self.builds[0], How(wide=True)
        out = self._made(namespace, build, wide)(self._given(build, (3,), wide))
        return all(part.dtype == torch.float64 for part in parts_of(out))

    def _copies(self, namespace: Namespace, how: How) -> list[str]:
        layer, x = self._made(namespace, self.builds[0]).eval(), self._given(self.builds[0], (4,))
        before, found = layer(x).detach().clone(), list[str]()
        copied, state = deepcopy(layer), deepcopy(layer.state_dict())
        loaded = self._made(namespace, self.builds[0]).eval()
        loaded.load_state_dict(state)
        for name, other in (("copy", copied), ("loaded", loaded)):
            with torch.no_grad():
                for value in other.parameters():
                    value -= 1
            found += [] if torch.equal(layer(x), before) else [name]
        return found
