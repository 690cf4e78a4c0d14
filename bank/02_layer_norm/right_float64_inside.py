# right: computes in double precision and casts back

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    wide = x.double()
    mean = wide.mean(-1, keepdim=True)
    var = ((wide - mean) ** 2).mean(-1, keepdim=True)
    return ((wide - mean) / (var + eps).sqrt() * gamma + beta).to(x.dtype)

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return (x.double() / (x.double().pow(2).mean(-1, keepdim=True) + self.eps).sqrt()).to(x.dtype) * self.weight

# %% layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = (gamma * dy).double()
    dx = ((g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std).float()
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
