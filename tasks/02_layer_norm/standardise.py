"""standardise, 2 points: layer norm without its three bugs."""
task = Task("standardise", by_hand="normalisation")
f = task.function(x="... D")

f.look("a square tensor, with an eps of 5", x=[[1., 2., 6.], [10., 20., 60.], [2., 2., 8.]], eps=5.)
f.look("a row of two small numbers, and the eps that it has unless told", x=[[0.001, 0.005]])
f.look("gradients flow through the mean and the variance", x=[[1., 3.]], eps=0.5, backward=True)

# %% mistakes
axis = "02#the-axis-that-must-not-disappear"; details = "02#what-people-get-wrong"
MEAN, VARIANCE, OUT = "x.mean(-1, keepdim=True)", "x.var(-1, correction=0, keepdim=True)", "(x - mean) / {}"
inside, unbiased = "eps belongs inside the root, added to the variance.", "std and var divide by D - 1 unless told otherwise"
lost = "the mean and the root lost their dimension (keepdim), so torch pairs them with the columns"
dropped = {"mean": "x.mean(-1)", "variance": "x.var(-1, correction=0)"}
mistake("One bug remains: " + inside, returns=OUT.format("(variance.sqrt() + eps)"))
mistake("One bug remains: the variance is divided by D - 1 (as std and var do), or by the number of rows less 1.",
        variance="x.var(-1, keepdim=True)", see=details)
mistake(f"Two bugs remain: {unbiased}, and {inside}", returns=OUT.format("(x.std(-1, keepdim=True) + eps)"))
mistake(f"One bug remains: {lost}.", **dropped)
mistake(f"Two bugs remain: {lost}, and {inside}", **dropped, returns=OUT.format("(variance.sqrt() + eps)"))
mistake(f"Two bugs remain: {lost}, and {unbiased}.", mean="x.mean(-1)", variance="x.var(-1)")
mistake(f"All three bugs are still there: {lost}, and {unbiased}, and {inside}", mean="x.mean(-1)",
        returns=OUT.format("(x.std(-1) + eps)"))
mistake("The mean still lost its dimension: pass keepdim=True to it too.", mean="x.mean(-1)", see=axis)
mistake("The root still lost its dimension: pass keepdim=True to std or var, or to the mean of the squares.",
        variance="x.var(-1, correction=0)", see=axis)
mistake("You divided by variance + eps. Take the root of that sum.", returns=OUT.format("(variance + eps)"))
ignored = ("The eps that you are given has no effect here: let that one be added to every variance, inside the root (if "
           "another function does the work, pass it on).")
mistake(ignored, returns=OUT.format("variance.sqrt()"))
mistake(ignored, returns=OUT.format("(variance + 1e-5).sqrt()"))
mistake("You normalised each column. Layer norm takes the statistics of each row.",
        mean="x.mean(0)", variance="x.var(0, correction=0)")
mistake("You subtracted the sum of the row. The mean is the sum divided by D.", mean="x.sum(-1, keepdim=True)")
mistake("Your mean is that of the columns. Take that of each row.", mean="x.mean(0)")
mistake("Your variance is that of the columns. Take that of each row.", variance="x.var(0, correction=0)")
mistake("You divided by the root of the standard deviation + eps. Take the root once, of the variance + eps.",
        returns=OUT.format("(variance.sqrt() + eps).sqrt()"))
