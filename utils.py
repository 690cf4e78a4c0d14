"""Everything a course notebook imports, in one file so that a notebook needs nothing else beside it.

    seeding and device     set_seed, configure_device
    data                   load_text, load_names, split_names, NamesDataset, load_digits, minibatches
    training               train
    figures                use_course_style, PALETTE, band, label_line_ends, heatmap, plot_losses
    inputs for checks      sample, sample_ids, fill_, raises, printed, first, second
    checks                 expect, at_most, at_least, between, where, loss_at_most, answer_key, by_hand

`expect` compares what your code returned with what it should have returned. When they differ it looks for a known
mistake that explains the answer and tells you which one it is.
"""
import contextlib
import hashlib
import io
import math
import random
import sys
import time
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

if sys.version_info < (3, 10):
    raise RuntimeError(f"This course needs Python 3.10 or newer, this is {sys.version.split()[0]}: install a newer Python.")

COURSE_FOLDER = Path(__file__).resolve().parent
NAMES_FILE = COURSE_FOLDER / "data" / "names.txt"

# ---------------------------------------------------------------------------------------------------------------------
# Seeding and device
# ---------------------------------------------------------------------------------------------------------------------


def set_seed(seed: int = 0) -> None:
    """Seed Python's, NumPy's and torch's (CPU, CUDA, MPS) global random generators."""
    random.seed(seed)
    torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def configure_device(verbose: bool = True) -> torch.device:
    """Return the best device at hand - CUDA, then Apple's MPS, then the CPU - and say which one it is."""
    if torch.cuda.is_available():
        device, what = torch.device("cuda"), f"CUDA GPU ({torch.cuda.get_device_name(0)})"
    elif torch.backends.mps.is_available():
        device, what = torch.device("mps"), "Apple GPU (MPS)"
    else:
        device, what = torch.device("cpu"), f"CPU ({torch.get_num_threads()} threads)"
    if verbose:
        print(f"Running on the {what}.")
    return device


# ---------------------------------------------------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------------------------------------------------

ALPHABET = ".abcdefghijklmnopqrstuvwxyz"  # "." (id 0) starts and ends every name


def load_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file. Raises FileNotFoundError or ValueError with one sentence that says what to do."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path} (looked from {Path.cwd()}): check the path, or fetch the "
                                "course's data/ folder again.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8.") from None


def load_names(path: str | Path | None = None) -> list[str]:
    """Return the names of a text file with one name a line: lower case, a-z only, each name once, in the file's order.

    `path` defaults to the course's own data/names.txt; any list of yours in the same form works. Duplicates are dropped
    here, before anyone can split them over train and validation. Raises ValueError naming the first line that is wrong.
    """
    path = NAMES_FILE if path is None else Path(path)
    names = {}
    for number, line in enumerate(load_text(path).splitlines(), start=1):
        name = line.strip().lower()
        if not name:
            continue
        if not (name.isascii() and name.isalpha()):
            raise ValueError(f"{path}, line {number}: {line.strip()[:40]!r} is not a name in the letters a-z: "
                             "mend or remove that line.")
        names[name] = None
    if len(names) < 3:
        raise ValueError(f"{path} holds {len(names)} names and at least 3 are needed: one name a line, letters a-z.")
    return list(names)


def split_names(names: Sequence[str], fractions: tuple[float, float, float] = (0.8, 0.1, 0.1),
                seed: int = 0) -> tuple[list[str], list[str], list[str]]:
    """Shuffle names and split them into (train, validation, test) without a name in two of them.

    Raises ValueError when a name occurs twice (it would leak) or the fractions do not sum to 1.
    """
    if len(set(names)) != len(names):
        raise ValueError("The same name occurs twice, so it could land in train and in validation: "
                         "de-duplicate before you split (load_names does).")
    if len(fractions) != 3 or min(fractions) < 0 or not math.isclose(sum(fractions), 1.0, abs_tol=1e-6):
        raise ValueError(f"fractions must be three numbers >= 0 that sum to 1, got {fractions}.")
    shuffled = list(names)
    random.Random(seed).shuffle(shuffled)
    n_train = round(fractions[0] * len(names))
    n_validation = round(fractions[1] * len(names))
    return shuffled[:n_train], shuffled[n_train:n_train + n_validation], shuffled[n_train + n_validation:]


