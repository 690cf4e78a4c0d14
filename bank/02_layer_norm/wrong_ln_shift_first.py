# wrong: adds beta before multiplying by gamma
# fails: layer_norm
# told: Scale first, then shift

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * ((x - mean) / (var + eps).sqrt() + beta)
