# wrong: calls F.layer_norm
# fails: layer_norm
# told: to be written by hand

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)
