"""calibrate, 2 points: mended statistics."""
import torch
from torch import nn

task = Task("calibrate")
TWO = [[[0.], [3.]], [[4.], [4.], [6.], [10.]]]  # 6 numbers, their sum is 27


def after(calibrate, batches, layer):
    """All that may have changed, and all that may not."""
    returned = calibrate(layer, batches)
    return {"running_mean": layer.running_mean, "running_var": layer.running_var, "the layer itself is returned": returned is layer,
            "training": layer.training, "momentum": layer.momentum, "counter": layer.num_batches_tracked,
            "weight": layer.weight, "bias": layer.bias}


def look(label, part, once=False, evaluate=False):
    given = "iter([tensor({}), tensor({})])" if once else "[tensor({}), tensor({})]"

    @task.probe(label, shown=f"calibrate(nn.BatchNorm1d(1){'.eval()' if evaluate else ''}, {given.format(*TWO)})")
    def _(calibrate):
        batches = [torch.tensor(batch) for batch in TWO]
        found = after(calibrate, iter(batches) if once else batches, nn.BatchNorm1d(1).train(not evaluate))
        return found[part] if isinstance(part, str) else [found[name] for name in part]


def case(label, layer, batches):
    @task.probe(label, drawn=True, tolerance=1e-3)
    def _(calibrate):
        return after(calibrate, batches(), layer())


look("the mean of all six numbers", "running_mean")
look("the variance of all six numbers", "running_var")
look("the layer itself is returned", "the layer itself is returned")
look("the layer keeps its mode", "training")
look("also where that is evaluation mode", "training", evaluate=True)
look("the layer keeps its momentum", "momentum")
look("the layer keeps its counter", "counter")
look("batches that can be read only once", ["running_mean", "running_var"], once=True)


def settled():
    layer = fill_(nn.BatchNorm1d(4, momentum=None), seed=111).eval()
    layer.num_batches_tracked += 7
    return layer


case("three batches from a generator", settled,
     lambda: (2 * sample(n, 4, seed=112 + n) + 3 * sample(4, seed=130 + n) for n in (3, 8, 5)))
case("many small batches", lambda: nn.BatchNorm1d(4), lambda: sample(28, 4, seed=140).split([1, 1, *[2] * 12, 2]))

# %% mistakes
M, V, B = "bn.running_mean.copy_({})", "bn.running_var.copy_({})", "[b.detach() for b in batches]"
MEAN, VAR = M.format("x.mean(dim=0)"), V.format("(x - x.mean(dim=0)).square().sum(dim=0) / (len(x) - 1)")
X = "x = torch.cat(list(batches)).detach()"
KEPT = {X: "batches = list(batches)\n    x = torch.cat(batches).detach()"}


def mean(sentence, value, **more):
    mistake(sentence, {**KEPT, MEAN: M.format(value)}, **more)


def var(sentence, value):
    mistake(sentence, {**KEPT, VAR: V.format(value)})


mean("You averaged the means of the batches. The second has twice as many examples: pool them, each once.", "torch.stack([b.mean(0) for b in batches]).mean(0)")
twice = "The first batch is counted twice: do you read it before the loop, and again in it? Each example counts once."
mistake(twice, {X: "batches = list(batches)\n    x = torch.cat(batches[:1] + batches).detach()"})
mistake(twice, {X: "x = torch.cat([next(iter(batches)), *batches]).detach()"})
last = "Of these two batches only the last one counts: is each written over the one before, or is the first one lost (read before the loop)?"
mistake(last, {X: "x = list(batches)[-1]"})
mean(last, "batches[-1].mean(0)")
var(last, "batches[-1].var(0)")
nothing = "Nothing is left in the layer you were given: change its running_mean and running_var in place (not a copy's), and reset nothing afterwards."
mistake(nothing, {MEAN: "running_mean = x.mean(0)", VAR: "running_var = x.var(0)"})
mistake(nothing, {X: X + "\n    import copy\n    bn = copy.deepcopy(bn)"})
mistake(nothing, {"return bn": "bn.running_mean.zero_(), bn.running_var.fill_(1)\n    return bn"})
mistake("Nothing is left in bn.running_mean: change it in place, and reset nothing afterwards.", {MEAN: "x.mean(0)"})
mistake("Nothing is left in bn.running_var: change it in place, and reset nothing afterwards.", {VAR: "x.var(0)"})
LOOP = """
def calibrate(bn, batches):
    mode, momentum, counted = bn.training, bn.momentum, bn.num_batches_tracked.clone()
    {}
    bn.train()
    with torch.no_grad():
        for batch in batches:
            bn(batch)
    bn.momentum = momentum
    bn.train(mode)
    bn.num_batches_tracked.copy_(counted)
    return bn
"""
mixed = ("This is what updates with a momentum of 0.1 give, as the layer makes them in training mode: momentum mixes in the value it started from, "
         "and the last batches count more.")