def minibatches(*tensors: Tensor, batch_size: int, steps: int, seed: int = 0) -> Iterator[tuple[Tensor, ...]]:
    """Yield `steps` aligned minibatches from tensors with equal first dimension, in a new random order every epoch."""
    if not tensors or len({len(t) for t in tensors}) != 1:
        raise ValueError(f"minibatches needs tensors of one length, got lengths {[len(t) for t in tensors]}.")
    generator = torch.Generator().manual_seed(seed)
    order = torch.empty(0, dtype=torch.long)
    for _ in range(steps):
        while len(order) < batch_size:
            order = torch.cat([order, torch.randperm(len(tensors[0]), generator=generator)])
        rows, order = order[:batch_size].to(tensors[0].device), order[batch_size:]
        yield tuple(t[rows] for t in tensors)


class NamesDataset:
    """All (context -> next letter) examples of a list of names, built once as two tensors.

    contexts: (N, context_size) letter ids, left-padded with 0 ("."); targets: (N,) the id that follows; names: (N,)
    the index of the name that an example comes from. Indexing tensors is much faster than a per-sample DataLoader
    (benchmarks/names_pipeline.py measures how much).
    """

    def __init__(self, names: Sequence[str], context_size: int, device: torch.device | str = "cpu"):
        if context_size < 1:
            raise ValueError(f"context_size must be at least 1, got {context_size}.")
        lengths = torch.tensor([len(name) for name in names])
        letters = torch.zeros(len(names), context_size + int(lengths.max()) + 1, dtype=torch.long)
        flat = torch.frombuffer(bytearray("".join(names).encode("ascii")), dtype=torch.uint8).long() - (ord("a") - 1)
        columns = torch.arange(letters.shape[1]) - context_size
        letters[(columns >= 0) & (columns < lengths[:, None])] = flat
        windows = letters.unfold(1, context_size + 1, 1)  # (names, positions, context_size + 1)
        used = torch.arange(windows.shape[1]) <= lengths[:, None]
        self.context_size = context_size
        self.contexts = windows[used][:, :-1].contiguous().to(device)
        self.targets = windows[used][:, -1].contiguous().to(device)
        self.names = torch.arange(len(names))[:, None].expand_as(used)[used].to(device)

    def __len__(self) -> int:
        return len(self.targets)

    def batches(self, batch_size: int, steps: int, seed: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield `steps` batches (contexts (batch_size, context_size), targets (batch_size,)), reshuffled every epoch."""
        return minibatches(self.contexts, self.targets, batch_size=batch_size, steps=steps, seed=seed)


def load_digits(test_fraction: float = 0.2, seed: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return scikit-learn's 8x8 digits as (x_train, y_train, x_test, y_test); x is (N, 64) float32 in [0, 1]."""
    from sklearn import datasets, model_selection  # slow to import: only the notebooks that use digits pay for it
    x, y = datasets.load_digits(return_X_y=True)
    parts = model_selection.train_test_split(x / 16, y, test_size=test_fraction, random_state=seed, stratify=y)
    x_train, x_test = (torch.tensor(part, dtype=torch.float32) for part in parts[:2])
    y_train, y_test = (torch.tensor(part, dtype=torch.long) for part in parts[2:])
    return x_train, y_train, x_test, y_test


# ---------------------------------------------------------------------------------------------------------------------
# Training
# ---------------------------------------------------------------------------------------------------------------------


def progress(iterable: Iterable, label: str, total: int | None = None) -> Iterable:
    """Wrap an iterable in a progress bar that appears after 3 s, on stdout (graders take stderr for a failure)."""
    from tqdm import tqdm
    return tqdm(iterable, desc=label, total=total, delay=3, file=sys.stdout, leave=False, mininterval=0.5)


def train(model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]], optimizer: torch.optim.Optimizer,
          loss_function: Callable[[Tensor, Tensor], Tensor] = F.cross_entropy, *,
          schedule: Callable[[int], float] | None = None, label: str = "training") -> Tensor:
    """Take one optimizer step a batch and return the training losses, one a step, as a (steps,) tensor.

    `schedule` maps the step number (from 0) to a factor on each group's initial learning rate. The model is left in
    train mode.
    """
    initial_rates = [group["lr"] for group in optimizer.param_groups]
    losses = []
    model.train()
    for step, (inputs, targets) in enumerate(progress(batches, label)):
        if schedule is not None:
            for group, rate in zip(optimizer.param_groups, initial_rates):
                group["lr"] = rate * schedule(step)
        loss = loss_function(model(inputs), targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).cpu() if losses else torch.empty(0)


