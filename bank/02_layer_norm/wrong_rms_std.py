# wrong: divides by the standard deviation
# fails: RMSNorm
# told: which subtracts the mean

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / (x.var(-1, correction=0, keepdim=True) + self.eps).sqrt()
