"""BatchNorm1d, 3 points."""

# %% right: an error of its own kind, a ValueError too
class TooFewValues(ValueError):
    pass


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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise TooFewValues("one value per channel")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = (
                    1 / self.num_batches_tracked.item()
                    if self.momentum is None
                    else self.momentum
                )
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_(
                    (1 - m) * self.running_var + m * variance * n / (n - 1)
                )
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)


# %% right: the channels moved to the end and all else flattened
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight, self.bias = nn.Parameter(torch.ones(num_features)), nn.Parameter(torch.zeros(num_features))
        for name, value in (("running_mean", torch.zeros(num_features)), ("running_var", torch.ones(num_features)),
                            ("num_batches_tracked", torch.zeros((), dtype=torch.int64))):
            self.register_buffer(name, value)

    def forward(self, x):
        rows = x.movedim(1, -1)
        flat = rows.reshape(-1, rows.shape[-1])
        if not self.training:
            out = (flat - self.running_mean) * torch.rsqrt(self.running_var + self.eps)
        else:
            n = flat.shape[0]
            if n <= 1:
                raise ValueError(f"Expected more than 1 value per channel when training, got {tuple(x.shape)}")
            mean = flat.sum(0) / n
            squares = ((flat - mean) ** 2).sum(0)
            out = (flat - mean) * torch.rsqrt(squares / n + self.eps)
            self._record(mean.detach(), squares.detach() / (n - 1))
        return (out * self.weight + self.bias).reshape(rows.shape).movedim(-1, 1)

    def _record(self, mean, variance):
        self.num_batches_tracked += 1
        m = self.momentum
        if m is None:
            m = 1 / int(self.num_batches_tracked)
        self.running_mean = self.running_mean + m * (mean - self.running_mean)
        self.running_var = torch.lerp(self.running_var, variance, m)

# %% right: two dimensions become three, one code path; the buffers are bound anew
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.C, self.eps, self.momentum = num_features, eps, momentum
        self.register_parameter("weight", nn.Parameter(torch.full((num_features,), 1.0)))
        self.register_parameter("bias", nn.Parameter(torch.full((num_features,), 0.0)))
        self.register_buffer("running_mean", torch.full((num_features,), 0.0))
        self.register_buffer("running_var", torch.full((num_features,), 1.0))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        was_flat = x.dim() == 2
        x3 = x.unsqueeze(-1) if was_flat else x
        mean, var = self.running_mean, self.running_var
        if self.training:
            n = x3.size(0) * x3.size(2)
            if n == 1:
                raise ValueError("batch norm needs two values or more in each channel to train")
            mean = x3.mean((0, 2))
            var = x3.var((0, 2), unbiased=False)
            self.num_batches_tracked = self.num_batches_tracked + 1
            m = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
            self.running_mean = ((1 - m) * self.running_mean + m * mean).detach()
            self.running_var = ((1 - m) * self.running_var + m * var * n / (n - 1)).detach()
        y = (x3 - mean[None, :, None]) / (var[None, :, None] + self.eps) ** 0.5
        y = y * self.weight[None, :, None] + self.bias[None, :, None]
        return y.squeeze(-1) if was_flat else y

# %% wrong: accepts one value per channel in three dimensions
# fails: BatchNorm1d_inputs
# told: is one value per channel too
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
            n = x.numel() // x.shape[1]
            if n == 1 and x.dim() == 2:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / max(n - 1, 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: accepts one value per channel
# fails: BatchNorm1d_inputs_test
# told: Nothing was raised
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
            n = x.numel() // x.shape[1]
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / max(n - 1, 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: running_var from the biased variance
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: running_var takes the unbiased variance
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance)
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: divides by running_var in eval mode
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: You divided by running_var
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, (self.running_var + self.eps) ** 2 - self.eps
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: eval mode uses the batch
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: eval mode must not look at the batch
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: eps fixed at 1e-5
# fails: BatchNorm1d_test
# told: The argument eps has no effect
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
            n = x.numel() // x.shape[1]
            if n == 1:
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
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + 1e-5)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: parameters named gamma and beta
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: torch's names are weight and bias
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.gamma = nn.Parameter(torch.ones(num_features))
        self.beta = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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
        return self.gamma.view(shape) * x_hat + self.beta.view(shape)

