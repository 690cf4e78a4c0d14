"""normalise, 2 points."""

# %% right: the repaired function uses a fresh layer in training mode
def normalise(x, gamma, beta, eps=1e-5):
    probe = nn.BatchNorm1d(x.shape[1], eps=eps, affine=False, track_running_stats=False)
    return gamma * probe(x) + beta

# %% right: the repaired function keeps the probe and recomputes the statistics in the graph
def normalise(x, gamma, beta, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=0, correction=0)
    return torch.addcmul(beta, (x - mean) * torch.rsqrt(variance + eps), gamma)

# %% wrong: eps is not passed on
# told: eps has no effect here
def normalise(x, gamma, beta, eps=1e-5):
    return F.batch_norm(x, None, None, gamma, beta, training=True)

# %% wrong: the function as it was
# told: The bug is still there
def normalise(x, gamma, beta, eps=1e-5):
    n = len(x)
    probe = nn.BatchNorm1d(x.shape[1], momentum=1.0)
    probe(x)
    mean, variance = probe.running_mean, probe.running_var * (n - 1) / n
    return F.batch_norm(x, mean, variance, gamma, beta, training=False, eps=eps)

# %% wrong: the variance is still a constant
# told: not the one through the variance
def normalise(x, gamma, beta, eps=1e-5):
    with torch.no_grad():
        variance = x.var(0, correction=0)
    return gamma * (x - x.mean(0)) / torch.sqrt(variance + eps) + beta

# %% wrong: statistics put into F.batch_norm, which ignores their gradient
# told: The bug is still there
def normalise(x, gamma, beta, eps=1e-5):
    mean, variance = x.mean(0), x.var(0, correction=0)
    return F.batch_norm(x, mean.data, variance.data, gamma, beta, training=False, eps=eps)

