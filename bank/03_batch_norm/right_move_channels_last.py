# right: the channels moved to the end and all else flattened

# %% BatchNorm1d
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
