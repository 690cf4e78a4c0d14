# wrong: leaves gamma out of dx
# fails: layer_norm_backward
# told: gamma is missing

# %% layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    dx = (dy - dy.mean(-1, keepdim=True) - x_hat * (dy * x_hat).mean(-1, keepdim=True)) / std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