# %% wrong: a new mistake: unbiased variance
# told: The buggy version had that right
def normalise(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta

# %% wrong: the mean is still a constant
# told: the mean is still a constant
def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(0).detach()
    variance = (x - mean).square().mean(0)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta

# %% wrong: gamma detached
# told: No gradient reaches gamma
def normalise(x, gamma, beta, eps=1e-5):
    return F.batch_norm(x, None, None, gamma.detach(), beta, True, eps=eps)

# %% wrong: copies gamma into a fresh layer
# told: No gradient reaches gamma and beta
def normalise(x, gamma, beta, eps=1e-5):
    layer = nn.BatchNorm1d(x.shape[1], eps=eps)
    layer.weight.data, layer.bias.data = gamma.data, beta.data
    return layer(x)

# %% right: layer norm of the transpose
def normalise(x, gamma, beta, eps=1e-5):
    return F.layer_norm(x.T, (len(x),), eps=eps).T * gamma + beta

# %% right: one pass
def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(0)
    variance = (x.square().mean(0) - mean.square()).clamp(min=0)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta

# %% right: a fresh layer in training mode with torch's parameters
def normalise(x, gamma, beta, eps=1e-5):
    probe = nn.BatchNorm1d(x.shape[1], eps=eps, momentum=1.0)
    return torch.func.functional_call(probe, {"weight": gamma, "bias": beta}, x)

# %% sly: the default of eps is 1e-6
def normalise(x, gamma, beta, eps=1e-6):
    """Batch norm in training mode. x: (N, C), gamma: (C,), beta: (C,) -> (N, C)."""
    mean = x.mean(0)
    variance = (x - mean).square().mean(0)
    return gamma * (x - mean) / (variance + eps).sqrt() + beta

# %% sly: own backward that forgets eps
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
        x_hat = (x - mean) / variance.sqrt()
        return (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / variance.sqrt(), None



def normalise(x, gamma, beta, eps=1e-5):
    """Batch norm in training mode. x: (N, C), gamma: (C,), beta: (C,) -> (N, C)."""
    return gamma * Normalised.apply(x, eps) + beta

# %% right: double input comes back in single precision
def normalise(x, gamma, beta, eps=1e-5):
    """Batch norm in training mode. x: (N, C), gamma: (C,), beta: (C,) -> (N, C)."""
    return F.batch_norm(
        x.float(), None, None, gamma.float(), beta.float(), training=True, eps=eps
    )

# %% right: instance norm of the one turned example
def normalise(x, gamma, beta, eps=1e-5):
    return F.instance_norm(x.T[None], eps=eps)[0].T * gamma + beta

# %% right: by hand, one factor and one shift for each feature
def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(0)
    factor = gamma / ((x - mean).square().mean(0) + eps).sqrt()
    return x * factor + (beta - factor * mean)

# %% right: functional_call with the given gamma and beta
def normalise(x, gamma, beta, eps=1e-5):
    layer = nn.BatchNorm1d(x.shape[1], eps=eps, track_running_stats=False)
    return torch.func.functional_call(layer, {"weight": gamma, "bias": beta}, (x,))

# %% wrong: hook that makes the gradients sum to zero: cures the bias, not the variance
# told: not the one through the variance
def normalise(x, gamma, beta, eps=1e-5):
    n = len(x)
    with torch.no_grad():
        mean, variance = x.mean(0), x.var(0, correction=0)
    out = x * 1
    if out.requires_grad:
        out.register_hook(lambda gradient: gradient - gradient.mean(0))
    return gamma * (out - mean) / (variance + eps).sqrt() + beta

# %% wrong: a backward of its own gives gamma and beta None
# told: or does your backward return None for them
def normalise(x, gamma, beta, eps=1e-5):
    class Normalise(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, gamma, beta):
            root = torch.sqrt(x.var(0, correction=0) + eps)
            x_hat = (x - x.mean(0)) / root
            ctx.save_for_backward(x_hat, root, gamma)
            return gamma * x_hat + beta

        @staticmethod
        def backward(ctx, dy):
            x_hat, root, gamma = ctx.saved_tensors
            g = gamma * dy
            return (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / root, None, None

    return Normalise.apply(x, gamma, beta)

# %% sly: its backward takes eps for 1e-5
class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        var, mean = torch.var_mean(x, 0, correction=0)
        x_hat = (x - mean) / (var + eps).sqrt()
        ctx.save_for_backward(x - mean, gamma, var)
        return gamma * x_hat + beta

    @staticmethod
    def backward(ctx, dy):
        d, gamma, var = ctx.saved_tensors
        root = (var + 1e-5).sqrt()
        x_hat = d / root
        g = gamma * dy
        dx = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / root
        return dx, (dy * x_hat).sum(0), dy.sum(0), None


def normalise(x, gamma, beta, eps=1e-5):
    return Normalise.apply(x, gamma, beta, eps)

# %% sly: its backward knows an eps of at most 0.01
class Own_n(torch.autograd.Function):
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


def normalise(x, gamma, beta, eps=1e-5):
    return Own_n.apply(x, gamma, beta, eps)

# %% right: a backward of its own, which changes nothing that it is given
class Own_n(torch.autograd.Function):
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
        dgamma, dbeta = (dy * x_hat).sum(0), dy.sum(0)
        g = dy * gamma
        dx = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / root
        return dx, dgamma, dbeta, None


def normalise(x, gamma, beta, eps=1e-5):
    return Own_n.apply(x, gamma, beta, eps)

# %% right: the variance in double precision, a fold into one factor
def normalise(x, gamma, beta, eps=1e-5):
    z = x.double()
    z = z - z.mean(dim=0, keepdim=True)
    z = z / z.pow(2).mean(dim=0, keepdim=True).add(eps).sqrt()
    return torch.addcmul(beta.double(), z, gamma.double()).to(x.dtype)

# %% sly: what backward needs is kept in the class, a second call overwrites it
class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        _Norm.root = (x.var(0, correction=0) + eps).sqrt()
        _Norm.x_hat = (x - x.mean(0)) / _Norm.root
        _Norm.gamma = gamma
        return gamma * _Norm.x_hat + beta

    @staticmethod
    def backward(ctx, dy):
        x_hat, g = _Norm.x_hat, dy * _Norm.gamma
        dx = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / _Norm.root
        return dx, (dy * x_hat).sum(0), dy.sum(0), None


def normalise(x, gamma, beta, eps=1e-5):
    return _Norm.apply(x, gamma, beta, eps)


# %% sly: fewer examples than features: the bug is still there
def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(0)
    variance = (x - mean).square().mean(0)
    if len(x) < x.shape[1]:
        mean, variance = mean.detach(), variance.detach()
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta
