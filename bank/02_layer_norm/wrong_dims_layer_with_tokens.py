# wrong: layer norm over tokens and features
# fails: normalise_over
# told: These dims mix the tokens

# %% normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (1, 2), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)
