# wrong: subtracts the mean in place
# fails: layer_norm
# told: You changed x in place

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    if x.requires_grad:
        x = x.clone()
    x -= x.mean(-1, keepdim=True)
    var = (x ** 2).mean(-1, keepdim=True)
    return gamma * x / (var + eps).sqrt() + beta
