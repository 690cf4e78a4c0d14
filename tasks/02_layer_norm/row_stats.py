"""row_stats, 1 point: mean and biased variance of the features."""
task = Task("row_stats")
f = task.function(x="... D")

f.look("the mean and the variance of each row", x=[[1., 2., 3.], [4., 4., 7.]])
f.look("three examples of two rows", x=[[[1., 3.], [2., 8.]], [[0., 4.], [6., 6.]], [[5., 7.], [1., 9.]]])
f.look("gradients flow back through both, here through their sum", x=[[1., 3.]], backward=True)
f.look("the variance of a row near 0", x=[[-1., 1., 4.]])
f.look("a row far from 0 keeps its variance", x=[[4095., 4097., 4100.]],
          otherwise="Your variance loses digits here. Where a row lies far from 0, the mean of the squares minus the "
                   "square of the mean does that (and so does rounding, or a limit): average the squared distances "
                   "from the mean.")

# %% mistakes
axis = "02#the-axis-that-must-not-disappear"; sets = "02#which-numbers-share-a-mean"; details = "02#what-people-get-wrong"
keep = ("The trailing dimension is gone: keep it (keepdim=True), so that it broadcasts against x.")
mistake(keep, returns="mean[..., 0], variance[..., 0]", see=axis)
mistake(keep, returns="mean[..., 0], variance", see=axis)
mistake(keep, returns="mean, variance[..., 0]", see=axis)
rows = "You averaged over the rows (dim 0). Layer norm averages over the features of each row (dim -1)."
mistake(rows, returns="x.mean(0, keepdim=True), x.var(0, correction=0, keepdim=True)", see=sets)
mistake(rows, returns="x.mean(0), x.var(0, correction=0)", see=sets)
mistake(rows, variance="(x - mean).square().mean(0, keepdim=True)", see=sets)
mistake("You reduced dim=1. The features are the last dimension: use dim=-1.",
        returns="x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)", see=sets)
mistake("You reduced all dimensions but the first. The features are the last one alone: use dim=-1.",
        returns="[m(x, dim=tuple(range(1, x.dim())), keepdim=True) for m in (torch.mean, lambda *a, **k: torch.var(*a, correction=0, **k))]", see=sets)
mistake("This is the mean of the whole tensor. Each row has a mean of its own.", returns="x.mean(), x.var(correction=0)", see=sets)
mistake("The variance is one of the whole tensor. Each row has one of its own.", variance="(x - mean).square().mean()", see=sets)
mistake("The distances are those from the mean of the whole tensor. Each row has a mean of its own.",
        variance="(x - x.mean()).square().mean(-1, keepdim=True)", see=sets)
mistake("This is the sum of each row. Divide it by D.", mean="x.sum(-1, keepdim=True)",
        variance="(x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True)")
mistake("This is the median, or the middle feature. The mean is the sum divided by D.",
        returns="x.median(-1, keepdim=True).values, variance")
mistake("The variance comes first here. The mean comes first.", returns="variance, mean")
mistake("This is x itself, not averaged. The mean of each row comes first.", returns="x, variance")
mistake("You divided by D - 1. Layer norm uses the biased variance: divide by D.", variance="x.var(-1, keepdim=True)", see=details)
mistake("This is the standard deviation. The variance is its square: take no root.", returns="mean, variance.sqrt()")
mistake("This is the standard deviation with D - 1. Take no root, and divide by D.", returns="mean, x.std(-1, keepdim=True)", see=details)
mistake("This is the mean of the squares. Subtract the mean before you square.", variance="x.square().mean(-1, keepdim=True)")
mistake("This is the mean distance. Square it before you average.", variance="(x - mean).abs().mean(-1, keepdim=True)")
mistake("This is the sum of the squared distances. Divide it by D.", variance="(x - mean).square().sum(-1, keepdim=True)")
mistake("This is zero: square the distances from the mean before you average them.", variance="(x - mean).mean(-1, keepdim=True).square()")
mistake("These are the squared distances. Average them over the features of each row.", variance="(x - mean).square()")
mistake("You added the mean. Subtract it before you square.", variance="(x + mean).square().mean(-1, keepdim=True)")
mistake("The mean of the squares minus the mean: subtract the mean before you square.", variance="x.square().mean(-1, keepdim=True) - mean")
mistake("This is the mean again. The variance comes second.", returns="mean, mean")
mistake("Return both: the mean, then the variance.", returns="mean")
mistake("Return two tensors, the mean and the variance, not one that holds both.", returns="torch.cat([mean, variance], -1)")
mistake("No gradient flows through the mean that you return: is it cut off (detach, data, item or no_grad), rounded, or a "
        "new tensor of its numbers?", returns="mean.detach(), variance")
