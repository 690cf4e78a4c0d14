# wrong: adds a bias
# fails: RMSNorm
# told: RMSNorm has no bias

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() + self.bias
