"""batch_norm_train, 2 points: batch norm of one batch, by hand."""
import torch

task = Task("batch_norm_train", by_hand="normalisation")
f = task.function(x="N D", gamma="D", beta="D", eps=[0.5], skip=["drawn numbers", "other drawn numbers"])
one, none = [1., 1.], [0., 0.]

f.look("every feature gets mean 0 and variance 1", x=[[1., 10.], [2., 50.], [6., 60.]], gamma=one, beta=none, eps=0.)
f.look("eps stands inside the root", x=[[1.], [7.]], gamma=one[:1], beta=none[:1], eps=7.)
f.look("gamma scales, then beta shifts", x=[[1., 10.], [3., 50.]], gamma=[2., 10.], beta=[0., 5.], eps=0.)
f.look("of a single example only beta is left", x=[[7., -3.]], gamma=[2., 10.], beta=[0., 5.], eps=1e-5)
f.look("gradients flow through the mean and the variance, and reach gamma and beta",
       x=[[1.], [3.], [8.]], gamma=[2.], beta=[5.], eps=4., backward=True)
f.look("a feature far from 0 keeps its variance", x=[[4095.], [4097.], [4100.]], gamma=one[:1], beta=none[:1], eps=0.,
       otherwise="The mean of the squares minus the square of the mean loses its digits where a feature lies far from 0: average the "
                 "squared distances from the mean.")
f.case("a batch of nine", lambda: (3 * sample(9, 6, seed=11) + 2, sample(6, seed=12), sample(6, seed=13), 1e-5))
f.case("as many examples as features", lambda: (sample(6, 6, seed=14), sample(6, seed=12), sample(6, seed=13), 0.5), backward=True)
f.case("features far from 0", lambda: (1000 + sample(9, 3, seed=16), torch.ones(3), torch.zeros(3), 1e-5))

# %% mistakes
OUT = "gamma * {} / torch.sqrt(variance + eps) + beta"
NORM = "gamma * {} + beta"
mistake("You normalised each row: that is layer norm. Batch norm takes the statistics of each column.",
        mean="x.mean(-1, keepdim=True)", variance="x.var(-1, correction=0, keepdim=True)")
mistake("You took one mean and variance for the whole tensor. Each feature has its own.", mean="x.mean()", variance="x.var(correction=0)")
unbiased = "This is what N - 1 gives as the divisor of the variance. Batch norm normalises with the biased one: divide by N, the number of examples."
mistake(unbiased, variance="x.var(0)")
mistake(unbiased, returns="gamma * (x - mean) / x.std(0) + beta")
mistake("You summed the squared distances and did not divide by N.", variance="(x - mean).square().sum(0)")
mistake("This is what dividing by the variance gives: is the root missing?", returns="gamma * (x - mean) / (variance + eps) + beta")
mistake("Are gamma and beta swapped? gamma multiplies, and beta is added.", returns="beta * (x - mean) / torch.sqrt(variance + eps) + gamma")
mistake("This is x divided by the root: the mean is not subtracted, or is added back.", returns=OUT.format("x"))
mistake("This is x - mean alone. Divide by the standard deviation too.", returns="gamma * (x - mean) + beta")
mistake("This is what the mean of the distances gives. The variance averages their squares.", variance="(x - mean).abs().mean(0)")
mistake("Each distance is divided by its own size here. The variance of a feature is one number, the mean of the squared distances.",
        variance="(x - mean).square()")
