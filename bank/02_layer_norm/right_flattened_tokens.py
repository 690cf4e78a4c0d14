# right: examples and tokens flattened into one dimension

# %% batch_norm_tokens
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    return norm(block.reshape(N * T, D)).reshape(N, T, D)

# %% normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    pieces = x.split(D // groups, dim=-1)
    return torch.cat([normalise_over(piece, (2,)) for piece in pieces], dim=-1)
