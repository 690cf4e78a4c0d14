# wrong: does not divide by the standard deviation
# fails: layer_norm_backward
# told: division by the standard deviation is missing

# %% layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