mistake("Your mean is that of the whole tensor. Each feature has its own.", mean="x.mean()", variance="x.var(0, correction=0)")
mistake("You subtracted the sum of the feature. The mean is the sum divided by N.", mean="x.sum(0)", variance="x.var(0, correction=0)")
mistake("Your variance is one number for all features. Each feature has its own.", variance="(x - mean).square().mean()")
mistake("In the variance you added the mean. Subtract it before you square.", variance="(x + mean).square().mean(0)")
mistake("You divided by the root of the mean square. The distance from the mean counts, not the number itself.", variance="x.square().mean(0)")
mistake("The standard deviation multiplies here. Divide by it.", returns="gamma * (x - mean) * torch.sqrt(variance + eps) + beta")
mistake("The mean is added here. Subtract it.", returns=OUT.format("(x + mean)"))
mistake("The sign is turned round: subtract the mean from x, and divide by the positive root.", returns=OUT.format("(mean - x)"))
mistake("Your fraction stands upside down: divide x - mean by the root.", returns=NORM.format("(torch.sqrt(variance + eps) / (x - mean))"))
mistake("You subtracted the variance. Subtract the mean.", returns=OUT.format("(x - variance)"))
mistake("This is x - mean divided by the variance squared. Divide by its root.", returns=NORM.format("(x - mean) / (variance + eps).square()"))
mistake("You took the root of the mean. Take that of the variance.", returns=NORM.format("(x - mean) / torch.sqrt(mean + eps)"))
mistake("beta multiplies here. gamma multiplies, and beta is added.", returns="gamma * (x - mean) / torch.sqrt(variance + eps) * beta")
mistake("Only zeros are left: is x subtracted from itself, or the result never stored?", returns="torch.zeros_like(x)")
mistake("Is your eps inside the square root? You added it to the standard deviation.", returns=NORM.format("(x - mean) / (variance.sqrt() + eps)"))
ignored = "The argument eps has no effect here: is it fixed, left out, or only a floor? Add the argument to every variance, inside the root."
mistake(ignored, returns=NORM.format("(x - mean) / variance.sqrt()"))
mistake(ignored, returns=NORM.format("(x - mean) / torch.sqrt(variance + 1e-5)"))
mistake(ignored, returns=NORM.format("(x - mean) / torch.sqrt(variance.clamp(min=eps))"))
mistake("You added the root of eps to the root of the variance. Add first, then take one root.",
        returns=NORM.format("(x - mean) / (variance.sqrt() + eps ** 0.5)"))
mistake("gamma has no effect: multiply the normalised feature by it.", returns="(x - mean) / torch.sqrt(variance + eps) + beta")
mistake("beta has no effect: add it at the end.", returns="gamma * (x - mean) / torch.sqrt(variance + eps)")
mistake("gamma and beta have no effect. Are they applied after normalising, not before?", returns="(x - mean) / torch.sqrt(variance + eps)")
mistake("gamma multiplies beta too here. Scale first, then shift.", returns="gamma * ((x - mean) / torch.sqrt(variance + eps) + beta)")
mistake("beta is subtracted here. Add it.", returns="gamma * (x - mean) / torch.sqrt(variance + eps) - beta")
mistake("You divided by gamma. Multiply by it.", returns="(x - mean) / torch.sqrt(variance + eps) / gamma + beta")
mistake("is there a `return`? Your function gives None.", returns="None")
mistake("The mean of the squares minus the square of the mean loses its digits where a feature lies far from 0: average the squared distances from "
        "the mean.", variance="(x.square().mean(0) - mean.square()).clamp(min=0)")
mistake("This is the gradient for constant statistics, but they depend on x: are they cut off (no_grad, detach, data, item), or left out of a "
        "backward of your own?", mean="x.mean(0).detach()", variance="(x - mean).square().mean(0).detach()")
cut = "No gradient flows through the {}: is it cut off (no_grad, detach, data, item), not used, or left out of a backward of your own?"
mistake(cut.format("variance"), variance="(x - mean).square().mean(0).detach()")
mistake(cut.format("mean"), mean="x.mean(0).detach()")
mistake("No gradient reaches x: is it cut off (no_grad, detach, data, item), or not used?", returns="gamma * ((x - mean) / torch.sqrt(variance + eps)).detach() + beta")
lost = "No gradient reaches {}: is it cut off (detach, data, item, no_grad or a new nn.Parameter made of it), or not used?"
mistake(lost.format("gamma and beta"), returns="gamma.detach() * (x - mean) / torch.sqrt(variance + eps) + beta.detach()")
mistake(lost.format("gamma"), returns="gamma.detach() * (x - mean) / torch.sqrt(variance + eps) + beta")
mistake(lost.format("beta"), returns="gamma * (x - mean) / torch.sqrt(variance + eps) + beta.detach()")
mistake("No gradient reaches anything: are they cut off (detach, data, item, no_grad)?", returns="(gamma * (x - mean) / torch.sqrt(variance + eps) + beta).detach()")

# %% right: ARENA
from torch import Tensor


