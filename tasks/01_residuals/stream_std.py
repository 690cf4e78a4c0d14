"""stream_std, 2 points: how the stream grows, predicted and measured."""
import torch

task = Task("stream_std")
predict = task.function(again=False)
tanh, product = code("lambda h: torch.tanh(h.cumsum(-1))"), code("lambda h: h * h.flip(-1)")
measure = task.function("measured_std", gradient=False, x="... D", branches=[[tanh, product], [product, tanh, tanh], [tanh]], branch_scale=[0.7, 2., 0.5],
                        skip=["double", "as many rows as features", "rows of small numbers"])
predict.look("predicted: no blocks", 0, 1.)
predict.look("predicted: six blocks at scale 1", 6, 1.)
predict.look("predicted: seven blocks at scale 0.75", 7, 0.75)
predict.look("predicted: four blocks at 1 / √4", 4, 0.5)
predict.look("predicted: seven blocks at scale 0", 7, 0.)
predict.look("predicted: four hundred blocks at 1 / √400", 400, 0.05, tolerance=1e-3)
predict.case("predicted: 23 blocks at some scale above 1", lambda: (23, round(1.1 + abs(sample(1, seed=61).item()), 2)), tolerance=1e-3)
# at scale 3 the rows hold 1 and 3, then 4 and 30, then 28 and 210
measure.look("measured: two branches at scale 3", x=[[1., 1., 1.], [3., 3., 3.]], branches=[code("lambda h: h * h"), code("lambda h: 2 * h")], branch_scale=3.)
measure.look("measured: three dimensions", x=[[[1., 2.], [4., 5.]]], branches=[code("lambda h: h * h")], branch_scale=0.5)


@task.probe("x is left as it was", shown="x, after measured_std(x, [lambda h: 10 * h], 3.)")
def _(measured_std):
    x = torch.tensor([[1., 2.], [3., 4.]])
    measured_std(x, [lambda h: 10 * h], 3.)
    return x


# %% mistakes
S, M = dict(of="stream_std"), dict(of="measured_std")
mistake("No blocks leave the input as it is, with standard deviation 1 (a product where a power belongs? the input left out? a 1 subtracted?).", **S,
        returns="(1 + branch_scale**2) * depth / 2")
mistake("No blocks leave the input as it is, with standard deviation 1 (a product where a power belongs? the input left out? a 1 subtracted?).", **S,
        returns="((1 + branch_scale**2) ** depth - 1) ** 0.5")
added = "You added standard deviations. Variances add: 1 + s², not (1 + s)²."
mistake("This is the variance. The standard deviation is its root.", **S, returns="(1 + branch_scale**2) ** depth")
mistake(added, **S, returns="(1 + branch_scale) ** depth")
mistake("You added 1 + depth s², or s for each block. Each block multiplies the variance by 1 + s².", **S, returns="1 + depth * branch_scale")
mistake("You added 1 + depth s², or s for each block. Each block multiplies the variance by 1 + s².", **S, returns="1 + depth * branch_scale**2")
mistake("Each block multiplies the variance, it does not add to it: the branch grows with the stream.", **S, returns="(1 + depth * branch_scale**2) ** 0.5")
mistake("Variances add: a block multiplies by 1 + s², not by a difference (1 - s²?).", **S, returns="(1 - branch_scale**2) ** (depth / 2)")
mistake("One block is left out: the factor comes once for each of the depth blocks. Does a loop begin at 1, or end before the last?", **S,
        returns="(1 + branch_scale**2) ** (max(depth - 1, 0) / 2)")
mistake("This is 1 + s² to the power of twice the depth. The variance is 1 + s² to the power of the depth, and its root halves the exponent: depth / 2.",
        **S, returns="(1 + branch_scale**2) ** (2 * depth)")
mistake("You took s where s² belongs: a branch s f has variance s² times that of f.", **S, returns="(1 + branch_scale) ** (depth / 2)")
mistake("You took a root too many: the variance is 1 + s² to the power of the depth, and its root halves the exponent once.", **S, returns="(1 + branch_scale**2) ** (depth / 4)")
mistake("This is the result at scale 1: the scale has no effect here.", **S, returns="2 ** (depth / 2)")
mistake("Half of an odd depth is not a whole number: is it rounded down (//, int)?", **S, returns="(1 + branch_scale**2) ** (depth // 2)")
mistake("Half of an odd depth is not a whole number: is it rounded up (round, ceil)?", **S, returns="(1 + branch_scale**2) ** ((depth + 1) // 2)")
mistake("That is one block too many.", **S, returns="(1 + branch_scale**2) ** ((depth + 1) / 2)")
mistake("The stream itself is left out: a block multiplies the variance by 1 + s², not by s².", **S, returns="branch_scale ** depth")
mistake("This is the limit of many small blocks, exp(depth s² / 2). With depth blocks the variance is 1 + s² to the power of the depth.", **S, returns="math.exp(depth * branch_scale**2 / 2)")
mistake("Scales above 1 count as 1. Take the scale as it is.", **S, returns="(1 + min(branch_scale, 1) ** 2) ** (depth / 2)")
mistake("1 / √depth is a scale like any other: √e is its limit for ever more blocks, not the answer for these.", **S,
        returns="math.e**0.5 if depth > 1 and math.isclose(branch_scale, depth**-0.5) else (1 + branch_scale**2) ** (depth / 2)")
