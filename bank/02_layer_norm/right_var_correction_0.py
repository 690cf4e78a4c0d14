# right: torch's var with correction=0

# %% row_stats
def row_stats(x):
    return x.mean(-1, True), x.var(-1, correction=0, keepdim=True)

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() * gamma + beta