mistake(mixed, LOOP.format(""))
mistake(mixed, LOOP.format("").replace("    bn.num_batches_tracked.copy_(counted)\n", ""))
means = "You averaged the means of the batches, and their variances. Pool the examples: the distance between the batches' means is a part of the variance."
mistake(means, LOOP.format("bn.reset_running_stats(); bn.momentum = None"))
mistake(means, LOOP.format("bn.reset_running_stats(); bn.momentum = None").replace("    bn.num_batches_tracked.copy_(counted)\n", ""))
mean("running_mean has one number a feature, shape (C,): the mean over the examples without keepdim.", "x.mean(0)); bn.running_mean = (x.mean(0, keepdim=True)")
mean("This is the sum. Divide it by the number of examples.", "x.sum(0)")
mean("running_mean has one number a feature. You took the mean of everything.", "x.mean().expand(x.shape[1])")
var("This is the biased variance: running_var divides by n - 1.", "x.var(0, correction=0)")
var("You averaged the variances of the batches. The distance between their means is missing.", "torch.stack([b.var(0) for b in batches]).mean(0)")
var("You averaged the biased variances of the batches. The distance between their means is missing.", "torch.stack([b.var(0, correction=0) for b in batches]).mean(0)")
var("You weighted the batches' variances by their sizes. The distance between their means is still missing.", "sum(len(b) * b.var(0) for b in batches) / len(x)")
var("You weighted the batches' biased variances by their sizes. The distance between their means is still missing.",
    "sum(len(b) * b.var(0, correction=0) for b in batches) / len(x)")
var("A batch of one example has no unbiased variance: sum squared distances instead of the batches' variances.",
    "(sum((len(b) - 1) * b.var(0) + len(b) * (b.mean(0) - x.mean(0)).square() for b in batches)) / (len(x) - 1)")
var("running_var has one number a feature, shape (C,): the variance over the examples without keepdim.", "x.var(0)); bn.running_var = (x.var(0, keepdim=True)")
var("This is the sum of the squared distances. Divide it by n - 1, where n counts the examples (not the batches).", "x.var(0) * (len(x) - 1)")
var("n counts the batches here. Divide by n - 1, where n counts the examples (not the batches).", "x.var(0) * (len(x) - 1) / max(len(batches) - 1, 1)")
var("You multiplied by n - 1. Divide by it.", "x.var(0) * (len(x) - 1) ** 2")
var("You divided twice: the mean divides by n already. Divide the sum by n - 1.", "x.var(0, correction=0) / (len(x) - 1)")
var("You summed the distances. Sum their squares.", "(x - x.mean(0)).abs().sum(0) / (len(x) - 1)")
var("You added the mean. Subtract it before you square.", "(x + x.mean(0)).square().sum(0) / (len(x) - 1)")
var("You did not subtract the mean before squaring.", "x.square().sum(0) / (len(x) - 1)")
var("You divided by n + 1. Divide by n - 1.", "x.var(0) * (len(x) - 1) / (len(x) + 1)")
var("You divided by n - 2. Divide by n - 1.", "x.var(0) * (len(x) - 1) / (len(x) - 2)")
var("You divided by the size of the last batch. Divide by n - 1, where n counts all examples.", "x.var(0) * (len(x) - 1) / len(batches[-1])")
var("This is zero: sum the squared distances from the mean.", "0 * x.var(0)")
var("This is the standard deviation. running_var is its square: take no root.", "x.std(0)")
returned = "Return the layer that you were given: not a copy, None or the statistics."
mistake(returned, {"return bn": "return None"})
mistake(returned, {"return bn": "return bn.running_mean, bn.running_var"})
mistake(returned, {"return bn": "import copy\n    return copy.deepcopy(bn)"})
mistake("You left the layer in training mode: put it back as it was, or do not run it at all.", {"return bn": "return bn.train()"})
mistake("You left the layer in evaluation mode: put it back as it was, or do not run it at all.", {"return bn": "return bn.eval()"})
momentum = "You changed the momentum: put it back as it was."
mistake(momentum, {"return bn": "bn.momentum = 1.0\n    return bn"})
mistake(momentum, {"return bn": "bn.momentum = None\n    return bn"})
counter = "The counter num_batches_tracked changed: only running_mean and running_var may."
mistake(counter, {"return bn": "bn.num_batches_tracked += 1\n    return bn"})
mistake(counter, {"return bn": "bn.num_batches_tracked.zero_()\n    return bn"})
mistake("You changed the momentum and the counter: only running_mean and running_var may change.",
        {"return bn": "bn.momentum = 1.0\n    bn.num_batches_tracked += 1\n    return bn"})
