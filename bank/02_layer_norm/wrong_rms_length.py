# wrong: divides by the length
# fails: RMSNorm
# told: missing its 1/D

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).sum(-1, keepdim=True) + self.eps).sqrt()
