# wrong: statistics without keepdim
# fails: layer_norm
# told: lost their last dimension

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    mean, var = x.mean(-1), x.var(-1, correction=0)
    return gamma * (x - mean) / (var + eps).sqrt() + beta
