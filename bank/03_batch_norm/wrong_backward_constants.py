# wrong: statistics as constants
# fails: batch_norm_backward
# told: as constants

# %% batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = g / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)