def batch_norm_train(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    batch, features = x.shape
    assert gamma.shape == beta.shape == (features,)
    mean = x.mean(dim=0, keepdim=True)
    var = x.var(dim=0, unbiased=False, keepdim=True)
    x_hat = (x - mean) / (var + eps) ** 0.5
    return torch.einsum("bf,f->bf", x_hat, gamma) + beta

# %% right: CS231n
def batchnorm_forward(x, gamma, beta, eps):
    N, D = x.shape
    # step 1: mean, step 2: centre, step 3: square, step 4: variance
    mu = 1.0 / N * torch.sum(x, axis=0)
    xmu = x - mu
    sq = xmu**2
    var = 1.0 / N * torch.sum(sq, axis=0)
    # step 5: root, step 6: invert, step 7: normalise
    sqrtvar = torch.sqrt(var + eps)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    # step 8 and 9: scale and shift
    gammax = gamma * xhat
    out = gammax + beta
    cache = (xhat, gamma, xmu, ivar, sqrtvar, var, eps)
    return out, cache


def batch_norm_train(x, gamma, beta, eps):
    out, _ = batchnorm_forward(x, gamma, beta, eps)
    return out

# %% right: makemore
def batch_norm_train(hpreact, bngain, bnbias, eps):
    n = hpreact.shape[0]
    bnmeani = 1/n*hpreact.sum(0, keepdim=True)
    bndiff = hpreact - bnmeani
    bndiff2 = bndiff**2
    bnvar = 1/n*bndiff2.sum(0, keepdim=True)
    bnvar_inv = (bnvar + eps)**-0.5
    bnraw = bndiff * bnvar_inv
    return bngain * bnraw + bnbias

# %% right: torch source
def batch_norm_train(input, weight, bias, eps):
    r"""Applies Batch Normalization over a batch of 2D inputs."""
    if input.dim() != 2:
        raise ValueError(f"expected 2D input (got {input.dim()}D input)")
    save_mean = input.mean(dim=0)
    save_invstd = torch.rsqrt((input - save_mean).pow(2).mean(dim=0) + eps)
    alpha = weight * save_invstd
    return torch.addcmul(bias, input - save_mean, alpha)

# %% right: numpy first
import numpy as np


def batch_norm_train(x, gamma, beta, eps):
    # gradients are asked for, so torch, written like numpy
    mu = torch.mean(x, axis=0, keepdims=True)
    sigma2 = torch.mean((x - mu) ** 2, axis=0, keepdims=True)
    return gamma[None, :] * ((x - mu) / torch.sqrt(sigma2 + eps)) + beta[None, :]

# %% right: plain loops
def batch_norm_train(x, gamma, beta, eps):
    N = x.shape[0]
    C = x.shape[1]
    columns = []
    for c in range(C):
        # the mean of this feature
        total = 0
        for i in range(N):
            total = total + x[i, c]
        mean = total / N
        # the variance of this feature
        total = 0
        for i in range(N):
            total = total + (x[i, c] - mean) * (x[i, c] - mean)
        variance = total / N
        column = []
        for i in range(N):
            value = (x[i, c] - mean) / torch.sqrt(variance + eps)
            column.append(gamma[c] * value + beta[c])
        columns.append(torch.stack(column))
    return torch.stack(columns, dim=1)

# %% right: a float32 matrix removes the mean
def batch_norm_train(x, gamma, beta, eps):
    N = len(x)
    centred = (torch.eye(N) - 1 / N) @ x
    return gamma * centred / torch.sqrt(centred.square().mean(0) + eps) + beta

# %% right: one factor and one shift for each feature, by einsum
def batch_norm_train(x, gamma, beta, eps):
    n = len(x)
    mean = torch.einsum("nc->c", x) / n
    centred = x - mean
    scale = gamma * torch.rsqrt(torch.einsum("nc,nc->c", centred, centred) / n + eps)
    return torch.addcmul(beta - mean * scale, x, scale)

# %% right: a backward of its own, with eps
class Normed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        centred = x - x.mean(0)
        std = (centred.pow(2).mean(0) + eps).sqrt()
        ctx.save_for_backward(centred / std, std)
        return centred / std

    @staticmethod
    def backward(ctx, g):
        x_hat, std = ctx.saved_tensors
        return (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / std, None


def batch_norm_train(x, gamma, beta, eps):
    return Normed.apply(x, eps) * gamma + beta

# %% right: variance as half the mean squared distance of all pairs
def batch_norm_train(x, gamma, beta, eps):
    pairs = x[:, None, :] - x[None, :, :]  # (N, N, C)
    variance = pairs.square().mean((0, 1)) / 2
    centred = pairs.mean(1)  # x_i - mean
    return gamma * centred / (variance + eps).sqrt() + beta

# %% right: vmap over the features
def batch_norm_train(x, gamma, beta, eps):
    def one_feature(column, g, b):
        d = column - column.mean()
        return g * d / ((d * d).mean() + eps).sqrt() + b

    return torch.vmap(one_feature, in_dims=(1, 0, 0), out_dims=1)(x, gamma, beta)

# %% right: in place on tensors of its own, multiplied by rsqrt
def batch_norm_train(x, gamma, beta, eps):
    centred = x - x.mean(0)
    scale = torch.rsqrt((centred ** 2).sum(0).div_(len(x)).add_(eps)).mul(gamma)
    out = centred * scale
    out += beta
    return out