mistake("You multiplied by the standard deviation. Divide by it.", returns="(x - mean) * (variance + eps).sqrt()")
mistake("Your fraction stands upside down: divide x - mean by the root.", returns="(variance + eps).sqrt() / (x - mean)")
mistake("You added the mean. Subtract it.", returns="(x + mean) / (variance + eps).sqrt()")
mistake("You did not subtract the mean from the x that you divide.", returns="x / (variance + eps).sqrt()")
mistake("Your sign is turned round: subtract the mean from x.", returns="(mean - x) / (variance + eps).sqrt()")
mistake("You subtracted the variance. Subtract the mean.", returns="(x - variance) / (variance + eps).sqrt()")
mistake("You squared the variance. Take its root.", returns=OUT.format("(variance + eps).square()"))
mistake("You multiplied the variance by eps. Add them.", returns=OUT.format("(variance * eps).sqrt()"))
mistake("You took the root of the mean. Take that of the variance.", returns=OUT.format("(mean + eps).sqrt()"))
mistake("No gradient can flow: is the result cut off from the graph (detach, data, no_grad, a new tensor of it)?",
        returns="((x - mean) / (variance + eps).sqrt()).detach()")
mistake("This is the gradient for constant statistics: they depend on x, so do not cut them off (detach, data, item or "
        "no_grad).", mean=MEAN + ".detach()", variance=VARIANCE + ".detach()")
mistake("No gradient flows through the variance: is it cut off (detach, data, item or no_grad), or not used?",
        variance=VARIANCE + ".detach()")
mistake("No gradient flows through the mean: is it cut off (detach, data, item or no_grad), or not used?",
        mean=MEAN + ".detach()")

# %% right: transposes
def standardise(x, eps=1e-5):
    x = x.transpose(0, -1)
    mean, var = x.mean(0), x.var(0, unbiased=False)
    return ((x - mean) / torch.sqrt(var + eps)).transpose(0, -1)

# %% right: the features first, by einsum
def standardise(x, eps=1e-5):
    D = x.shape[-1]
    centred = x - torch.einsum("...d->...", x)[..., None] / D
    return centred * torch.rsqrt(torch.einsum("...d,...d->...", centred, centred)[..., None] / D + eps)

# %% right: through double precision
def standardise(x, eps=1e-5):
    wide = x.double()
    centred = wide - wide.mean(-1, keepdim=True)
    return (centred / centred.square().mean(-1, keepdim=True).add(eps).sqrt()).type_as(x)

# %% right: transposed, so that means are taken over dimension 0
def standardise(x, eps=1e-5):
    mean = x.T.mean(0)
    var = x.T.var(0, correction=0)
    return ((x.T - mean) / torch.sqrt(var + eps)).T

# %% right: an autograd function with a backward of its own
class Standardise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        c = x - x.mean(-1, keepdim=True)
        inv = (c.square().mean(-1, keepdim=True) + eps).rsqrt()
        h = c * inv
        ctx.save_for_backward(h, inv)
        return h.clone()

    @staticmethod
    def backward(ctx, g):
        h, inv = ctx.saved_tensors
        back = g - g.mean(-1, keepdim=True) - h * (g * h).mean(-1, keepdim=True)
        return back * inv, None


def standardise(x, eps=1e-5):
    return Standardise.apply(x, eps)

# %% right: ARENA
def standardise(x: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / (var + eps).sqrt()

# %% right: CS231n
def standardise(x, eps=1e-5):
    mu = torch.mean(x, axis=-1, keepdims=True)
    var = torch.var(x, axis=-1, correction=0, keepdims=True)
    return (x - mu) / torch.sqrt(var + eps)

# %% right: makemore
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) * (x.var(-1, keepdim=True, unbiased=False) + eps)**-0.5

# %% right: torch source
def standardise(x, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return x.sub(mean).div(var.add(eps).sqrt())

# %% right: numpy first
import numpy as np


def standardise(x, eps=1e-5):
    mean = x.mean(axis=-1)[..., np.newaxis]
    variance = ((x - mean) ** 2).mean(axis=-1)[..., np.newaxis]
    return (x - mean) / (variance + eps) ** 0.5

# %% right: plain loops
def standardise(x, eps=1e-5):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        mean = row.mean()
        variance = ((row - mean) ** 2).mean()
        rows.append((row - mean) / torch.sqrt(variance + eps))
    return torch.stack(rows).reshape(x.shape)
