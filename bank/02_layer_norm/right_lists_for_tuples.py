# right: returns lists where tuples are asked for, dims as lists and negative

# %% row_stats
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return [mean, var]

# %% normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": [-1], "batch": [0, 1], "instance": [-2]}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    return [dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)]
