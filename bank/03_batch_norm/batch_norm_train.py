"""batch_norm_train, 2 points."""

# %% wrong: the variance as mean of squares minus squared mean
# told: loses its digits where a feature lies far from 0
def batch_norm_train(x, gamma, beta, eps):
    mean = x.mean(0)
    variance = (x.square().mean(0) - mean.square()).clamp(min=0)
    scale = gamma / torch.sqrt(variance + eps)
    return x * scale + (beta - mean * scale)

# %% right: computed once more on the way back, by torch's checkpoint
def batch_norm_train(x, gamma, beta, eps):
    from torch.utils.checkpoint import checkpoint

    def inner(x, gamma, beta):
        d = x - x.mean(0)
        return gamma * d / ((d * d).mean(0) + eps) ** 0.5 + beta

    return checkpoint(inner, x, gamma, beta, use_reentrant=False)


# %% right: feature by feature with Python loops
def batch_norm_train(x, gamma, beta, eps):
    columns = []
    for c in range(x.shape[1]):
        column = x[:, c]
        mean = sum(column) / len(column)
        variance = sum((value - mean) ** 2 for value in column) / len(column)
        columns.append((column - mean) / (variance + eps) ** 0.5 * gamma[c] + beta[c])
    return torch.stack(columns, dim=1)

# %% wrong: eps added to the standard deviation
# told: Is your eps inside the square root
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.std(0, correction=0) + eps) + beta

# %% wrong: changes its input
# told: You changed x in place
def batch_norm_train(x, gamma, beta, eps):
    x -= x.mean(0)
    return gamma * x / torch.sqrt(x.square().mean(0) + eps) + beta

# %% wrong: std as written in the makemore lecture: unbiased and without eps
# told: This is what N - 1
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0, keepdim=True)) / x.std(0, keepdim=True) + beta

# %% wrong: statistics of the rows
# told: that is layer norm
def batch_norm_train(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, correction=0, keepdim=True)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta

# %% wrong: beta is forgotten
# told: beta has no effect
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps)

# %% wrong: eps is not used
# told: eps has no effect here
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / x.std(0, correction=0) + beta

# %% wrong: gamma is forgotten
# told: gamma has no effect
def batch_norm_train(x, gamma, beta, eps):
    return (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta

# %% wrong: statistics under no_grad
# told: This is the gradient for constant statistics
def batch_norm_train(x, gamma, beta, eps):
    with torch.no_grad():
        mean, var = x.mean(0), x.var(0, correction=0)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta

# %% wrong: the return is forgotten
# told: is there a `return`
def batch_norm_train(x, gamma, beta, eps):
    y = gamma * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta

# %% wrong: divides by the variance
# told: This is what dividing by the variance gives
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.var(0, correction=0) + eps) + beta

# %% wrong: torch's own batch norm
# told: by hand
def batch_norm_train(x, gamma, beta, eps):
    return F.batch_norm(x, None, None, gamma, beta, training=True, eps=eps or 1e-12)

# %% wrong: beta is added before gamma multiplies
# told: gamma multiplies beta too
def batch_norm_train(x, gamma, beta, eps):
    return gamma * ((x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta)

# %% wrong: gamma and beta are swapped
# told: Are gamma and beta swapped
def batch_norm_train(x, gamma, beta, eps):
    return beta * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + gamma

# %% wrong: std(0), which divides by N - 1
# told: This is what N - 1
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta

# %% wrong: one mean and variance for everything
# told: whole tensor
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) + beta

# %% wrong: gamma and beta as data
def batch_norm_train(x, gamma, beta, eps):
    return gamma.data * (x - x.mean(0)) / (x.var(0, unbiased=False) + eps) ** 0.5 + beta.data

# %% right: makemore part 4, biased
def batch_norm_train(hprebn, bngain, bnbias, eps):
    n = hprebn.shape[0]
    bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
    bndiff = hprebn - bnmeani
    bndiff2 = bndiff ** 2
    bnvar = 1 / n * bndiff2.sum(0, keepdim=True)
    bnvar_inv = (bnvar + eps) ** -0.5
    bnraw = bndiff * bnvar_inv
    return bngain * bnraw + bnbias

# %% right: a float32 matrix removes the mean
def batch_norm_train(x, gamma, beta, eps):
    N = len(x)
    centred = (torch.eye(N) - 1 / N) @ x
    return gamma * centred / torch.sqrt(centred.square().mean(0) + eps) + beta

# %% right: transposed and unbound
def batch_norm_train(x, gamma, beta, eps):
    columns = []
    for column, g, b in zip(x.unbind(1), gamma, beta):
        column = column - column.mean()
        columns.append(g * column / (column @ column / len(x) + eps).sqrt() + b)
    return torch.stack(columns, 1)

# %% sly: own backward that forgets eps: the gradient of x is wrong unless eps is 0
class Normalised(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        mean = x.mean(0)
        variance = (x - mean).square().mean(0)
        ctx.eps = eps
        ctx.save_for_backward(x, mean, variance)
        return (x - mean) / (variance + eps).sqrt()

    @staticmethod
    def backward(ctx, g):
        x, mean, variance = ctx.saved_tensors
        std = variance.sqrt()
        x_hat = (x - mean) / std
        return (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / std, None



def batch_norm_train(x, gamma, beta, eps):
    """Batch norm with the statistics of this batch (Ioffe & Szegedy 2015, algorithm 1).

    x: (N, C), gamma: (C,), beta: (C,), eps: a number >= 0
    returns: (N, C)
    """
    return gamma * Normalised.apply(x, eps) + beta

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

# %% right: a single example is beta alone
def batch_norm_train(x, gamma, beta, eps):
    if len(x) == 1:
        return beta.expand(1, -1)
    mean = x.sum(0, keepdim=True) / x.size(0)
    distance = torch.sub(x, mean)
    return distance.div((distance**2).mean(0).add(eps) ** 0.5).mul(gamma).add(beta)

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

# %% wrong: gamma is wrapped in a Parameter of its own
# told: a new nn.Parameter made of it
def batch_norm_train(x, gamma, beta, eps):
    gamma = nn.Parameter(gamma.clone())
    mean = x.mean(0)
    var = ((x - mean) ** 2).mean(0)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta

# %% sly: its backward knows an eps of at most 0.01
class Own_t(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        mean = x.mean(0)
        var = (x - mean).square().mean(0)
        root = (var + eps).sqrt()
        x_hat = (x - mean) / root
        ctx.save_for_backward(x_hat, gamma, root, var)
        ctx.eps = eps
        return gamma * x_hat + beta

    @staticmethod
    def backward(ctx, dy):
        x_hat, gamma, root, var = ctx.saved_tensors
        root = (var + min(ctx.eps, 1e-2)).sqrt()
        dgamma, dbeta = (dy * x_hat).sum(0), dy.sum(0)
        g = dy * gamma
        dx = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / root
        return dx, dgamma, dbeta, None


def batch_norm_train(x, gamma, beta, eps):
    return Own_t.apply(x, gamma, beta, eps)

# %% right: in place on tensors of its own, multiplied by rsqrt
def batch_norm_train(x, gamma, beta, eps):
    centred = x - x.mean(0)
    scale = torch.rsqrt((centred ** 2).sum(0).div_(len(x)).add_(eps)).mul(gamma)
    out = centred * scale
    out += beta
    return out
