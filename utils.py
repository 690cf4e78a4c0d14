"""Everything a course notebook imports: `from utils import *`.

seeding and device     set_seed, configure_device
data                   load_text, load_names, split_names, NamesDataset, load_digits,
                       minibatches
training               train
figures                use_course_style, PALETTE, show, band, label_line_ends, heatmap, plot_losses
networks for lectures  Tower, ParallelBatchNorm, ParallelTransformer, each_loss;
                       headline, draw_map, spread_out, draw_box, draw_arrow
checks                 expect and its companions, from nbseal.checks or a copy of it
"""

import itertools
import math
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

if sys.version_info < (3, 11):
    raise RuntimeError(
        f"This course needs Python 3.11 or newer, this is {sys.version.split()[0]}: install a newer Python."
    )

COURSE_FOLDER = Path(__file__).resolve().parent

# Checks come with `from utils import *`: students have a copy of them beside this file, and who
# grades has the package that they come from.
if (COURSE_FOLDER / "checks").is_dir():
    from checks import *  # noqa: F403
else:
    from nbseal.checks import *  # noqa: F403

NAMES_FILE = COURSE_FOLDER / "data" / "names.txt"

# --------------------------------------------------------------------------------------------------
# Seeding and device
# --------------------------------------------------------------------------------------------------


def set_seed(seed: int = 0) -> None:
    """Seed Python's, NumPy's and torch's (CPU, CUDA, MPS) global random generators."""
    random.seed(seed)
    torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def configure_device(verbose: bool = True) -> torch.device:
    """Return the best device at hand - CUDA, then Apple's MPS, then the CPU - and say which one it
    is."""
    if torch.cuda.is_available():
        device, what = torch.device("cuda"), f"CUDA GPU ({torch.cuda.get_device_name(0)})"
    elif torch.backends.mps.is_available():
        device, what = torch.device("mps"), "Apple GPU (MPS)"
    else:
        threads = torch.get_num_threads()
        what = f"CPU ({threads} thread{'s' * (threads != 1)})"
        device = torch.device("cpu")
    if verbose:
        print(f"Running on the {what}.")
    return device


# --------------------------------------------------------------------------------------------------
# Data
# --------------------------------------------------------------------------------------------------

ALPHABET = ".abcdefghijklmnopqrstuvwxyz"  # "." (id 0) starts and ends every name


def load_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file. Raises FileNotFoundError or ValueError with one sentence
    that says what to do."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no file {path} (looked from {Path.cwd()}): check the path, or fetch the "
            "course's data/ folder again."
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8."
        ) from None


def load_names(path: str | Path | None = None) -> list[str]:
    """Return the names of a text file with one name a line: lower case, a-z only, each name once,
    in the file's order.

    `path` defaults to the course's own data/names.txt; any list of yours in the same form works.
    Duplicates are dropped
    here, before anyone can split them over train and validation. Raises ValueError naming the first
    line that is wrong.
    """
    path = NAMES_FILE if path is None else Path(path)
    names = {}
    for number, line in enumerate(load_text(path).splitlines(), start=1):
        name = line.strip().lower()
        if not name:
            continue
        if not (name.isascii() and name.isalpha()):
            raise ValueError(
                f"{path}, line {number}: {line.strip()[:40]!r} is not a name in the letters a-z: "
                "mend or remove that line."
            )
        names[name] = None
    if len(names) < 3:
        raise ValueError(
            f"{path} holds {len(names)} names and at least 3 are needed: one name a line, letters a-z."
        )
    return list(names)


def split_names(
    names: Sequence[str], fractions: tuple[float, float, float] = (0.8, 0.1, 0.1), seed: int = 0
) -> tuple[list[str], list[str], list[str]]:
    """Shuffle names and split them into (train, validation, test) without a name in two of them.

    Raises ValueError when a name occurs twice (it would leak) or the fractions do not sum to 1.
    """
    if len(set(names)) != len(names):
        raise ValueError(
            "The same name occurs twice, so it could land in train and in validation: "
            "de-duplicate before you split (load_names does)."
        )
    if (
        len(fractions) != 3
        or min(fractions) < 0
        or not math.isclose(sum(fractions), 1.0, abs_tol=1e-6)
    ):
        raise ValueError(f"fractions must be three numbers >= 0 that sum to 1, got {fractions}.")
    shuffled = list(names)
    random.Random(seed).shuffle(shuffled)
    n_train = round(fractions[0] * len(names))
    n_validation = round(fractions[1] * len(names))
    return (
        shuffled[:n_train],
        shuffled[n_train : n_train + n_validation],
        shuffled[n_train + n_validation :],
    )


