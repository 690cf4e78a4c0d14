# wrong: statistics of each column
# fails: layer_norm
# told: that is batch norm

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.var(0, correction=0) + eps).sqrt() + beta
