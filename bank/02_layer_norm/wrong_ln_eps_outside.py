# wrong: adds eps to the standard deviation
# fails: layer_norm
# told: Is your eps inside the square root?

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (var.sqrt() + eps) + beta
