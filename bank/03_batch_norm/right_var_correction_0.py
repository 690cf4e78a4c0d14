# right: var with correction=0, also inside the module

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return (x - x.mean(0)) / (x.var(0, correction=0) + eps).sqrt() * gamma + beta

# %% BatchNorm1d
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x):
        dims = [d for d in range(x.ndim) if d != 1]
        if self.training:
            if x[:, 0].numel() < 2:
                raise ValueError("one value per channel")
            mean = x.mean(dims, keepdim=True)
            var = x.var(dims, correction=0, keepdim=True)
            self.num_batches_tracked.add_(1)
            m = self.momentum if self.momentum is not None else 1.0 / float(self.num_batches_tracked)
            self.running_mean.mul_(1 - m).add_(m * mean.detach().flatten())
            self.running_var.mul_(1 - m).add_(m * x.detach().var(dims))
        else:
            shape = [1, -1] + [1] * (x.ndim - 2)
            mean, var = self.running_mean.view(shape), self.running_var.view(shape)
        w = self.weight.view([1, -1] + [1] * (x.ndim - 2))
        b = self.bias.view([1, -1] + [1] * (x.ndim - 2))
        return (x - mean) / torch.sqrt(var + self.eps) * w + b
