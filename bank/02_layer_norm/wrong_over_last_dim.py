# wrong: ignores dims
# fails: normalise_over
# told: You used the last dim only

# %% normalise_over
def normalise_over(x, dims, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)
