# wrong: one habit, two tasks: the unbiased variance everywhere it is written by hand
# fails: row_stats, layer_norm
# told: You divided by D - 1

# %% row_stats
def row_stats(x):
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean, var = row_stats(x)
    return gamma * (x - mean) / (var + eps).sqrt() + beta
