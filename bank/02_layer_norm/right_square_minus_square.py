# right: variance as the mean of squares minus the square of the mean

# %% row_stats
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    return mean, (x ** 2).mean(-1, keepdim=True) - mean ** 2

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = (x ** 2).mean(-1, keepdim=True) - mean ** 2
    return gamma * (x - mean) / (var + eps) ** 0.5 + beta
