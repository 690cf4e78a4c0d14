"""normalise, 2 points: batch norm without its bug."""
task = Task("normalise")
f = task.function(x="N D", gamma="D", beta="D", skip=["drawn numbers", "other drawn numbers", "gradients of a batch of rows"])
f.look("the output, with an eps of 2 / 3", x=[[1.], [2.], [6.]], gamma=[2.], beta=[5.], eps=2 / 3)
f.look("gradients flow through the mean and the variance, and reach gamma and beta", x=[[1.], [3.], [8.]], gamma=[2.], beta=[5.], backward=True)
f.look("small numbers, and the eps that there is without one", x=[[0.001], [0.002], [0.006]], gamma=[2.], beta=[5.])
f.case("a batch of eight", lambda: (2 * sample(8, 5, seed=161) + 1, sample(5, seed=162), sample(5, seed=163)), backward=True)


@task.probe("fewer examples than features, and an eps of 0.5, with all gradients", drawn=True, tolerance=1e-3)
def _(normalise):
    given = [sample(3, 5, seed=164).requires_grad_(), sample(5, seed=165).requires_grad_(), sample(5, seed=166).requires_grad_()]
    out = normalise(*given, eps=0.5)
    (sample(3, 5, seed=168) * out).sum().backward()
    return {"result": out, **{f"gradient of {name}": one.grad for name, one in zip(("x", "gamma", "beta"), given)}}


# %% mistakes
HAND = "gamma * (x - x.mean(0)) / (x.var(0, correction=0) + eps).sqrt() + beta"
mistake("This is what the unbiased variance gives. The buggy version had that right: it turned the unbiased variance into the biased one.",
        returns=HAND.replace(", correction=0", ""))
ignored = "eps has no effect here: is it fixed, left out, or only a floor? Add the argument to every variance, inside the root."
mistake(ignored, {", eps=eps": ""})
mistake(ignored, returns="gamma * (x - x.mean(0)) / x.std(0, correction=0) + beta")
mistake(ignored, returns=HAND.replace("+ eps)", ").clamp(min=eps)"))
mistake("gamma has no effect.", {"gamma, beta, training": "None, beta, training"})
mistake("gamma has no effect.", returns="F.batch_norm(x, None, None, training=True, eps=eps) + beta")
mistake("beta has no effect.", returns="F.batch_norm(x, None, None, gamma, training=True, eps=eps)")
mistake("gamma and beta have no effect.", returns="F.batch_norm(x, None, None, training=True, eps=eps)")
mistake("Is your eps inside the square root?", returns="gamma * (x - x.mean(0)) / (x.std(0, correction=0) + eps) + beta")
mistake("gamma and beta are swapped.", returns="F.batch_norm(x, None, None, beta, gamma, training=True, eps=eps)")
mistake("is there a `return`? Your function gives None.", returns="None")
mistake("Without an eps it is 1e-5.", {"eps=1e-5": "eps=1e-6"})
CUT = "gamma * (x - {}) / ({} + eps).sqrt() + beta"
MEAN, VAR = "x.mean(0)", "x.var(0, correction=0)"
mistake("The bug is still there: autograd takes the mean and the variance for constants.", returns=CUT.format(MEAN + ".detach()", VAR + ".detach()"))
mistake("No gradient reaches x: the whole step from x to the normalised x is cut off, or takes the mean and the variance for constants.",
        returns="F.batch_norm(x.detach(), None, None, gamma, beta, training=True, eps=eps)")
mistake("Half repaired: the gradient has its part through the mean, but not the one through the variance: is that still a constant, or left out of a "
        "backward of your own?", returns=CUT.format(MEAN, VAR + ".detach()"))
mistake("Half repaired: the variance is in the graph, the mean is still a constant, or left out of a backward of your own.",
        returns=CUT.format(MEAN + ".detach()", VAR))
mistake("Half repaired: the variance is in the graph, the mean is still a constant, or left out of a backward of your own.",
        returns=CUT.format("(m := x.mean(0).detach())", "(x - m).square().mean(0)"))
lost = ("No gradient reaches {0}: {1} cut off (detach, data, item, no_grad, load_state_dict or a new nn.Parameter made of {2}), not used, or does "
        "your backward return None for {2}?")
mistake(lost.format("gamma and beta", "are they", "them"), returns="F.batch_norm(x, None, None, gamma.detach(), beta.detach(), training=True, eps=eps)")
mistake(lost.format("gamma", "is it", "it"), returns="F.batch_norm(x, None, None, gamma.detach(), beta, training=True, eps=eps)")
mistake(lost.format("beta", "is it", "it"), returns="F.batch_norm(x, None, None, gamma, beta.detach(), training=True, eps=eps)")
mistake("No gradient reaches anything that it is given: is it cut off (detach, data, item, no_grad)?",
        returns="F.batch_norm(x, None, None, gamma, beta, training=True, eps=eps).detach()")

# %% right: ARENA
from torch import Tensor


def normalise(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    assert x.ndim == 2
    mean = x.mean(0)
    variance = x.var(0, unbiased=False)
    x_hat = (x - mean) * torch.rsqrt(variance + eps)
    return torch.einsum("nc,c->nc", x_hat, gamma) + beta

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


def normalise(x, gamma, beta, eps=1e-5):
    out, cache = batchnorm_forward(x, gamma, beta, eps)
    return out

# %% right: makemore
def normalise(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(0, keepdim=True)) / torch.sqrt(x.var(0, keepdim=True, unbiased=False) + eps) + beta

# %% right: torch source
def normalise(x, gamma, beta, eps=1e-5):
    return F.batch_norm(
        x, running_mean=None, running_var=None, weight=gamma, bias=beta, training=True, eps=eps
    )

# %% right: numpy first
def normalise(x, gamma, beta, eps=1e-5):
    mean = torch.mean(x, axis=0)
    variance = torch.mean(torch.square(x - mean), axis=0)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta

# %% right: plain loops
def normalise(x, gamma, beta, eps=1e-5):
    out = []
    for c in range(x.shape[1]):
        column = x[:, c]
        mean = column.mean()
        variance = ((column - mean) ** 2).mean()
        out.append(gamma[c] * (column - mean) / (variance + eps) ** 0.5 + beta[c])
    return torch.stack(out, dim=1)

# %% right: the repaired function uses a fresh layer in training mode
def normalise(x, gamma, beta, eps=1e-5):
    probe = nn.BatchNorm1d(x.shape[1], eps=eps, affine=False, track_running_stats=False)
    return gamma * probe(x) + beta

# %% right: layer norm of the transpose
def normalise(x, gamma, beta, eps=1e-5):
    return F.layer_norm(x.T, (len(x),), eps=eps).T * gamma + beta

# %% right: one pass
def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(0)
    variance = (x.square().mean(0) - mean.square()).clamp(min=0)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta

# %% right: instance norm of the one turned example
def normalise(x, gamma, beta, eps=1e-5):
    return F.instance_norm(x.T[None], eps=eps)[0].T * gamma + beta

# %% right: functional_call with the given gamma and beta
def normalise(x, gamma, beta, eps=1e-5):
    layer = nn.BatchNorm1d(x.shape[1], eps=eps, track_running_stats=False)
    return torch.func.functional_call(layer, {"weight": gamma, "bias": beta}, (x,))

# %% right: the variance in double precision, a fold into one factor
def normalise(x, gamma, beta, eps=1e-5):
    z = x.double()
    z = z - z.mean(dim=0, keepdim=True)
    z = z / z.pow(2).mean(dim=0, keepdim=True).add(eps).sqrt()
    return torch.addcmul(beta.double(), z, gamma.double()).to(x.dtype)
