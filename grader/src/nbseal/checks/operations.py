"""Ready-made operations, by what they are for; and what a student reads who used one."""

from __future__ import annotations

import builtins
import importlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass


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
ALIASES = {"np": "numpy", "pd": "pandas", "F": "torch.nn.functional", "nn": "torch.nn"}
ALIASES |= {"plt": "matplotlib.pyplot", "sns": "seaborn", "Tensor": "torch.Tensor"}
# Whose functions are ready-made operations when only a group is named.
NUMERICAL = frozenset(
    ("torch", "numpy", "scipy", "sklearn", "pandas", "statsmodels", "skimage", "cv2")
    + ("torchvision", "jax", "tensorflow", "keras")
)


def canonical(name: str) -> str:
    """One spelling for an operation's function, class and internal name: LayerNorm, layer_norm,
    native_layer_norm."""
    plain = name.strip("_").lower().removeprefix("native_")
    return re.sub(r"\d+d$", "", plain).replace("_", "")


def is_forbidden(name: str, without: Sequence[str], module: str | None = "torch") -> bool:
    """Whether an operation of this name, in this module, is one that a task must do without.

    without  groups in OPERATIONS ("softmax"); names of functions of Python or of any library but
             Python's own ("sorted", "log_softmax"); dotted names of functions, methods and
             modules ("np.std", "list.sort", "statistics.mean", "scipy.stats")
    module   None: it may be any
    """
    return any(
        _in_group(name, OPERATIONS[word], module)
        if word in OPERATIONS
        else _is_named(name, word, module)
        for word in without
    )


def _in_group(name: str, group: Operations, module: str | None) -> bool:
    if module is None:
        return bool(group.names.search(canonical(name)))
    return f"{module}.".startswith(tuple(f"{place}." for place in group.places)) or bool(
        module.split(".")[0] in NUMERICAL and group.names.search(canonical(name))
    )


def _is_named(name: str, word: str, module: str | None) -> bool:
    path = in_full(word)
    owner, _, last = path.rpartition(".")
    same = canonical(name) == canonical(last)
    if module is None:
        return same
    root = module.split(".")[0]
    if f"{module}.".startswith(f"{path}."):
        return True  # all of a module
    if owner:
        return same and root == owner.split(".")[0]
    return (same and root not in sys.stdlib_module_names) or (name == word and module == "builtins")


def in_full(word: str) -> str:
    """A dotted name with the usual short name of its library written out: numpy.std for np.std."""
    head, dot, rest = word.partition(".")
    return ALIASES.get(head, head) + dot + rest if dot else word


def unknown(words: Sequence[str]) -> str | None:
    """The first of these words that names nothing, or nothing that a call of could be seen."""
    return next((w for w in words if w not in OPERATIONS and not _names_something(w)), None)


def _names_something(word: str) -> bool:
    if "." not in word:
        modules = [m for name, m in list(sys.modules.items()) if not is_pythons(name.split(".")[0])]
        owners = [getattr(m, "__dict__", {}) for m in (builtins, *modules)]
        owners += [vars(o[kind]) for o in owners for kind in ("Tensor", "ndarray") if kind in o]
        return any(word in owner for owner in owners) or word in sys.modules
    head, *rest = in_full(word).split(".")
    found = vars(builtins).get(head)
    try:
        found = found if found is not None else importlib.import_module(head)
        for place, part in enumerate(rest):
            if not hasattr(found, part):
                importlib.import_module(".".join([head, *rest[: place + 1]]))
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return False
    return type(found).__name__ != "ufunc"  # whose calls Python does not tell


def is_pythons(library: str) -> bool:
    """Whether a module, or the type of a method, comes with Python."""
    return library in sys.stdlib_module_names or library in vars(builtins)


@dataclass(frozen=True)
class Finding:
    """What the watch saw.

    kind  called: an operation that the target must do without; off: the watch was taken off;
          looked: nothing forbidden, but something for a person to look at
    what  the operation's name, or what was done; library: its module
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
        library = self.library.split(".")[0]
        own = library in ("utils", "checks", "nbseal")
        whose = "the course's" if own else "Python's" if is_pythons(library) else f"{library}'s"
        groups = [OPERATIONS[word] for word in without if word in OPERATIONS]
        named = [group for group in groups if group.names.search(canonical(self.what))]
        placed = [group for group in groups if group.places]
        advice = next((group.advice for group in (*named, *placed)), "write it out")
        return (
            f"{self.target} is to be written by hand here, and it calls {whose} ready-made "
            f"{self.what}: {advice}"
        )