# %% wrong: running statistics hang on the graph
# fails: BatchNorm1d_test
# told: hang on to the graph
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            if True:
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean = (1 - m) * self.running_mean + m * mean
                self.running_var = (1 - m) * self.running_var + m * variance * n / (n - 1)
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: inherits from torch's layer
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: You inherited from torch's ready-made batch norm
class BatchNorm1d(nn.BatchNorm1d):
    pass

# %% wrong: momentum as in an optimiser
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: Is your momentum the wrong way round
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_(m * self.running_mean + (1 - m) * mean)
                self.running_var.copy_(m * self.running_var + (1 - m) * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: both well-known mistakes at once
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: wrong way round (it is the share
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_(m * self.running_mean + (1 - m) * mean)
                self.running_var.copy_(m * self.running_var + (1 - m) * variance)
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: n counts examples, not values
# fails: BatchNorm1d_inputs
# told: n is the number of values per channel
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

# %% wrong: without num_batches_tracked
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: num_batches_tracked is missing
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.seen = 0

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.seen += 1
                m = 1 / self.seen if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: statistics of the batch under no_grad
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: This is the gradient for constant statistics
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            with torch.no_grad():
                mean = x.mean(dims)
                variance = (x - mean.view(shape)).square().mean(dims)
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: momentum None counts the starting values as a batch
# fails: BatchNorm1d_inputs
# told: The first batch did not get m = 1
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / (self.num_batches_tracked.item() + 1) if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: momentum None is not thought of
# fails: BatchNorm1d_inputs
# told: it can be None, which is no number
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: momentum None treated as 0.1
# fails: BatchNorm1d_inputs
# told: momentum=None is treated as 0.1
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 0.1 if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: momentum None keeps the last batch
# fails: BatchNorm1d_inputs
# told: Only the last of the two batches is left
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1.0 if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: the counter is not counted up; the average uses another one
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: num_batches_tracked is 0 after a batch
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.seen = getattr(self, "seen", 0) + 1
                m = 1 / self.seen if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: weight and bias as buffers
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: not buffers
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.register_buffer("weight", torch.ones(num_features))
        self.register_buffer("bias", torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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

# %% wrong: running statistics as plain attributes
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: register them as buffers
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.running_mean = torch.zeros(num_features)
        self.running_var = torch.ones(num_features)
        self.num_batches_tracked = torch.tensor(0)

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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

# %% wrong: averages over the examples alone
# fails: BatchNorm1d_inputs
# told: did you average over the examples alone
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
        if x.dim() == 3 and self.training:
            flat_mean, flat_var = x.mean(0), x.var(0, correction=0)
            out = (x - flat_mean) / torch.sqrt(flat_var + self.eps)
            return self.weight[:, None] * out + self.bias[:, None]
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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

# %% wrong: refuses one value per channel in eval mode too
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: raise only where self.training is True
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
        n = x.numel() // x.shape[1]
        if n == 1:
            raise ValueError("one value per channel")
        if self.training:
            if n == 1:
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

# %% wrong: refuses every single example in training
# fails: BatchNorm1d_inputs
# told: count values (N times L)
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
            n = x.numel() // x.shape[1]
            if len(x) == 1:
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

# %% wrong: normalises with the updated running statistics in training
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: what the updated running statistics give
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        if True:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: running statistics as parameters that learn
# fails: BatchNorm1d_test
# told: make them buffers, not parameters
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.running_mean = nn.Parameter(torch.zeros(num_features))
        self.running_var = nn.Parameter(torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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

# %% wrong: running_var holds standard deviations
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: you gave it the standard deviation
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * (variance * n / (n - 1)).sqrt())
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: knows two dimensions only
# fails: BatchNorm1d_inputs
# told: Do the shapes pair up
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
        dims = (0,)
        shape = (1, -1)
        if self.training:
            n = x.shape[0] * (x.shape[2] if x.dim() == 3 else 1)
            if n == 1:
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

# %% wrong: normalises with the unbiased variance
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: You normalised with the unbiased variance
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = x.var(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance)
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: running statistics move in eval mode
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: move in eval mode
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean.clone(), self.running_var.clone()
            if len(x) > 1:
                self.num_batches_tracked += 1
                self.running_mean.mul_(0.9).add_(0.1 * x.mean(0))
                self.running_var.mul_(0.9).add_(0.1 * x.var(0))
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: running_var starts at 0
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: it starts at 1
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.zeros(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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

# %% wrong: the variance is detached
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: No gradient flows through the variance
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(f"Batch norm needs more than one value per channel in training, got shape {tuple(x.shape)}.")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims).detach()
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: weight lined up with the positions
# fails: BatchNorm1d_inputs
# told: Do the shapes pair up
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
            n = x.numel() // x.shape[1]
            if n == 1:
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
        return self.weight * x_hat + self.bias

# %% wrong: weight lined up with the positions where the sizes allow it
# fails: BatchNorm1d_inputs
# told: weight was lined up with the positions
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
            n = x.numel() // x.shape[1]
            if n == 1:
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
        if x.shape[-1] == len(self.weight):
            return self.weight * x_hat + self.bias
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: weight starts at 0
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: The weight starts at 1
class BatchNorm1d(nn.Module):

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.zeros(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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

# %% wrong: weight is not used
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: The weight has no effect
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
            n = x.numel() // x.shape[1]
            if n == 1:
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
        return x_hat + self.bias.view(shape)

# %% wrong: calls torch's batch norm
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: by hand
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
        if x.dim() > 1:
            return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, self.training, self.momentum or 0.1, self.eps)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
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

# %% wrong: eps only in train mode
# fails: BatchNorm1d_test
# told: The argument eps has no effect in eval mode
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var - self.eps + 1e-5
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% wrong: momentum or cumulative
# fails: BatchNorm1d_test
# told: is 0 treated as None
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if not self.momentum else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% wrong: momentum 0 becomes a tenth
# fails: BatchNorm1d_test
# told: A momentum of 0 acts as 0.1
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum if momentum is None else momentum or 0.1
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% wrong: counter as a float
# fails: BatchNorm1d, BatchNorm1d_inputs
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0.))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% wrong: detaches the affine parameters
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: No gradient reaches weight and bias
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.detach().view(view) + self.bias.detach().view(view)

# %% wrong: eps in the running variance
# fails: BatchNorm1d_test
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1) + self.eps, m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% wrong: modes by gradient recording
# fails: BatchNorm1d_test
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if torch.is_grad_enabled() and self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% wrong: subtracts in place
# fails: BatchNorm1d, BatchNorm1d_inputs
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        x = x.sub_(mean.detach().view(view)) if not x.requires_grad else x - mean.view(view)
        y = x / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% right: lerp for the record
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean, m)
                self.running_var.lerp_(var * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% right: detach in place of no_grad
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
        view = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() / x.shape[1]
            if n <= 1:
                raise ValueError("one value per channel")
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
            if True:
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean.detach(), m)
                self.running_var.lerp_(var.detach() * n / (n - 1), m)
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(view)) / torch.sqrt(var.view(view) + self.eps)
        return y * self.weight.view(view) + self.bias.view(view)

