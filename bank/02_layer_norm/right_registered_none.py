# right: register_parameter for what is absent, statistics over flattened dimensions

# %% LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self.k, self.eps = len(shape), eps
        self.register_parameter("weight", nn.Parameter(torch.ones(*shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(*shape)) if elementwise_affine and bias else None)

    def forward(self, x):
        flat = x.flatten(-self.k)
        centred = flat - flat.mean(-1, keepdim=True)
        y = (centred / (centred.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()).view_as(x)
        weight = 1 if self.weight is None else self.weight
        return y * weight + (0 if self.bias is None else self.bias)
