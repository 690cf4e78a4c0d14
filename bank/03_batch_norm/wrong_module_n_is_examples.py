# wrong: n counts examples, not values
# fails: BatchNorm1d_inputs
# told: n is the number of values per channel

# %% BatchNorm1d
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = len(x)
            if n * (x.shape[-1] if x.dim() == 3 else 1) == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)