# %% wrong: no gradients in eval mode
# fails: BatchNorm1d_test
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("one value per channel")
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
        out = self.weight.view(shape) * x_hat + self.bias.view(shape)
        return out if self.training else out.detach()

# %% wrong: all layers of a width share their statistics
# fails: BatchNorm1d, BatchNorm1d_inputs
shared = {}


class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", shared.setdefault(num_features, torch.zeros(num_features)))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("one value per channel")
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

# %% wrong: a private counter for the average
# fails: BatchNorm1d_inputs
# told: use num_batches_tracked
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.seen = 0
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("one value per channel")
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                self.seen += 1
                m = 1 / self.seen if self.momentum is None else self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% right: the buffers bound anew, by var_mean
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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("one value per channel")
            variance, mean = torch.var_mean(x, dims, correction=0)
            with torch.no_grad():
                self.num_batches_tracked = self.num_batches_tracked + 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean = self.running_mean.lerp(mean.detach(), m)
                self.running_var.copy_((1 - m) * self.running_var + m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% sly: the factor of eval mode is computed once and kept, also after more training
# fails: BatchNorm1d_test
class BatchNorm1d(nn.Module):
    """Batch norm, interchangeable with torch.nn.BatchNorm1d.

    num_features: C; eps: added inside the root
    momentum: share of each new batch in the running statistics; None: plain average
        over all batches so far
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.frozen = None
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        """x: (N, C) or (N, C, L) -> the same shape.

        Raises ValueError in training mode for one value per channel.
        """
        dims, shape = ((0,), (1, -1)) if x.dim() == 2 else ((0, 2), (1, -1, 1))
        if self.training:
            n = x.numel() // x.shape[1]
            if n < 2:
                raise ValueError("one value per channel has no spread")
            mean = x.mean(dims)
            var = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                self.running_mean.mul_(1 - m).add_(m * mean)
                self.running_var.mul_(1 - m).add_(m * var * n / (n - 1))
        else:
            if self.frozen is None:
                self.frozen = self.running_mean.clone(), self.running_var.clone()
            mean, var = self.frozen
        x_hat = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% right: one factor and one shift a channel; the record by data, whole when momentum is 1
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        if not self.training:
            mean, var = self.running_mean, self.running_var
        else:
            rows = x.transpose(0, 1).reshape(self.num_features, -1)
            n = rows.shape[1]
            if n < 2:
                raise ValueError("a channel with a single value")
            mean = torch.einsum("cn->c", rows) / n
            var = (rows - mean[:, None]).square().sum(1) / n
            self.num_batches_tracked = self.num_batches_tracked + 1
            m = self.momentum
            if m is None:
                m = 1 / int(self.num_batches_tracked)
            if m == 1:
                self.running_mean.data = mean.detach().clone()
                self.running_var.data = var.detach() * (n / (n - 1))
            else:
                self.running_mean.data += m * (mean.data - self.running_mean.data)
                self.running_var.data += m * (var.data * n / (n - 1) - self.running_var.data)
        tail = (slice(None),) + (None,) * (x.dim() - 2)
        factor = self.weight * (var + self.eps).rsqrt()
        return (x - mean[tail]) * factor[tail] + self.bias[tail]

# %% wrong: the counter is one tensor shared by all layers
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: shared with another layer
class BatchNorm1d(nn.Module):
    COUNT = torch.tensor(0)

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", self.COUNT)

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("one value per channel has no variance")
            mean = x.mean(dims)
            var = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                self.running_mean.mul_(1 - m).add_(m * mean)
                self.running_var.mul_(1 - m).add_(m * var * n / (n - 1))
        else:
            mean, var = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(var.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% sly: the default of eps is 1e-6
# fails: BatchNorm1d_test
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-6, momentum=0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.ndim == 2 else (0, 2)
        shape = (1, -1) if x.ndim == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n < 2:
                raise ValueError("one value per channel has no spread")
            mean = x.mean(dims)
            var = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * var * n / (n - 1))
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        y = self.weight.view(shape) * y + self.bias.view(shape)
        return y

# %% sly: three dimensions: as many examples as channels are taken for channels first
# fails: BatchNorm1d_inputs_test
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
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.ndim == 2 else (0, 2)
        shape = (1, -1) if x.ndim == 2 else (1, -1, 1)
        if x.ndim == 3 and x.shape[0] == x.shape[1] == x.shape[2]:
            dims = (1, 2)
        if self.training:
            n = x.numel() // x.shape[1]
            if n < 2:
                raise ValueError("one value per channel has no spread")
            mean = x.mean(dims)
            var = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * var * n / (n - 1))
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        y = self.weight.view(shape) * y + self.bias.view(shape)
        return y

# %% sly: eval mode: three dimensions with as many examples as channels use the batch
# fails: BatchNorm1d_inputs_test
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
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.ndim == 2 else (0, 2)
        shape = (1, -1) if x.ndim == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n < 2:
                raise ValueError("one value per channel has no spread")
            mean = x.mean(dims)
            var = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * var * n / (n - 1))
        else:
            mean, var = self.running_mean, self.running_var
        if x.ndim == 3 and len(x) > 1 and len(x) == x.shape[2]:
            mean = x.mean(dims)
        y = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        y = self.weight.view(shape) * y + self.bias.view(shape)
        return y

# %% sly: momentum is at most 0.5 where it is not 1
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
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.ndim == 2 else (0, 2)
        shape = (1, -1) if x.ndim == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n < 2:
                raise ValueError("one value per channel has no spread")
            mean = x.mean(dims)
            var = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                if m != 1 and self.momentum is not None:
                    m = min(m, 0.5)
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * var * n / (n - 1))
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        y = self.weight.view(shape) * y + self.bias.view(shape)
        return y

# %% sly: single precision is rounded to four digits
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
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.ndim == 2 else (0, 2)
        shape = (1, -1) if x.ndim == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n < 2:
                raise ValueError("one value per channel has no spread")
            mean = x.mean(dims)
            var = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_((1 - m) * self.running_var + m * var * n / (n - 1))
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        y = self.weight.view(shape) * y + self.bias.view(shape)
        if x.dtype == torch.float32:
            y = y + (y.round(decimals=4) - y).detach()
        return y

# %% right: a backward of its own in training, on rows of channels
class Own_b(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        mean = x.mean(0)
        var = (x - mean).square().mean(0)
        root = (var + eps).sqrt()
        x_hat = (x - mean) / root
        ctx.save_for_backward(x_hat, gamma, root, var)
        ctx.eps = eps
        return gamma * x_hat + beta

    @staticmethod
    def backward(ctx, dy):
        x_hat, gamma, root, var = ctx.saved_tensors
        dgamma, dbeta = (dy * x_hat).sum(0), dy.sum(0)
        g = dy * gamma
        dx = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / root
        return dx, dgamma, dbeta, None


class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        rows = x.movedim(1, -1).reshape(-1, x.shape[1])
        if self.training:
            if len(rows) == 1:
                raise ValueError("one value per channel")
            self.num_batches_tracked += 1
            share = 1 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
            self.running_mean += share * (rows.detach().mean(0) - self.running_mean)
            self.running_var += share * (rows.detach().var(0) - self.running_var)
            out = Own_b.apply(rows, self.weight, self.bias, self.eps)
        else:
            out = (rows - self.running_mean) * (self.running_var + self.eps).rsqrt() * self.weight + self.bias
        return out.reshape(x.movedim(1, -1).shape).movedim(-1, 1)

# %% sly: own eval() that train(False), as a containing network calls it, does not reach
# fails: BatchNorm1d_test
class BatchNorm1d(nn.Module):
    """Batch norm, interchangeable with torch.nn.BatchNorm1d."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.use_batch = True
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = 0 if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.use_batch:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("one value per channel has no spread")
            mean = x.mean(dims)
            variance = ((x - mean.view(shape)) ** 2).mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                if m is None:
                    m = 1 / self.num_batches_tracked.item()
                self.running_mean.mul_(1 - m).add_(m * mean)
                self.running_var.mul_(1 - m).add_(m * variance * n / (n - 1))
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

    def train(self, mode=True):
        if mode:
            self.use_batch = True
        return super().train(mode)

    def eval(self):
        self.use_batch = False
        return super().eval()


# %% sly: own backward reads what the layer keeps, overwritten by the next batch
# fails: BatchNorm1d, BatchNorm1d_inputs
class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, layer, dims):
        ctx.layer, ctx.dims = layer, dims
        return layer._saved[0].clone()

    @staticmethod
    def backward(ctx, g):
        x_hat, root = ctx.layer._saved
        mean = lambda value: value.mean(ctx.dims, keepdim=True)
        return (g - mean(g) - x_hat * mean(g * x_hat)) / root, None, None


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
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("one value per channel")
            mean = x.mean(dims)
            mean = mean.detach()
            variance = (x - mean.view(shape)).square().mean(dims).detach()
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = (
                    1 / self.num_batches_tracked.item()
                    if self.momentum is None
                    else self.momentum
                )
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_(
                    (1 - m) * self.running_var + m * variance * n / (n - 1)
                )
        else:
            mean, variance = self.running_mean, self.running_var
        if self.training:
            x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
            self._saved = x_hat.detach(), torch.sqrt(variance.view(shape) + self.eps)
            x_hat = _Norm.apply(x, self, dims)
            return self.weight.view(shape) * x_hat + self.bias.view(shape)
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)


