# wrong: treats the statistics as constants
# fails: layer_norm_backward
# told: as constants

# %% layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    dx = gamma * dy / std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
