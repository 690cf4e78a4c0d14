# wrong: strided groups
# fails: normalise_over
# told: Your groups are interleaved

# %% normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, D // groups, groups), (-2,)).view(N, T, D)