AHEAD = 32  # batches that are gathered at once: 200 kB of names, and bounded for any data


def minibatches(
    *tensors: Tensor, batch_size: int, steps: int, seed: int = 0
) -> Iterator[tuple[Tensor, ...]]:
    """Yield `steps` aligned minibatches from tensors with equal first dimension, in a new random
    order every epoch."""
    lengths = [len(t) for t in tensors]
    if len(set(lengths)) != 1 or lengths[0] == 0:
        raise ValueError(f"minibatches needs tensors of one length above 0, got lengths {lengths}.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}.")
    # On the CPU, whatever the default device is: the same order of examples everywhere.
    generator = torch.Generator(device="cpu").manual_seed(seed)
    order = torch.empty(0, dtype=torch.long, device="cpu")
    # a batch that gradients flow through has a graph of its own
    ahead = 1 if any(t.requires_grad for t in tensors) else AHEAD
    for done in range(0, steps, ahead):
        parts, missing = [], batch_size * min(ahead, steps - done)
        while missing:
            if len(order) == 0:
                order = torch.randperm(lengths[0], generator=generator, device="cpu")
            parts.append(order[:missing])
            order = order[missing:]
            missing -= len(parts[-1])
        rows = torch.cat(parts).to(tensors[0].device)
        # One gather and many views take a fifth of the time of a gather for each batch. "Unsafe"
        # means that one view can be changed in place without the others counting as changed.
        yield from zip(*(t.index_select(0, rows).unsafe_split(batch_size) for t in tensors))


