"""break_it_all, 1 point: inputs that expose all eight wrong layer norms."""
import math

import torch
from torch.nn import functional as F

task = Task("break_it_all", targets=["break_it"])


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


pair = "Return a list of one to six pairs (x, eps): x a tensor of two or three dimensions, its rows of two numbers or more, and eps above 0."
probe("one to six pairs (x, eps), each x with rows of two numbers or more", pair, are_pairs)
for wrong in WRONG:
    probe(f"exposes the layer norm that {wrong}", f"Still unseen: the layer norm that {wrong}. For each x of yours it gives what the right one gives.",
          lambda pairs, wrong=wrong: exposed(pairs, wrong))

# %% mistakes
pair = "Return a list of one to six pairs (x, eps): x a tensor of two or three dimensions, its rows of two numbers or more, and eps above 0."
mistake(pair, returns="[x for x, eps in pairs]")
mistake(pair, returns="None")
mistake(pair, returns="7 * pairs")
unseen = "Still unseen: the layer norm that {}. For each x of yours it gives what the right one gives.".format
mistake(unseen("takes them over dimension 1"), returns="[(x[0], eps) for x, eps in pairs]")
mistake(unseen("does not subtract the mean"), returns="[(x - x.mean(-1, keepdim=True), eps) for x, eps in pairs]")
mistake(unseen("always takes an eps of 1e-5"), returns="[(x, 1e-5) for x, eps in pairs]")