STD, NEXT, ALL = "h.std(correction=0)", "h = h + branch_scale * branch(h)", "torch.stack(stds)"
mistake("The stream before the first block is missing.", **M, returns="torch.stack(stds[1:])")
mistake("The last state is missing: run every block, and measure after each.", **M, returns="torch.stack(stds[:-1] or stds)")
mistake("The branch scale has no effect.", {NEXT: "h = h + branch(h)"})
mistake("The input is not added back: only the branch is left.", {NEXT: "h = branch_scale * branch(h)"})
mistake("You measured the branches. Measure the stream they are added to.", {f"{NEXT}\n        stds.append({STD})": f"f = branch(h)\n        stds.append(f.std(correction=0)); h = h + branch_scale * f"})
mistake("Every branch must see the current stream, not the input x.", {NEXT: "h = h + branch_scale * branch(x)"})
mistake("These are variances. Take the root.", {STD: "h.var(correction=0)"})
mistake("You divided by n - 1. Pass correction=0.", {STD: "h.std()"})
mistake("You did not subtract the mean: this is the root mean square.", {STD: "h.square().mean().sqrt()"})
mistake("This is the mean distance from the mean. Take the root of the mean squared distance.", {STD: "(h - h.mean()).abs().mean()"})
mistake("You scaled the stream too. The scale belongs to the branch.", {NEXT: "h = branch_scale * (h + branch(h))"})
mistake("You scaled the stream and not the branch.", {NEXT: "h = branch_scale * h + branch(h)"})
mistake("You scaled what enters the branch. The scale multiplies what comes out of it.", {NEXT: "h = h + branch(branch_scale * h)"})
mistake("One standard deviation per state: over all its entries, not per feature.", {STD: "h.std(dim=0, correction=0)"})
mistake("One standard deviation per state: over all its entries, not per example.", {STD: "h.std(dim=-1, correction=0)"})
mistake("One standard deviation per state, over all its entries: you averaged those of features or examples.", {STD: "h.std(dim=-1, correction=0).mean()"})
mistake("One standard deviation per state, over all its entries: you averaged those of features or examples.", {STD: "h.std(dim=0, correction=0).mean()"})
mistake("Only the state before the first block is there: measure after each block too.", **M, returns="torch.stack(stds[:1])")
mistake("You divided by n - 1 before the first block. Pass correction=0 there too.", {f"stds = [{STD}]": "stds = [h.std()]"})
mistake("You divided by n - 1 after the blocks. Pass correction=0 there too.", {f"stds.append({STD})": "stds.append(h.std())"})
mistake("The branches have no effect: add what each one makes of the stream, and measure the sum.", {NEXT: "branch(h)"})
mistake("The stream is normalised. Measure it as it is.", {NEXT: NEXT + "; h = h / h.std(correction=0)"})
mistake("You took the branch's mean away. Add the branch as it is.", {NEXT: "f = branch(h); h = h + branch_scale * (f - f.mean())"})
mistake("The branches have no effect: you added the scaled stream to itself.", {NEXT: "h = h + branch_scale * h"})
mistake("You subtracted the branch.", {NEXT: "h = h - branch_scale * branch(h)"})
mistake("You multiplied by the branch. Add it.", {NEXT: "h = h * branch_scale * branch(h)"})
mistake("You squared the scale. The branch is multiplied by s, only its variance by s².", {NEXT: "h = h + branch_scale**2 * branch(h)"})
listed = "Return one tensor, not a list: torch.stack makes it of tensors, torch.tensor of plain numbers."
mistake(listed, **M, returns="stds")
mistake(listed, **M, returns="[std.item() for std in stds]")
mistake("You changed x in place (h += ... or the like). Make a new tensor: h = h + ...", {NEXT: "h += branch_scale * branch(h)"})

# %% right: predicts through logarithms, measures by var
def stream_std(depth, branch_scale):
    return math.exp(depth / 2 * math.log1p(branch_scale**2))


def measured_std(x, branches, branch_scale):
    states = [x]
    for branch in branches:
        states.append(torch.add(states[-1], branch(states[-1]), alpha=branch_scale))
    return torch.stack([state.var(correction=0) for state in states]) ** 0.5

# %% right: predicts with tensors of 32 bits, measures from deviations
def stream_std(depth, branch_scale):
    return torch.tensor(1 + branch_scale**2).sqrt() ** depth


def measured_std(x, branches, branch_scale):
    stds = torch.zeros(len(branches) + 1)
    stds[0] = (x - x.mean()).square().mean().sqrt()
    for number, branch in enumerate(branches, start=1):
        x = x + branch_scale * branch(x)
        stds[number] = (x - x.mean()).square().mean().sqrt()
    return stds