class NamesDataset:
    """All (context -> next letter) examples of a list of names, built once as two tensors.

    contexts: (N, context_size) letter ids, left-padded with 0 ("."); targets: (N,) the id that
    follows; names: (N,)
    the index of the name that an example comes from. Indexing tensors is much faster than a
    per-sample DataLoader
    (tools/names_pipeline.py measures how much).
    """

    def __init__(self, names: Sequence[str], context_size: int, device: torch.device | str = "cpu"):
        if context_size < 1:
            raise ValueError(f"context_size must be at least 1, got {context_size}.")
        lengths = torch.tensor([len(name) for name in names], device="cpu")
        letters = torch.zeros(
            len(names), context_size + int(lengths.max()) + 1, dtype=torch.long, device="cpu"
        )
        flat = torch.frombuffer(
            bytearray("".join(names).encode("ascii")), dtype=torch.uint8
        ).long() - (ord("a") - 1)
        columns = torch.arange(letters.shape[1], device="cpu") - context_size
        letters[(columns >= 0) & (columns < lengths[:, None])] = flat
        windows = letters.unfold(1, context_size + 1, 1)  # (names, positions, context_size + 1)
        used = torch.arange(windows.shape[1], device="cpu") <= lengths[:, None]
        self.context_size = context_size
        self.contexts = windows[used][:, :-1].contiguous().to(device)
        self.targets = windows[used][:, -1].contiguous().to(device)
        rows = torch.arange(len(names), device="cpu")[:, None]
        self.names = rows.expand_as(used)[used].to(device)

    def __len__(self) -> int:
        return len(self.targets)

    def batches(
        self, batch_size: int, steps: int, seed: int = 0
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield `steps` batches (contexts (batch_size, context_size), targets (batch_size,)),
        reshuffled every epoch."""
        return minibatches(
            self.contexts, self.targets, batch_size=batch_size, steps=steps, seed=seed
        )


def load_digits(test_fraction: float = 0.2, seed: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return scikit-learn's 8x8 digits as (x_train, y_train, x_test, y_test); x is (N, 64) float32
    in [0, 1]."""
    from sklearn import (  # slow to import: only the notebooks that use digits pay for it
        datasets,
        model_selection,
    )

    x, y = datasets.load_digits(return_X_y=True)
    parts = model_selection.train_test_split(
        x / 16, y, test_size=test_fraction, random_state=seed, stratify=y
    )
    x_train, x_test = (torch.tensor(part, dtype=torch.float32) for part in parts[:2])
    y_train, y_test = (torch.tensor(part, dtype=torch.long) for part in parts[2:])
    return x_train, y_train, x_test, y_test


# --------------------------------------------------------------------------------------------------
# Training
# --------------------------------------------------------------------------------------------------


def progress(iterable: Iterable, label: str, total: int | None = None) -> Iterable:
    """Wrap an iterable in a progress bar that appears after 3 s, on stdout (graders take stderr for
    a failure)."""
    from tqdm import tqdm

    return tqdm(
        iterable, desc=label, total=total, delay=3, file=sys.stdout, leave=False, mininterval=0.5
    )


def train(
    model: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    loss_function: Callable[[Tensor, Tensor], Tensor] = F.cross_entropy,
    *,
    schedule: Callable[[int], float] | None = None,
    label: str = "training",
) -> Tensor:
    """Take one optimizer step a batch and return the training losses, one a step, as a (steps,)
    tensor.

    `schedule` maps the step number (from 0) to a factor on each group's initial learning rate. The
    model is left in
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


# --------------------------------------------------------------------------------------------------
# Figures
# --------------------------------------------------------------------------------------------------

# Okabe and Ito's palette: eight colours that readers with any common form of colour blindness can
# tell apart.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "yellow": "#F0E442",
    "black": "#222222",
    "grey": "#8A8A8A",
}


def use_course_style() -> None:
    """Set matplotlib's defaults to the course's look: its palette, quiet axes, text that is
    readable at 800 px."""
    import matplotlib
    from cycler import cycler

    matplotlib.rcParams.update(
        {
            "figure.figsize": (7.6, 4.0),
            "figure.dpi": 100,
            "savefig.dpi": 100,
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "axes.titlesize": 12.5,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.titlepad": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#E4E4E4",
            "grid.linewidth": 0.8,
            "lines.linewidth": 2,
            "legend.frameon": False,
            "image.cmap": "cividis",
            "axes.prop_cycle": cycler(
                color=[
                    PALETTE[c] for c in ("blue", "red", "green", "orange", "purple", "sky", "black")
                ]
            ),
        }
    )


def show(figure, alt: str) -> None:
    """Display a figure with a description for those who do not see it, and close it.

    The description is stored with the output, where pages and screen readers look for it.
    """
    import matplotlib.pyplot as plt
    from IPython.display import display

    display(figure, metadata={"image/png": {"alt": alt}})
    plt.close(figure)


def band(
    ax, x: Sequence[float], runs: Tensor, label: str, color: str | None = None, **line_options
):
    """Draw the mean over runs of a (runs, points) tensor and a band from the smallest to the
    largest run."""
    runs = torch.as_tensor(runs).detach().float().cpu()
    (line,) = ax.plot(x, runs.mean(0), label=label, color=PALETTE.get(color, color), **line_options)
    ax.fill_between(x, runs.amin(0), runs.amax(0), color=line.get_color(), alpha=0.2, linewidth=0)
    return line


def label_line_ends(ax, gap: float = 0.055, room: float = 0.3) -> None:
    """Write each labelled line's label at its right end, in its colour. Labels that would overlap
    are moved apart, each joined to its line's end by a thin one.

    gap: least distance between two labels, room: width kept free for the text; both as fractions of
    the axes. No tick stands in the room for the text.
    """
    lines = [
        line
        for line in ax.get_lines()
        if not line.get_label().startswith("_") and len(line.get_xdata())
    ]
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    wide = high * (high / low) ** room if ax.get_xscale() == "log" else high + (high - low) * room
    ax.set_xlim(low, wide)
    ax.set_xticks(ticks)
    ax.minorticks_off()
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = [
        to_axes.transform((float(line.get_xdata()[-1]), float(line.get_ydata()[-1])))
        for line in lines
    ]
    heights = _apart([y if math.isfinite(y) else 0.97 for _, y in ends], gap)
    for line, (x, end), y in zip(lines, ends, heights):
        end = min(max(end, 0), 1) if math.isfinite(end) else y
        moved = abs(end - y) > 0.01
        ax.annotate(
            line.get_label(),
            (x, end),
            xytext=(x + (0.055 if moved else 0.015), y),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            color=line.get_color(),
            fontsize=10,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": line.get_color(),
                "linewidth": 0.8,
                "relpos": (0, 0.5),
                "shrinkA": 1,
                "shrinkB": 2,
            }
            if moved
            else None,
        )


def _apart(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights near the wanted ones, in [0.02, 0.99] and at least `gap` apart, in the same order."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    heights, previous = list(wanted), -math.inf
    for i in order:
        heights[i] = previous = max(min(wanted[i], 0.99), previous + gap, 0.02)
    ceiling = 0.99
    for i in reversed(order):  # what was pushed through the ceiling pushes back
        heights[i] = min(heights[i], ceiling)
        ceiling = heights[i] - gap
    return heights


def heatmap(
    ax, values: Tensor, title: str = "", *, digits: int | None = 2, limit: float | None = None
) -> None:
    """Draw a (rows, columns) tensor as coloured squares centred on 0, with its numbers where
    `digits` is given."""
    values = torch.as_tensor(values).detach().float().cpu()
    limit = float(values.abs().max()) or 1.0 if limit is None else limit
    ax.imshow(values.numpy(), cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
    ax.set(xticks=range(values.shape[1]), yticks=range(values.shape[0]))
    ax.set_title(title, fontsize=11)
    ax.grid(False)
    if digits is not None:
        for (row, column), value in ((i, values[i].item()) for i in _indices(values.shape)):
            ax.text(
                column,
                row,
                f"{value:.{digits}f}",
                ha="center",
                va="center",
                fontsize=9,
                color="white" if abs(value) > 0.6 * limit else PALETTE["black"],
            )


def plot_losses(
    losses: Mapping[str, Tensor],
    title: str,
    *,
    window: int = 20,
    baselines: Mapping[str, float] | None = None,
    ax=None,
):
    """Draw smoothed loss curves with a band over runs. losses: label -> (steps,) or (runs, steps);
    returns the axes."""
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    for label, runs in losses.items():
        runs = torch.atleast_2d(torch.as_tensor(runs).detach().float().cpu())
        width = min(window, runs.shape[1])
        smooth = runs.unfold(1, width, 1).mean(-1)
        band(ax, range(width, runs.shape[1] + 1), smooth, label)
    for label, value in (baselines or {}).items():
        ax.axhline(value, color=PALETTE["grey"], linestyle="--", linewidth=1.2)
        ax.annotate(
            label,
            (0.01, value),
            xycoords=("axes fraction", "data"),
            va="bottom",
            fontsize=9.5,
            color="#5A5A5A",
        )
    ax.set(xlabel="step", ylabel=f"training loss (mean of {window} steps)", title=title)
    label_line_ends(ax)
    return ax


def _indices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All index tuples of a shape, last one fastest."""
    return itertools.product(*(range(n) for n in shape))


# --------------------------------------------------------------------------------------------------
# Networks for lectures
# --------------------------------------------------------------------------------------------------


class Tower(nn.Module):
    """L tanh layers of R networks side by side: h -> tanh(norm(h @ W + b)), or h + s * that.

    weights: (L, R, D, D), drawn by the caller, so that towers which are compared can share them;
    biases: (L, R, 1, D), 0 if not given.
    skip: keep a residual stream. scale: s, one number or (L, R, 1, 1) of them; learn_scale: train
    s (ReZero). norm: None, "batch" or "layer" before each tanh, with gamma and beta.
    Nothing mixes the networks: add up their losses, and each gets its own gradient.
    """

    def __init__(
        self, weights, biases=None, *, skip=False, scale=1.0, learn_scale=False, norm=None
    ):
        super().__init__()
        depth, runs, _, features = weights.shape
        biases = weights.new_zeros(depth, runs, 1, features) if biases is None else biases
        self.skip = skip
        self.weights = nn.Parameter(weights.clone())
        self.biases = nn.Parameter(biases.clone())
        scales = torch.as_tensor(scale).to(weights).expand(depth, runs, 1, 1)
        self.scales = nn.Parameter(scales.clone(), requires_grad=learn_scale)
        kinds = {None: nn.Identity, "batch": ParallelBatchNorm, "layer": ParallelLayerNorm}
        self.norms = nn.ModuleList(kinds[norm](runs, features) for _ in range(depth))

    def forward(self, h: Tensor, keep: list | None = None) -> Tensor:
        """h: (R, N, D), or (N, D) for all networks -> (R, N, D). `keep` collects L + 1 states."""
        h = h.expand(self.weights.shape[1], *h.shape[-2:])
        if keep is not None:
            keep.append(h)
        for W, b, s, norm in zip(self.weights, self.biases, self.scales, self.norms):
            z = torch.baddbmm(b, h, W)  # h @ W + b, for each network
            branch = torch.tanh(norm(z))
            h = h + s * branch if self.skip else branch
            if keep is not None:
                keep.append(h)
        return h


class ParallelBatchNorm(nn.BatchNorm1d):
    """Batch norm of (R, N, D): every network has its own statistics over its N examples."""

    def __init__(self, runs: int, features: int):
        super().__init__(runs * features)

    def forward(self, z: Tensor) -> Tensor:
        runs, n, features = z.shape
        columns = z.transpose(0, 1).reshape(n, runs * features)
        return super().forward(columns).view(n, runs, features).transpose(0, 1)


class ParallelLayerNorm(nn.Module):
    """Layer norm of (R, N, D): every network has its own gamma and beta."""

    def __init__(self, runs: int, features: int):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(runs, 1, features))
        self.beta = nn.Parameter(torch.zeros(runs, 1, features))

    def forward(self, z: Tensor) -> Tensor:
        return torch.addcmul(self.beta, F.layer_norm(z, z.shape[-1:]), self.gamma)


