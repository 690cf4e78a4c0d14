# right: the mean removed by a matrix, the length by vector_norm

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    D = x.shape[-1]
    centred = x @ (torch.eye(D) - torch.full((D, D), 1 / D))
    mean_square = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) ** 2 / D
    return centred / torch.sqrt(mean_square + eps) * gamma + beta

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / torch.sqrt(torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2 / x.shape[-1] + self.eps)
