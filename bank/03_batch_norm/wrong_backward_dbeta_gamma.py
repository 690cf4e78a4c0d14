# wrong: dbeta times gamma
# fails: batch_norm_backward
# told: beta is added after gamma

# %% batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), (gamma * dy).sum(dim=0)