# ---------------------------------------------------------------------------------------------------------------------
# Figures
# ---------------------------------------------------------------------------------------------------------------------

# Okabe and Ito's palette: eight colours that readers with any common form of colour blindness can tell apart.
PALETTE = {"blue": "#0072B2", "orange": "#E69F00", "green": "#009E73", "red": "#D55E00", "purple": "#CC79A7",
           "sky": "#56B4E9", "yellow": "#F0E442", "black": "#222222", "grey": "#8A8A8A"}


def use_course_style() -> None:
    """Set matplotlib's defaults to the course's look: its palette, quiet axes, text that is readable at 800 px."""
    import matplotlib
    from cycler import cycler
    matplotlib.rcParams.update({
        "figure.figsize": (7.6, 4.0), "figure.dpi": 100, "savefig.dpi": 100, "figure.constrained_layout.use": True,
        "font.size": 11, "axes.titlesize": 12.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
        "axes.titlepad": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
        "axes.axisbelow": True, "grid.color": "#E4E4E4", "grid.linewidth": 0.8, "lines.linewidth": 2,
        "legend.frameon": False, "image.cmap": "cividis",
        "axes.prop_cycle": cycler(color=[PALETTE[c] for c in ("blue", "red", "green", "orange", "purple", "sky", "black")]),
    })


def band(ax, x: Sequence[float], runs: Tensor, label: str, color: str | None = None, **line_options):
    """Draw the mean over runs of a (runs, points) tensor and a band from the smallest to the largest run."""
    runs = torch.as_tensor(runs).detach().float()
    line, = ax.plot(x, runs.mean(0), label=label, color=PALETTE.get(color, color), **line_options)
    ax.fill_between(x, runs.amin(0), runs.amax(0), color=line.get_color(), alpha=0.2, linewidth=0)
    return line


def label_line_ends(ax, gap: float = 0.055, room: float = 0.3) -> None:
    """Write each labelled line's label at its right end, in its colour, moved apart where they would overlap.

    gap: least distance between two labels, room: width kept free for the text; both as fractions of the axes.
    """
    lines = [line for line in ax.get_lines() if not line.get_label().startswith("_") and len(line.get_xdata())]
    low, high = ax.get_xlim()
    if ax.get_xscale() == "log":
        ax.set_xlim(low, high * (high / low) ** room)
    else:
        ax.set_xlim(low, high + (high - low) * room)
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = [to_axes.transform((float(line.get_xdata()[-1]), float(line.get_ydata()[-1]))) for line in lines]
    order = sorted(range(len(lines)), key=lambda i: ends[i][1] if math.isfinite(ends[i][1]) else math.inf)
    heights, previous = {}, -math.inf
    for i in order:
        y = ends[i][1] if math.isfinite(ends[i][1]) else 0.97
        heights[i] = previous = max(min(y, 0.99), previous + gap, 0.02)
    overflow = max(heights.values(), default=0) - 0.99
    for i, line in enumerate(lines):
        y = heights[i] - max(overflow, 0)
        ax.annotate(line.get_label(), (ends[i][0], min(max(ends[i][1], 0), 1) if math.isfinite(ends[i][1]) else y),
                    xytext=(ends[i][0] + 0.015, y), xycoords="axes fraction", textcoords="axes fraction", va="center",
                    color=line.get_color(), fontsize=10, annotation_clip=False)


