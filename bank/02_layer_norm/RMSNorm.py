"""RMSNorm, 2 points."""

# %% wrong: adds eps to the root
# told: Is your eps inside the square root?
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True).sqrt() + self.eps)

# %% wrong: divides by the length
# told: missing its 1/D
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).sum(-1, keepdim=True) + self.eps).sqrt()

# %% wrong: divides by the standard deviation
# told: which subtracts the mean
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / (x.var(-1, correction=0, keepdim=True) + self.eps).sqrt()

# %% wrong: subtracts the mean
# told: RMSNorm subtracts nothing
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()

# %% wrong: never uses the weight
# told: The weight is not used
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()

# %% wrong: adds a bias
# told: RMSNorm has no bias
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() + self.bias
