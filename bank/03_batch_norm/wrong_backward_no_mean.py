# wrong: no path through the mean
# fails: batch_norm_backward
# told: through the mean is missing

# %% batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)
