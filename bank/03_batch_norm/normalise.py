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
# told: eps is fixed at 1e-5
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
# told: the variance is still a constant
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

# %% wrong: one pass
def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(0)
    variance = (x.square().mean(0) - mean.square()).clamp(min=0)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta

# %% right: a fresh layer in training mode with torch's parameters
def normalise(x, gamma, beta, eps=1e-5):
    probe = nn.BatchNorm1d(x.shape[1], eps=eps, momentum=1.0)
    return torch.func.functional_call(probe, {"weight": gamma, "bias": beta}, x)
