# right: sums divided by D, no call of mean or var

# %% row_stats
def row_stats(x):
    D = x.shape[-1]
    mean = x.sum(-1, keepdim=True) / D
    return mean, ((x - mean) ** 2).sum(-1, keepdim=True) / D

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    D = x.shape[-1]
    centred = x - x.sum(-1, keepdim=True) / D
    std = ((centred * centred).sum(-1, keepdim=True) / D + eps) ** 0.5
    return centred / std * gamma + beta

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return x / ((x * x).sum(-1, keepdim=True) / x.shape[-1] + self.eps) ** 0.5 * self.weight
