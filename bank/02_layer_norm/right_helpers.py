# right: a helper defined in the first cell serves the later ones

# %% row_stats
def moments(x, dims=(-1,)):
    mean = x.mean(dims, keepdim=True)
    return mean, (x - mean).pow(2).mean(dims, keepdim=True)


def row_stats(x):
    return moments(x)

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean, var = row_stats(x)
    return gamma * ((x - mean) / (var + eps).sqrt()) + beta

# %% normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = moments(x, dims)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% standardise
def standardise(x, eps=1e-5):
    return normalise_over(x, (-1,), eps)