class ParallelTransformer(nn.Module):
    """R transformers over names, side by side: ids (N, T) -> logits (R, N, T, 27).

    One attention head, norms without gamma and beta. norm: "pre", "post" or None; without: parts
    that are taken away, of "attention", "feed-forward", "positions", "skip" and "mask"; small: a
    factor on the last matrix of each branch. Each of `runs` draws is there `copies` times.
    """

    def __init__(self, n_blocks, d, *, tokens, norm="pre", without=(), small=1.0, copies=1,
                 runs=3, seed=0):  # fmt: skip
        super().__init__()
        self.norm, self.without = norm, without
        set_seed(seed)  # equal shapes get equal random numbers

        def draw(*shape, std=0.0):  # (..., a, b) -> (..., copies * runs, a, b)
            values = torch.randn(*shape[:-2], runs, *shape[-2:]) * std
            return nn.Parameter(torch.cat(copies * [values], dim=-3))

        last = small / d**0.5
        self.letters, self.positions = draw(27, d, std=1), draw(tokens, d, std=1)
        self.W_qkv = draw(n_blocks, d, 3 * d, std=d**-0.5)
        self.W_o = draw(n_blocks, d, d, std=last)
        self.W_in = draw(n_blocks, d, 4 * d, std=d**-0.5)
        self.W_out = draw(n_blocks, 4 * d, d, std=last / 2)
        self.b_in, self.b_out = draw(n_blocks, 1, 4 * d), draw(n_blocks, 1, d)
        self.W_logits, self.b_logits = draw(d, 27, std=0.1 / d**0.5), draw(1, 27)

    def attend(self, x: Tensor, W_qkv: Tensor, W_o: Tensor) -> Tensor:
        """x: (R, N, T, d) -> the same."""
        R, N, T, d = x.shape
        mask = x.new_full((T, T), 0.0 if "mask" in self.without else -math.inf).triu(1)
        q, k, v = (x.flatten(1, 2) @ W_qkv).view(R * N, T, 3 * d).split(d, dim=-1)
        scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=d**-0.5)
        return ((scores.softmax(-1) @ v).view(R, N * T, d) @ W_o).view(R, N, T, d)

    def think(self, x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor) -> Tensor:
        """The feed-forward network, each token alone. x: (R, N, T, d) -> the same."""
        h = F.gelu(torch.baddbmm(b_in, x.flatten(1, 2), W_in))
        return torch.baddbmm(b_out, h, W_out).view(x.shape)

    def add(self, x: Tensor, branch: Callable[..., Tensor], *weights: Tensor) -> Tensor:
        """A branch, with its norm and its skip."""
        y = branch(F.layer_norm(x, x.shape[-1:]) if self.norm == "pre" else x, *weights)
        x = y if "skip" in self.without else x + y
        return F.layer_norm(x, x.shape[-1:]) if self.norm == "post" else x

    def forward(self, ids: Tensor, keep: list | None = None) -> Tensor:
        """`keep` collects the states before the first block and after each."""
        x = self.letters[:, ids]
        if "positions" not in self.without:
            x = x + self.positions[:, None, : ids.shape[1]]
        states = [x]
        for W_qkv, W_o, *mlp in zip(self.W_qkv, self.W_o, self.W_in, self.b_in, self.W_out,
                                    self.b_out):  # fmt: skip
            if "attention" not in self.without:
                x = self.add(x, self.attend, W_qkv, W_o)
            if "feed-forward" not in self.without:
                x = self.add(x, self.think, *mlp)
            states.append(x)
        if keep is not None:
            keep += states
        x = F.layer_norm(x, x.shape[-1:]) if self.norm == "pre" else x
        return x @ self.W_logits[:, None] + self.b_logits[:, None]


