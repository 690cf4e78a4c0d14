# wrong: subtracts the mean
# fails: RMSNorm
# told: RMSNorm subtracts nothing

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()