def heatmap(ax, values: Tensor, title: str = "", *, digits: int | None = 2, limit: float | None = None) -> None:
    """Draw a (rows, columns) tensor as coloured squares centred on 0, with its numbers where `digits` is given."""
    values = torch.as_tensor(values).detach().float()
    limit = float(values.abs().max()) or 1.0 if limit is None else limit
    ax.imshow(values.numpy(), cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
    ax.set(xticks=range(values.shape[1]), yticks=range(values.shape[0]))
    ax.set_title(title, fontsize=11)
    ax.grid(False)
    if digits is not None:
        for (row, column), value in ((i, values[i].item()) for i in _indices(values.shape)):
            ax.text(column, row, f"{value:.{digits}f}", ha="center", va="center", fontsize=9,
                    color="white" if abs(value) > 0.6 * limit else PALETTE["black"])


def plot_losses(losses: Mapping[str, Tensor], title: str, *, window: int = 20, baselines: Mapping[str, float] | None = None,
                ax=None):
    """Draw smoothed loss curves with a band over runs. losses: label -> (steps,) or (runs, steps); returns the axes."""
    import matplotlib.pyplot as plt
    ax = plt.subplots()[1] if ax is None else ax
    for label, runs in losses.items():
        runs = torch.atleast_2d(torch.as_tensor(runs).float())
        width = min(window, runs.shape[1])
        smooth = runs.unfold(1, width, 1).mean(-1)
        band(ax, range(width, runs.shape[1] + 1), smooth, label)
    for label, value in (baselines or {}).items():
        ax.axhline(value, color=PALETTE["grey"], linestyle="--", linewidth=1.2)
        ax.annotate(label, (0.01, value), xycoords=("axes fraction", "data"), va="bottom", fontsize=9.5, color="#5A5A5A")
    ax.set(xlabel="step", ylabel=f"training loss (mean of {window} steps)", title=title)
    label_line_ends(ax)
    return ax


def _indices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All index tuples of a shape, last one fastest."""
    import itertools
    return itertools.product(*(range(n) for n in shape))


# ---------------------------------------------------------------------------------------------------------------------
# Inputs for checks
# ---------------------------------------------------------------------------------------------------------------------

_key = "notebook"  # fixed while you work; when your notebook is graded it is another one, fresh and secret


def set_key(key: str) -> None:
    """Replace the key that sample, sample_ids and fill_ mix into their values."""
    global _key
    _key = str(key)


def _generator(*words: object) -> torch.Generator:
    """A random generator that depends on the key and these words alone, never on the global random state."""
    digest = hashlib.sha256(repr((_key, *words)).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") % 2**63)


def sample(*shape: int, seed: int) -> Tensor:
    """Return standard normal numbers of this shape (float32), independent of the global random state."""
    return torch.randn(*shape, generator=_generator("sample", shape, seed))


def sample_ids(high: int, *shape: int, seed: int) -> Tensor:
    """Return integers in 0..high-1 of this shape (int64), independent of the global random state."""
    return torch.randint(high, shape, generator=_generator("sample_ids", high, shape, seed))


@torch.no_grad()
def fill_(module: nn.Module, seed: int) -> nn.Module:
    """Set a module's parameters and float buffers in place to values keyed by their names and shapes; returns it.

    Two modules with equal names and shapes get equal values, in whatever order they were defined. Matrices are scaled
    by 1/sqrt(fan_in); buffers whose name ends in "var" are positive.
    """
    for name, value in (*module.named_parameters(), *module.named_buffers()):
        if not value.is_floating_point():
            continue
        generator = _generator("fill_", name, tuple(value.shape), seed)
        if name.endswith("var"):
            numbers = torch.rand(value.shape, generator=generator) + 0.5
        else:
            numbers = torch.randn(value.shape, generator=generator)
            if value.dim() > 1:
                numbers = numbers / math.sqrt(value[0].numel())
        value.copy_(numbers)
    return module


def raises(function: Callable, *args: Any, **options: Any) -> str | None:
    """Call the function and return the name of the built-in exception it raises (of the nearest one), or None."""
    try:
        function(*args, **options)
    except Exception as error:  # the caller asked what is raised: whatever it is, its name is the answer
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


# ---------------------------------------------------------------------------------------------------------------------
# Answers: plain copies of what student code returned
# ---------------------------------------------------------------------------------------------------------------------

MAX_DEPTH, MAX_ITEMS = 16, 100_000


class NotAnAnswer(TypeError):
    """The value is not a tensor, number, bool, string, None, or tuple, list or dict of them."""


def snapshot(answer: Any, _depth: int = 0) -> Any:
    """Return a copy of an answer as plain data that later changes in place do not reach.

    Tensors come back detached, dense and on the CPU; NumPy arrays and numbers become tensors and Python numbers.
    Raises NotAnAnswer for anything else.
    """
    if _depth > MAX_DEPTH:
        raise NotAnAnswer(f"a structure nested more than {MAX_DEPTH} deep")
    if answer is None or type(answer) in (bool, int, float, str):
        return answer
    if isinstance(answer, Tensor):
        return _plain_tensor(answer)
    if isinstance(answer, (tuple, list)):
        _check_size(answer)
        items = [snapshot(item, _depth + 1) for item in answer]
        return tuple(items) if isinstance(answer, tuple) else items
    if isinstance(answer, Mapping):
        _check_size(answer)
        return {_plain_key(key): snapshot(value, _depth + 1) for key, value in answer.items()}
    if type(answer).__module__ == "numpy":
        return snapshot(torch.as_tensor(answer) if getattr(answer, "shape", ()) else answer.item(), _depth + 1)
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
    return key


def _plain_tensor(tensor: Tensor) -> Tensor:
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta:
            raise NotAnAnswer("a tensor that is sparse, quantized or without data")
        plain = torch.Tensor.detach(tensor).as_subclass(torch.Tensor)
        return plain.to("cpu", copy=True).resolve_conj().resolve_neg().contiguous()


def _kind(answer: Any) -> str:
    """What an answer is, for messages: 'a tensor of shape (2, 3)', 'a tuple of 2', 'a Linear'."""
    if answer is None:
        return "None"
    if isinstance(answer, Tensor):
        return f"a tensor of shape {tuple(answer.shape)}"
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
        return repr(answer) if isinstance(answer, bool) else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
    return f"the text {answer[:60]!r}" if isinstance(answer, str) else f"the number {_number(answer)}"


def _number(value: float) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


# ---------------------------------------------------------------------------------------------------------------------
# Criteria: what may stand in place of an expected value
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Criterion:
    """A condition on an answer: `reason(answer)` returns None when it holds, else one sentence why it does not.

    secret: what an answer is scored against, where one that was invented without it cannot meet the condition.
    """
    describes: str
    reason: Callable[[Any], str | None]
    flag: Callable[[Any], str | None] = lambda answer: None
    secret: Any = None


def _scalar(answer: Any) -> float | None:
    """The number an answer stands for (a number or a tensor of one element), or None."""
    if isinstance(answer, Tensor) and answer.numel() == 1 and not answer.is_complex():
        return float(answer)
    return float(answer) if isinstance(answer, (int, float)) and not isinstance(answer, bool) else None


def between(low: float, high: float) -> Criterion:
    """A number from low to high, both included."""
    if low == -math.inf:
        describes = f"at most {_number(high)}"
    else:
        describes = f"at least {_number(low)}" if high == math.inf else f"between {_number(low)} and {_number(high)}"

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
    """Any answer for which the predicate is true; `message` completes 'wanted ...'. The predicate runs where answers are judged."""
    return Criterion(message, lambda answer: None if bool(predicate(answer)) else f"got {_kind(answer)}, wanted {message}")


def loss_at_most(targets: Tensor, bound: float, implausible: float = -math.inf) -> Criterion:
    """Logits (N, classes) whose mean cross-entropy (nats) against targets (N,) is at most `bound`.

    A loss below `implausible` is accepted, and flagged for a person to look at.
    """
    def loss(logits):
        return F.cross_entropy(logits.double(), targets).item()

    def reason(logits):
        if not isinstance(logits, Tensor) or logits.dim() != 2 or len(logits) != len(targets) or not logits.is_floating_point():
            return f"got {_kind(logits)}, wanted logits of shape ({len(targets)}, classes)"
        if int(targets.max()) >= logits.shape[1]:
            return f"got logits over {logits.shape[1]} classes, wanted at least {int(targets.max()) + 1}"
        value = loss(logits)
        return None if value <= bound else f"the loss is {value:.3f}, wanted at most {bound:.3f}"

    def flag(logits):
        return f"the loss {loss(logits):.3f} is below the plausible {implausible:.3f}" if loss(logits) < implausible else None
    return Criterion(f"a loss of at most {bound:.3f}", reason, flag, secret=targets)


# ---------------------------------------------------------------------------------------------------------------------
# Judging an answer
# ---------------------------------------------------------------------------------------------------------------------

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right; if not, why (reason) and which known mistake explains it; flag: for a person to look at."""
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
    """How far a number or tensor is from another, as a multiple of the scale on which tolerances are stated.

    An element's error is divided by max(|want|, scale), scale being the largest |want| of the tensor but at most 1, so
    that a tolerance means the same for gradients of size 1e-6 and for outputs of size 1. inf where shapes differ.
    """
    got, want = torch.as_tensor(got), torch.as_tensor(want)
    if got.shape != want.shape:
        return math.inf
    return float(_errors(got, want).max()) if want.numel() else 0.0


def _errors(got: Tensor, want: Tensor) -> Tensor:
    kind = torch.complex128 if got.is_complex() or want.is_complex() else torch.float64
    got, want = got.to(kind), want.to(kind)
    sizes = want.abs()
    finite = sizes[sizes.isfinite()]
    scale = min(float(finite.max()), 1.0) if finite.numel() else 1.0
    errors = (got - want).abs() / sizes.clamp(min=scale or 1.0)
    same = (got == want) | (got.isnan() & want.isnan())
    return torch.where(same, 0.0, torch.where(errors.isnan() | ~sizes.isfinite(), math.inf, errors))


def _mismatch(got: Any, want: Any, tolerance: float, where_: str = "") -> str | None:
    """The first difference between an answer and what was wanted, in words, or None where there is none."""
    at = f"{where_}: " if where_ else ""
    if isinstance(want, Criterion):
        reason = want.reason(got)
        return reason and at + reason
    if got is None and want is not None and not isinstance(want, str):  # None for a text: `raises` found no error
        return f"{at}got None: is there a `return`?"
    if isinstance(want, Mapping):
        return _mapping_mismatch(got, want, tolerance, where_)
    if isinstance(want, (tuple, list)):
        if not isinstance(got, (tuple, list)) or len(got) != len(want):
            return f"{at}got {_kind(got)}, wanted {len(want)} values"
        parts = (_mismatch(g, w, tolerance, f"{where_}[{i}]" if where_ else f"value {i + 1} of {len(want)}")
                 for i, (g, w) in enumerate(zip(got, want)))
        return next((part for part in parts if part), None)
    if want is None or isinstance(want, (str, bool)):
        same = type(got) is type(want) and got == want
        return None if same else f"{at}got {_kind(got)}, wanted {_kind(want)}"
    reason = _tensor_mismatch(got, want, tolerance)
    return reason and at + reason


def _mapping_mismatch(got: Any, want: Mapping, tolerance: float, where_: str) -> str | None:
    at = f"{where_}: " if where_ else ""
    if not isinstance(got, Mapping):
        return f"{at}got {_kind(got)}, wanted a dict"
    missing, extra = [k for k in want if k not in got], [k for k in got if k not in want]
    if missing or extra:
        words = [f"{k!r} is missing" for k in missing] + [f"{k!r} should not be there" for k in extra]
        return at + ", ".join(words[:4])
    parts = (_mismatch(got[k], want[k], tolerance, f"{where_}[{k!r}]" if where_ else f"{k!r}") for k in want)
    return next((part for part in parts if part), None)


def _tensor_mismatch(got: Any, want: float | Tensor, tolerance: float) -> str | None:
    is_tensor = isinstance(want, Tensor)
    if isinstance(got, bool) or not isinstance(got, (int, float, Tensor)):
        return f"got {_kind(got)}, wanted {_kind(want) if is_tensor else 'a number'}"
    got_, want_ = torch.as_tensor(got), torch.as_tensor(want)
    if got_.shape != want_.shape:
        return f"got {_kind(got)}, wanted {_kind(want_) if want_.dim() else 'a single number'}"
    if isinstance(got, Tensor) and is_tensor and _family(got) != _family(want):
        return f"got dtype {str(got.dtype)[6:]}, wanted {str(want.dtype)[6:]}"
    errors = _errors(got_, want_)
    if not errors.numel() or float(errors.max()) <= tolerance:
        return None
    worst = _unravel(int(errors.argmax()), errors.shape)
    values = f"got {_number(got_[worst].item())}, wanted {_number(want_[worst].item())}"
    share = int((errors > tolerance).sum())
    return values if not worst else f"{values} at {list(worst)} ({share} of {errors.numel()} values differ)"


def _family(tensor: Tensor) -> str:
    if tensor.dtype == torch.bool:
        return "bool"
    return "complex" if tensor.is_complex() else "float" if tensor.is_floating_point() else "int"


def _unravel(flat: int, shape: Sequence[int]) -> tuple[int, ...]:
    index = []
    for n in reversed(shape):
        flat, i = divmod(flat, n)
        index.append(i)
    return tuple(reversed(index))


def judge(answer: Any, expected: Any, *, of: Callable | None = None, tolerance: float | None = None,
          mistakes: Mapping[str, Any] | None = None) -> Verdict:
    """Compare an answer (a snapshot) with what was expected. Pure: runs nothing of the student's."""
    tolerance = TOLERANCE if tolerance is None else tolerance
    if of is not None:
        if answer is None:
            return Verdict(False, "got None: is there a `return`?")
        try:
            answer = snapshot(of(answer))
        except Exception:  # any failure to read the part means that the answer is not of the form asked for
            return Verdict(False, f"got {_kind(answer)}, which does not have the part that is checked here")
    try:
        reason = _mismatch(answer, expected, tolerance)
    except Exception as error:  # a predicate may fail on an answer of a form its author did not think of
        return Verdict(False, f"got {_kind(answer)}, which could not be checked ({type(error).__name__})")
    if reason is None:
        flag = expected.flag(answer) if isinstance(expected, Criterion) else None
        return Verdict(True, flag=flag)
    found = (message for message, value in (mistakes or {}).items() if _is_mistake(answer, value, tolerance))
    return Verdict(False, reason, next(found, None))


def _is_mistake(answer: Any, value: Any, tolerance: float) -> bool:
    try:
        return _mismatch(answer, value, tolerance) is None
    except Exception:  # as in judge: a criterion that cannot read this answer does not describe it
        return False


# ---------------------------------------------------------------------------------------------------------------------
# expect
# ---------------------------------------------------------------------------------------------------------------------


class CheckFailed(AssertionError):
    """A check that did not hold. Notebooks show its message alone, without a traceback through the course's code."""

    def _render_traceback_(self) -> list[str]:
        head, *rest = str(self).splitlines()
        return [f"\x1b[1;31m✗ {head}\x1b[0m", *rest]


_recorders: list[list[Expectation]] = []


def expect(label: str, answer: Any, expected: Any, *, of: Callable | None = None, tolerance: float | None = None,
           mistakes: Mapping[str, Any] | None = None) -> None:
    """Check one answer: print a tick, or raise an AssertionError that says what differs and, where known, why.

    label      what is being checked, in your words
    answer     what your code returned: tensor, number, bool, string, None, or tuples, lists, dicts of them
    expected   the right value, or a criterion (at_most, at_least, between, where, loss_at_most)
    of         a function applied to the answer before it is compared, e.g. `second`
    tolerance  largest relative error (see `distance`); 1e-4 unless told
    mistakes   message -> the value that a known mistake gives
    """
    _by_hand.raise_violation(label)
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
    """A copy of an expected value; criteria, also inside tuples, lists and dicts, are kept as they are."""
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
def record_expectations(into: list[Expectation]) -> Iterator[list[Expectation]]:
    """While active, every call of expect is appended to the list before it is judged."""
    _recorders.append(into)
    try:
        yield into
    finally:
        _recorders.remove(into)


@contextlib.contextmanager
def answer_key() -> Iterator[None]:
    """Marks code that computes expected values. When notebooks are graded it runs apart from the student's code."""
    yield


# ---------------------------------------------------------------------------------------------------------------------
# by_hand
# ---------------------------------------------------------------------------------------------------------------------


class _ByHand(TorchFunctionMode):
    """Watches the calls of torch's ready-made operations while a test cell runs, and stops those from by-hand code."""

    def __init__(self):
        super().__init__()
        self.forbidden: dict[types.CodeType, tuple[str, frozenset[str]]] = {}
        self.violation: str | None = None
        self.active = False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "").split(".")[0].removeprefix("native_")
        if any(name in names for _, names in self.forbidden.values()):
            self._check_callers(name)
        return function(*args, **(kwargs or {}))

    def _check_callers(self, name: str) -> None:
        frame = sys._getframe(2)
        while frame is not None:
            task, names = self.forbidden.get(frame.f_code, ("", ()))
            if name in names:
                self.violation = (f"{task} is to be written by hand here, and it calls torch's ready-made {name}: "
                                  "use sums, means and products of your own")
                raise CheckFailed(self.violation)
            frame = frame.f_back

    def raise_violation(self, label: str) -> None:
        if self.violation:
            message, self.violation = self.violation, None
            raise CheckFailed(f"{label}\n  {message}")

    def watch(self, target: Callable, without: Sequence[str]) -> None:
        for code in _codes(target):
            self.forbidden[code] = (target.__name__, frozenset(without))
        if not self.active:
            self.active = True
            self.__enter__()
            shell = _shell()
            if shell is not None:
                shell.events.register("post_run_cell", self.release)

    def release(self, *_: Any) -> None:
        """Stop watching; called when the cell that called by_hand has run."""
        if self.active:
            self.active = False
            self.__exit__(None, None, None)
            shell = _shell()
            if shell is not None:
                shell.events.unregister("post_run_cell", self.release)
        self.forbidden.clear()
        self.violation = None


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
    """Until the cell ends, fail when this function or class calls one of torch's ready-made operations named here.

    by_hand(layer_norm, without=["layer_norm", "LayerNorm"])
    """
    if not callable(target):
        raise CheckFailed(f"expected a function or class to check, got {_kind(target)}: run the cell that defines it")
    _by_hand.watch(target, without)
