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
# told: The layer's weight has no effect
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()

# %% wrong: adds a bias
# told: Leave the bias out
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() + self.bias

# %% wrong: over dim 1
# told: You averaged over dim 1
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).mean(1, keepdim=True) + self.eps).sqrt()

# %% wrong: over the whole tensor
# told: You took one root mean square for the whole tensor
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / (x.pow(2).mean() + self.eps).sqrt()

# %% wrong: without eps
# told: The eps given to the layer changes nothing here
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / x.pow(2).mean(-1, keepdim=True).sqrt()

# %% wrong: weight detached
# told: No gradient reaches the weight
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight.detach() * x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()

# %% right: norm over sqrt d
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.e, self.d = nn.Parameter(torch.ones(d_model)), eps, d_model

    def forward(self, x):
        ms = x.norm(dim=-1, keepdim=True) ** 2 / self.d
        return x / (ms + self.e) ** 0.5 * self.weight

# %% sly: two leading dimensions at most: in a fourth dimension it averages over tokens
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        dim = 2 if x.dim() > 2 else x.dim() - 1
        rms = (x.square().mean(dim, keepdim=True) + self.eps).sqrt()
        return self.weight * x / rms

# %% right: each row by a dot product with itself
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        mean_square = torch.einsum("...d,...d->...", x, x).div(x.size(-1)).unsqueeze(-1)
        return torch.einsum("d,...d->...d", self.weight, x * torch.rsqrt(mean_square + self.eps))

# %% right: rows in a loop
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = nn.Parameter(torch.empty(d_model).fill_(1))

    def forward(self, x):
        rows = [row / ((row @ row) / self.d_model + self.eps) ** 0.5 for row in x.reshape(-1, self.d_model)]
        return (self.weight * torch.stack(rows)).reshape(x.shape)

# %% right: variance plus the squared mean is the mean square
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        mean_square = variance + mean * mean
        return self.weight * (x * (mean_square + self.eps).rsqrt())

# %% wrong: the weight is a buffer, which no optimiser moves
# told: The weight is a buffer
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)

# %% wrong: eps is a floor of the mean square and is not added
# told: The eps given to the layer changes nothing here
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        ms = x.pow(2).mean(-1, keepdim=True).clamp(min=self.eps)
        return self.weight * x / ms.sqrt()

# %% sly: weight skipped for one row in evaluation mode
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        mean = x.square().mean(-1, keepdim=True)
        y = self.weight * x / (mean + self.eps).sqrt()
        if not self.training and x.dim() == 1:
            y = x / (mean + self.eps).sqrt()
        return y

# %% sly: eps above 0.1 is 0.1
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(d_model))
        self.eps = min(eps, 0.1) if eps < 1 else eps

    def forward(self, x):
        mean = x.square().mean(-1, keepdim=True)
        y = self.weight * x / (mean + self.eps).sqrt()
        return y

# %% right: in double precision inside, cast to the wider of both
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        wide = x.double()
        y = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight.double()
        return y.to(torch.promote_types(x.dtype, self.weight.dtype))

# %% right: the weight as a diagonal matrix
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        mean_square = x.square().mean(dim=-1, keepdim=True)
        out = (x / torch.sqrt(mean_square + self.eps)) @ torch.diag(self.weight)
        return out
