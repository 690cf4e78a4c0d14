# wrong: ignores elementwise_affine=False
# fails: LayerNorm
# told: elementwise_affine=False still makes

# %% LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape))
        self.bias = nn.Parameter(torch.zeros(self.shape)) if bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y
