# wrong: leaves eps out
# fails: layer_norm
# told: does not depend on eps

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / var.sqrt() + beta
