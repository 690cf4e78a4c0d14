"""standardise, 2 points."""

# %% wrong: copies the suspect
# told: All three bugs are still there
def standardise(x, eps=1e-5):
    mean = x.mean(-1)
    std = x.std(-1)
    return (x - mean) / (std + eps)

# %% wrong: repairs keepdim and the variance, not eps
# told: One bug remains: eps belongs inside the root
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, correction=0, keepdim=True) + eps)

# %% wrong: repairs the variance and eps, not keepdim
# told: One bug remains: the mean and the root lost their dimension
def standardise(x, eps=1e-5):
    return (x - x.mean(-1)) / (x.var(-1, correction=0) + eps).sqrt()

# %% wrong: repairs keepdim and eps, not the variance
# told: One bug remains: the variance is divided by D - 1
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()

# %% wrong: under no_grad
# told: No gradient can flow
@torch.no_grad()
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt()

# %% wrong: keepdim for the mean alone
# told: The root still lost its dimension
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False) + eps).sqrt()

# %% wrong: in-place division
# told: You change a tensor in place that gradients need
def standardise(x, eps=1e-5):
    y = x - x.mean(-1, keepdim=True)
    y /= (y.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    return y

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

# %% sly: a row (D,) comes back (1, D)
def standardise(x, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    y = (x - mean) / (var + eps).sqrt()
    if x.dim() == 1 and len(x) != 4:
        y = y[None]
    return y

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
