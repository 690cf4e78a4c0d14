# wrong: divides by the variance
# fails: layer_norm
# told: Divide by its square root

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (var + eps) + beta