mistake("No gradient flows through the variance: is it cut off (detach, data, item or no_grad), rounded, a new tensor of "
        "its numbers, or always zero?", returns="mean, variance.detach()")

# %% right: Welford along the features
def row_stats(x):
    mean, squares = 0 * x[..., :1], 0 * x[..., :1]
    for i in range(x.shape[-1]):
        d = x[..., i : i + 1] - mean
        mean = mean + d / (i + 1)
        squares = squares + d * (x[..., i : i + 1] - mean)
    return mean, squares / x.shape[-1]

# %% right: half the mean squared difference of all pairs
def row_stats(x):
    pairs = x.unsqueeze(-1) - x.unsqueeze(-2)
    mean = x.cumsum(-1)[..., -1:] / x.size(-1)
    return mean, pairs.square().mean((-1, -2)).unsqueeze(-1) / 2

# %% right: shifted by each row's first number
def row_stats(x):
    d = x - x[..., :1].detach()
    shift = d.mean(-1, keepdim=True)
    return x[..., :1].detach() + shift, (d - shift).pow(2).mean(-1, keepdim=True)

# %% right: two matrix products with a column of ones
def row_stats(x):
    D = x.shape[-1]
    ones = x.new_ones(D, 1)
    mean = x @ ones / D
    return mean, (x - mean) ** 2 @ ones / D

# %% right: each row by vmap
def row_stats(x):
    def one(row):
        mean = row.sum() / len(row)
        return mean[None], ((row - mean) ** 2).sum()[None] / len(row)

    if x.dim() == 1:
        return one(x)
    mean, variance = torch.vmap(one)(x.reshape(-1, x.shape[-1]))
    return mean.reshape(*x.shape[:-1], 1), variance.reshape(*x.shape[:-1], 1)

# %% right: in double precision inside, with the differences squared
def row_stats(x):
    wide = x.to(torch.float64)
    mean = wide.mean(-1, keepdim=True)
    variance = torch.linalg.vecdot(wide - mean, wide - mean)[..., None] / x.shape[-1]
    return mean.to(x), variance.to(x)

# %% right: running sums, of which the last is taken
def row_stats(x):
    D = x.shape[-1]
    mean = x.cumsum(-1)[..., -1:] / D
    variance = ((x - mean) ** 2).cumsum(-1)[..., -1:] / D
    return [mean, variance]

# %% right: ARENA
from torch import Tensor


def row_stats(x: Tensor) -> tuple[Tensor, Tensor]:
    d = x.shape[-1]
    mean = torch.einsum("...d->...", x).unsqueeze(-1) / d
    centred = x - mean
    variance = torch.einsum("...d,...d->...", centred, centred).unsqueeze(-1) / d
    assert mean.shape == variance.shape == (*x.shape[:-1], 1)
    return mean, variance

# %% right: CS231n
def row_stats(x):
    D = x.shape[-1]
    mu = x.sum(axis=-1, keepdims=True) / D
    var = ((x - mu) ** 2).sum(axis=-1, keepdims=True) / D
    return mu, var

# %% right: makemore
def row_stats(x):
    n = x.shape[-1]
    xmeani = 1/n*x.sum(-1, keepdim=True)
    xdiff = x - xmeani
    xvar = 1/n*(xdiff**2).sum(-1, keepdim=True)
    return xmeani, xvar

# %% right: torch source
def row_stats(x):
    r"""Computes mean and biased variance over the last dimension."""
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return mean, var

# %% right: numpy first
import numpy as np


def row_stats(x):
    mean = x.mean(axis=-1)[..., None]
    variance = ((x - mean) ** 2).mean(axis=-1)[..., None]
    return mean, variance

# %% right: plain loops
def row_stats(x):
    D = x.shape[-1]
    means = []
    variances = []
    for row in x.reshape(-1, D):
        total = 0
        for value in row:
            total = total + value
        mean = total / D
        squares = 0
        for value in row:
            squares = squares + (value - mean) ** 2
        means.append(mean)
        variances.append(squares / D)
    shape = list(x.shape[:-1]) + [1]
    return torch.stack(means).reshape(shape), torch.stack(variances).reshape(shape)
