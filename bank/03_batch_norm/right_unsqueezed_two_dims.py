# right: two dimensions become three, one code path; the buffers are bound anew

# %% BatchNorm1d
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