# %% right: predicts by recursion, block by block
def stream_std(depth, branch_scale):
    return 1.0 if depth == 0 else stream_std(depth - 1, branch_scale) * math.sqrt(1 + branch_scale**2)


def measured_std(x, branches, branch_scale):
    if not branches:
        return x.std(correction=0)[None]
    following = measured_std(x + branch_scale * branches[0](x), branches[1:], branch_scale)
    return torch.cat([x.std(correction=0)[None], following])

# %% right: a binomial sum over paths, and a tensor that is filled, without gradients
def stream_std(depth, branch_scale):
    return math.sqrt(sum(math.comb(depth, k) * branch_scale ** (2 * k)
                         for k in range(depth + 1)))


@torch.no_grad()
def measured_std(x, branches, branch_scale):
    h = x.clone()
    stds = x.new_empty(len(branches) + 1)
    stds[0] = torch.linalg.vector_norm(h - h.mean()) / math.sqrt(h.numel())
    for l, branch in enumerate(branches, start=1):
        h = h.add(branch(h).mul(branch_scale))
        stds[l] = torch.linalg.vector_norm(h - h.mean()) / math.sqrt(h.numel())
    return stds

# %% right: Python's statistics, on doubles
import statistics


def stream_std(depth, branch_scale):
    factor = math.sqrt(1 + branch_scale**2)
    return math.prod([factor] * depth)


def measured_std(x, branches, branch_scale):
    stds = []
    for branch in [None, *branches]:
        x = x if branch is None else x + branch_scale * branch(x)
        stds.append(statistics.pstdev(x.detach().double().flatten().tolist()))
    return torch.tensor(stds, dtype=x.dtype)

# %% right: in double precision
def stream_std(depth, branch_scale):
    return torch.tensor(1 + branch_scale**2, dtype=torch.float64).pow(depth).sqrt()


def measured_std(x, branches, branch_scale):
    h, stds = x.double(), []
    for branch in [None, *branches]:
        if branch is not None:
            h = h + branch_scale * branch(h.float()).double()
        stds.append(((h - h.mean()) ** 2).mean().sqrt())
    return torch.stack(stds).float()

# %% right: ARENA
from typing import Callable

from torch import Tensor


def stream_std(depth: int, branch_scale: float) -> float:
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x: Tensor, branches: list[Callable], branch_scale: float) -> Tensor:
    stds = [x.std(unbiased=False)]
    for branch in branches:
        x = x + branch_scale * branch(x)
        stds.append(x.std(unbiased=False))
    out = torch.stack(stds)
    assert out.shape == (len(branches) + 1,)
    return out

# %% right: CS231n
def stream_std(depth, branch_scale):
    var = 1.0
    for l in range(depth):
        var = var + branch_scale ** 2 * var
    return math.sqrt(var)


def measured_std(x, branches, branch_scale):
    std = torch.zeros(len(branches) + 1)
    h = x
    std[0] = torch.std(h, correction=0)
    for l, branch in enumerate(branches):
        out = branch(h)
        h = h + branch_scale * out
        std[l + 1] = torch.std(h, correction=0)
    return std

# %% right: makemore
def stream_std(depth, branch_scale): return (1 + branch_scale**2)**(depth/2)

def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(unbiased=False).item()]
    for f in branches:
        h = h + branch_scale * f(h)
        stds.append(h.std(unbiased=False).item())
    return torch.tensor(stds)

# %% right: torch source
def stream_std(depth, branch_scale):
    return math.exp(0.5 * depth * math.log1p(branch_scale**2))


def measured_std(x, branches, branch_scale):
    with torch.no_grad():
        stds = x.new_empty(len(branches) + 1)
        stds[0] = torch.std(x, correction=0)
        for i, branch in enumerate(branches, start=1):
            x = torch.add(x, branch(x), alpha=branch_scale)
            stds[i] = torch.std(x, correction=0)
    return stds

# %% right: numpy first
import numpy as np


def stream_std(depth, branch_scale):
    return np.sqrt((1 + branch_scale ** 2) ** depth)


def measured_std(x, branches, branch_scale):
    h, stds = x, [np.std(x.detach().numpy())]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(np.std(h.detach().numpy()))
    return torch.from_numpy(np.array(stds))

# %% right: plain loops
def stream_std(depth, branch_scale):
    variance = 1
    for i in range(depth):
        variance = variance * (1 + branch_scale ** 2)
    return variance ** 0.5


def one_std(h):
    values = h.detach().flatten().tolist()
    mean = sum(values) / len(values)
    total = 0
    for value in values:
        total = total + (value - mean) ** 2
    return (total / len(values)) ** 0.5


def measured_std(x, branches, branch_scale):
    h = x.clone()
    result = [one_std(h)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        result.append(one_std(h))
    return torch.tensor(result)
