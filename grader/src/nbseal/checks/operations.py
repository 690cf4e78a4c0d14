"""Ready-made operations, by what they are for; and what a student reads who used one."""

from __future__ import annotations

import re
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