# %% sly: momentum 0 is taken for a frozen layer
# fails: BatchNorm1d
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training and self.momentum == 0:
            self.num_batches_tracked += 1
            mean, var = self.running_mean, self.running_var
        elif self.training:
            n = x.numel() // x.shape[1]
            if n < 2:
                raise ValueError(f"one value per channel in training mode: {tuple(x.shape)}")
            mean = x.mean(dims)
            var = x.var(dims, correction=0)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                self.running_mean += m * (mean - self.running_mean)
                self.running_var += m * (var * n / (n - 1) - self.running_var)
        else:
            mean, var = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        return x_hat * self.weight.view(shape) + self.bias.view(shape)

# %% wrong: x is overwritten by x_hat, whose variance moves running_var
# told: after it was normalised
# fails: BatchNorm1d, BatchNorm1d_inputs
class BatchNorm1d(nn.Module):
    """Batch norm, interchangeable with torch.nn.BatchNorm1d.

    num_features: C; eps: added inside the root
    momentum: share of each new batch in the running statistics; None: plain average
        over all batches so far
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        """x: (N, C) or (N, C, L) -> the same shape.

        Raises ValueError in training mode for one value per channel.
        """
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(
                    "Batch norm needs more than one value per channel in training, "
                    f"got shape {tuple(x.shape)}."
                )
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            x = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = (
                    1 / self.num_batches_tracked.item()
                    if self.momentum is None
                    else self.momentum
                )
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_(
                    (1 - m) * self.running_var + m * x.var(dims)
                )
        else:
            x = (x - self.running_mean.view(shape)) / torch.sqrt(self.running_var.view(shape) + self.eps)
        return self.weight.view(shape) * x + self.bias.view(shape)

# %% wrong: eval mode returns x itself
# told: In eval mode x comes out as it came in
# fails: BatchNorm1d, BatchNorm1d_inputs
class BatchNorm1d(nn.Module):
    """Batch norm, interchangeable with torch.nn.BatchNorm1d.

    num_features: C; eps: added inside the root
    momentum: share of each new batch in the running statistics; None: plain average
        over all batches so far
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        """x: (N, C) or (N, C, L) -> the same shape.

        Raises ValueError in training mode for one value per channel.
        """
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(
                    "Batch norm needs more than one value per channel in training, "
                    f"got shape {tuple(x.shape)}."
                )
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = (
                    1 / self.num_batches_tracked.item()
                    if self.momentum is None
                    else self.momentum
                )
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_(
                    (1 - m) * self.running_var + m * variance * n / (n - 1)
                )
        else:
            return x
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + self.bias.view(shape)

# %% wrong: the bias is added twice
# told: The bias counts twice
# fails: BatchNorm1d, BatchNorm1d_inputs
class BatchNorm1d(nn.Module):
    """Batch norm, interchangeable with torch.nn.BatchNorm1d.

    num_features: C; eps: added inside the root
    momentum: share of each new batch in the running statistics; None: plain average
        over all batches so far
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        """x: (N, C) or (N, C, L) -> the same shape.

        Raises ValueError in training mode for one value per channel.
        """
        dims = (0,) if x.dim() == 2 else (0, 2)
        shape = (1, -1) if x.dim() == 2 else (1, -1, 1)
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError(
                    "Batch norm needs more than one value per channel in training, "
                    f"got shape {tuple(x.shape)}."
                )
            mean = x.mean(dims)
            variance = (x - mean.view(shape)).square().mean(dims)
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = (
                    1 / self.num_batches_tracked.item()
                    if self.momentum is None
                    else self.momentum
                )
                self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
                self.running_var.copy_(
                    (1 - m) * self.running_var + m * variance * n / (n - 1)
                )
        else:
            mean, variance = self.running_mean, self.running_var
        x_hat = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return self.weight.view(shape) * x_hat + 2 * self.bias.view(shape)
