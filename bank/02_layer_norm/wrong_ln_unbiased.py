# wrong: torch's default variance
# fails: layer_norm
# told: You divided by D - 1

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    return gamma * (x - mean) / (x.var(-1, keepdim=True) + eps).sqrt() + beta
