"""break_it, 1 point: inputs that expose at least five of eight wrong layer norms."""
import math

import torch
from torch.nn import functional as F

task = Task("break_it")


def centred(x, dims=-1):
    return x - x.mean(dims, keepdim=True)


def over(x, eps, dims):
    return centred(x, dims) / (x.var(dims, correction=0, keepdim=True) + eps).sqrt()


WRONG = {
    "divides by D - 1": lambda x, eps: centred(x) / (x.var(-1, keepdim=True) + eps).sqrt(),
    "adds eps to the standard deviation": lambda x, eps: centred(x) / (x.var(-1, correction=0, keepdim=True).sqrt() + eps),
    "always takes an eps of 1e-5": lambda x, eps: over(x, 1e-5, -1),
    "does not subtract the mean": lambda x, eps: x / (x.var(-1, correction=0, keepdim=True) + eps).sqrt(),
    "divides by the root of the mean square": lambda x, eps: centred(x) / (x.square().mean(-1, keepdim=True) + eps).sqrt(),
    "takes one mean and variance for all rows": lambda x, eps: over(x, eps, tuple(range(x.dim()))),
    "takes them over dimension 1": lambda x, eps: over(x, eps, 1),
    "takes them over the rows": lambda x, eps: over(x, eps, 0),
}


def exposed(pairs, wrong):
    """Whether any pair (x, eps) gets another answer from a wrong layer norm. In double precision, so that no rounding decides."""
    for x, eps in pairs:
        x = torch.tensor(x.tolist(), dtype=torch.float64)
        right = F.layer_norm(x, x.shape[-1:], eps=eps)
        if not (right - WRONG[wrong](x, eps)).abs().max() < 0.01:
            return True
    return False


def are_pairs(pairs):
    return isinstance(pairs, list) and 1 <= len(pairs) <= 6 and all(map(is_pair, pairs))


def is_pair(pair):
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not hasattr(pair[0], "shape") or not isinstance(pair[1], (int, float)):
        return False
    x, eps = pair
    sizes = len(x.shape) in (2, 3) and min(x.shape) > 0 and x.shape[-1] > 1 and math.prod(x.shape) <= 1000
    return sizes and torch.tensor(x.tolist()).abs().max() < 1e6 and 0 < eps < 1e6


def probe(label, otherwise, holds):
    @task.probe(label, where(label, lambda pairs: are_pairs(pairs) and holds(pairs)), drawn=True, shown="break_it()", otherwise=otherwise)
    def _(break_it):
        return break_it()


probe("one to six pairs (x, eps), each x with rows of two numbers or more",
      "Return a list of one to six pairs (x, eps): x a tensor of two or three dimensions, its rows of two numbers or more, and eps above 0.", are_pairs)
probe("at least five of the eight are exposed",
      "Fewer than five of the eight are exposed. Which of their formulas give the same for your rows? Change what they have in common.",
      lambda pairs: sum(exposed(pairs, wrong) for wrong in WRONG) >= 5)

# %% mistakes
pair = "Return a list of one to six pairs (x, eps): x a tensor of two or three dimensions, its rows of two numbers or more, and eps above 0."
mistake(pair, returns="[x for x, eps in pairs]")
mistake(pair, returns="None")
mistake(pair, returns="[(x[0, 0], eps) for x, eps in pairs]")
mistake("Fewer than five of the eight are exposed. Which of their formulas give the same for your rows? Change what they have in common.",
        returns="[(torch.tensor([[-1., 1.], [1., -1.]]), 1e-5)]")

# %% right: ARENA
def break_it() -> list[tuple[torch.Tensor, float]]:
    x = torch.arange(24.0).reshape(2, 3, 4) ** 1.5
    return [(x, 1e-5), (0.01 * x, 0.5)]

# %% right: CS231n
def break_it():
    X = torch.tensor([[[4.0, 1.0], [9.0, 3.0]], [[0.0, 2.0], [8.0, 1.0]]])
    return [(X, 0.1), (X / 10, 1.0)]

# %% right: makemore
def break_it():
    g = torch.Generator().manual_seed(2147483647)
    return [(torch.randn((3, 2, 10), generator=g) + 2, eps) for eps in (1e-5, 1.0)]

# %% right: torch source
def break_it():
    inputs = []
    for shape in ((3, 4), (2, 3, 4)):
        inputs.append((torch.linspace(1, 9, torch.Size(shape).numel()).square().view(shape), 0.5))
    return inputs

# %% right: numpy first
import numpy as np


def break_it():
    x = np.array([[[1.0, 4.0, 2.0], [3.0, 9.0, 5.0]], [[7.0, 0.0, 1.0], [2.0, 2.5, 8.0]]])
    return [(torch.from_numpy(x), 0.3)]

# %% right: plain loops
def break_it():
    blocks = []
    for block in range(2):
        rows = []
        for row in range(3):
            rows.append([float(block + row * row), 5.0, float(row + 1)])
        blocks.append(rows)
    return [(torch.tensor(blocks), 2.0)]
