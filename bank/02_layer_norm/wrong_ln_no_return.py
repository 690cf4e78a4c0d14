# wrong: computes and does not return
# fails: layer_norm
# told: is there a `return`?

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    y = gamma * (x - mean) / (var + eps).sqrt() + beta
