# wrong: normalises one dim after the other
# fails: normalise_over
# told: one dim after the other

# %% normalise_over
def normalise_over(x, dims, eps=1e-5):
    for dim in dims:
        x = (x - x.mean(dim, keepdim=True)) / (x.var(dim, correction=0, keepdim=True) + eps).sqrt()
    return x


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)
