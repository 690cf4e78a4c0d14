# wrong: forgets gamma
# fails: layer_norm
# told: gamma has no effect

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / (var + eps).sqrt() + beta