mistake("If you go through the batches twice, there are none left the second time: collect what you need in one go.",
        {X: "x = torch.cat([*batches]).detach()\n    rest = list(batches)", VAR: V.format("sum(((b - x.mean(0)).square().sum(0) for b in rest), torch.zeros(x.shape[1])) / (len(x) - 1)")})
mistake("All batches count: you looked at the first ten.", {X: "x = torch.cat(list(batches)[:10]).detach()"})

# %% right: ARENA
@torch.inference_mode()
def calibrate(bn: nn.BatchNorm1d, batches) -> nn.BatchNorm1d:
    x = torch.cat(list(batches), dim=0)
    assert x.ndim == 2
    bn.running_mean.copy_(x.mean(0))
    bn.running_var.copy_(x.var(0, unbiased=True))
    return bn

# %% right: CS231n
def calibrate(bn, batches):
    n = 0
    total = torch.zeros(bn.num_features)
    total_sq = torch.zeros(bn.num_features)
    for batch in batches:
        n += batch.shape[0]
        total += batch.sum(axis=0)
        total_sq += (batch**2).sum(axis=0)
    mean = total / n
    bn.running_mean[:] = mean
    bn.running_var[:] = (total_sq - n * mean**2) / (n - 1)
    return bn

# %% right: makemore
@torch.no_grad()
def calibrate(bn, batches):
    hpreact = torch.cat([b for b in batches], 0)
    # measure the mean/std over the entire training set
    bn.running_mean = hpreact.mean(0)
    bn.running_var = hpreact.var(0)
    return bn

# %% right: torch source
@torch.no_grad()
def calibrate(bn, batches):
    r"""Like torch.optim.swa_utils.update_bn, with all examples as one batch."""
    was_training, momentum = bn.training, bn.momentum
    counter = bn.num_batches_tracked.clone()
    bn.reset_running_stats()
    bn.train()
    bn.momentum = 1.0
    bn(torch.cat([*batches]))
    bn.momentum = momentum
    bn.num_batches_tracked.copy_(counter)
    bn.train(was_training)
    return bn

# %% right: numpy first
import numpy as np


def calibrate(bn, batches):
    x = np.concatenate([batch.detach().numpy() for batch in batches], axis=0)
    bn.running_mean.copy_(torch.from_numpy(np.mean(x, axis=0)))
    bn.running_var.copy_(torch.from_numpy(np.var(x, axis=0, ddof=1)))
    return bn

# %% right: plain loops
def calibrate(bn, batches):
    rows = []
    for batch in batches:
        for row in batch:
            rows.append(row)
    n = len(rows)
    mean = sum(rows) / n
    total = 0
    for row in rows:
        total = total + (row - mean) ** 2
    bn.running_mean = mean
    bn.running_var = total / (n - 1)
    return bn

# %% right: statistics merged batch by batch
def calibrate(bn, batches):
    n, mean, m2 = 0, None, None
    for batch in batches:
        k, mu = len(batch), batch.mean(0)
        s = ((batch - mu) ** 2).sum(0)
        if n == 0:
            n, mean, m2 = k, mu, s
            continue
        delta = mu - mean
        mean = mean + delta * k / (n + k)
        m2 = m2 + s + delta ** 2 * n * k / (n + k)
        n += k
    bn.running_mean = mean
    bn.running_var = m2 / (n - 1)
    return bn

# %% right: Welford, row by row
def calibrate(bn, batches):
    n, mean, m2 = 0, torch.zeros_like(bn.running_mean), torch.zeros_like(bn.running_var)
    for b in batches:
        for row in b:
            n += 1
            d = row - mean
            mean = mean + d / n
            m2 = m2 + d * (row - mean)
    bn.running_mean[:] = mean
    bn.running_var[:] = m2 / (n - 1)
    return bn

# %% right: shifted sums in one pass
def calibrate(bn, batches):
    n, shift, total, squares = 0, None, 0, 0
    for batch in batches:
        shift = batch[0] if shift is None else shift
        n, y = n + len(batch), batch - shift
        total, squares = total + y.sum(0), squares + (y * y).sum(0)
    bn.running_mean.copy_(shift + total / n)
    bn.running_var.copy_((squares - total**2 / n) / (n - 1))
    return bn