def each_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropies (R,) of R networks: logits (R, N, classes), targets (N,).

    The gradient of their sum holds each network's own: nothing mixes them.
    """
    targets = targets.expand(logits.shape[:2])
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    return losses.view(targets.shape).mean(-1)


# What lectures draw with


def headline(figure, finding: str) -> None:
    """Write one finding over a figure of several panels."""
    figure.suptitle(finding, x=0.01, ha="left", weight="bold", fontsize=12.5)


def draw_map(ax, values: Tensor, rows, columns, *, limits, digits: int = 0):
    """Draw (rows, columns) numbers as shaded squares, the first row at the bottom."""
    values = torch.as_tensor(values).detach().float().cpu()
    low, high = limits
    ax.imshow(values.numpy(), cmap="Blues_r", vmin=low, vmax=high, aspect="auto", origin="lower")
    ax.set(xticks=range(len(columns)), xticklabels=columns, yticks=range(len(rows)))
    ax.set(yticklabels=rows)
    ax.grid(False)
    for (row, column), value in ((i, values[i].item()) for i in _indices(values.shape)):
        dark = value < low + 0.45 * (high - low)
        ax.text(column, row, f"{value:.{digits}f}", ha="center", va="center", fontsize=10,
                color="white" if dark else PALETTE["black"])  # fmt: skip


def spread_out(points: Tensor, gap: float, rounds: int = 200) -> Tensor:
    """Move (N, 2) points apart until hardly two are closer than `gap`: labels stay readable."""
    points = points.detach().cpu().clone()
    for _ in range(rounds):
        offsets = points[:, None] - points
        distances = offsets.norm(dim=-1, keepdim=True) + 1e-9
        push = (gap - distances).clamp(min=0) * offsets / distances
        points += 0.3 * push.sum(1)
    return points


def draw_box(ax, x: float, y: float, text: str, color: str = "sky", width: float = 1.5) -> None:
    """A labelled box around (x, y) of a block diagram, 0.7 high."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import FancyBboxPatch

    pale = [0.3 * channel + 0.7 for channel in to_rgb(PALETTE[color])]  # hides lines behind it
    corner, style = (x - width / 2, y - 0.35), "round,pad=0.02"
    box = FancyBboxPatch(corner, width, 0.7, style, fc=pale, ec=PALETTE[color], lw=1.5, zorder=3)
    ax.add_patch(box)
    ax.text(x, y, text, ha="center", va="center", fontsize=11, zorder=4)


def draw_arrow(ax, *points: tuple[float, float]) -> None:
    """A line through points of a block diagram that ends in an arrow."""
    ax.plot(*zip(*points[:-1]), color=PALETTE["black"], linewidth=1.4, solid_capstyle="butt")
    style = {"arrowstyle": "-|>", "color": PALETTE["black"], "linewidth": 1.4, "shrinkA": 0,
             "shrinkB": 0}  # fmt: skip
    ax.annotate("", points[-1], points[-2], arrowprops=style)
