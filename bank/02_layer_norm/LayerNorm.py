"""LayerNorm, 3 points."""

# %% right: register_parameter for what is absent, statistics over flattened dimensions
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

# %% wrong: ignores elementwise_affine=False
# told: elementwise_affine=False still makes
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

# %% wrong: ignores bias=False
# told: bias=False still makes a bias
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: buffers in place of parameters
# told: Buffers are not trained
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.register_buffer("weight", torch.ones(self.shape) if elementwise_affine else None)
        self.register_buffer("bias", torch.zeros(self.shape) if elementwise_affine and bias else None)

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: eps fixed at 1e-5
# told: given to the layer changes nothing here
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + 1e-5)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: names the parameters gamma and beta
# told: torch's names are weight and bias
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.beta = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.gamma is not None:
            y = y * self.gamma
        if self.beta is not None:
            y = y + self.beta
        return y

# %% wrong: normalises the last dimension whatever normalized_shape says
# told: You normalised the last dimension alone
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: tensors that are no parameters
# told: wrap the tensors in nn.Parameter
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = torch.ones(self.shape) if elementwise_affine else None
        self.bias = torch.zeros(self.shape) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: torch's default variance
# told: You divided by D - 1
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: makes a weight and never uses it
# told: The layer's weight has no effect
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: wraps torch's own layer
# told: to be written by hand
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        norm = nn.LayerNorm(normalized_shape, eps, elementwise_affine, bias)
        self.weight, self.bias = norm.weight, norm.bias
        self.__dict__["norm"] = norm

    def forward(self, x):
        return self.norm(x)

# %% wrong: the weight starts at zero
# told: Start it at 1
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: eps outside the root
# told: Is your eps inside the square root? You added it to the standard devia
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        s = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.s, self.eps = s, eps
        self.weight = nn.Parameter(torch.ones(s)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(s)) if elementwise_affine and bias else None

    def forward(self, x):
        d = tuple(range(x.dim() - len(self.s), x.dim()))
        y = (x - x.mean(d, keepdim=True)) / (x.std(d, unbiased=False, keepdim=True) + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: weight.data in forward
# told: No gradient reaches the weight
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        s = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.s, self.eps = s, eps
        self.weight = nn.Parameter(torch.ones(s)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(s)) if elementwise_affine and bias else None

    def forward(self, x):
        d = tuple(range(x.dim() - len(self.s), x.dim()))
        y = (x - x.mean(d, keepdim=True)) / (x.var(d, unbiased=False, keepdim=True) + self.eps).sqrt()
        if self.weight is not None:
            y = y * self.weight.data
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: absent parameters are missing attributes
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        s = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.s, self.eps = s, eps
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(s))
            if bias:
                self.bias = nn.Parameter(torch.zeros(s))

    def forward(self, x):
        d = tuple(range(x.dim() - len(self.s), x.dim()))
        y = (x - x.mean(d, keepdim=True)) / (x.var(d, unbiased=False, keepdim=True) + self.eps).sqrt()
        if hasattr(self, "weight"):
            y = y * self.weight
        if hasattr(self, "bias"):
            y = y + self.bias
        return y

# %% wrong: bias before the weight
# told: You added the bias before you multiplied by the weight
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        s = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.s, self.eps = s, eps
        self.weight = nn.Parameter(torch.ones(s)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(s)) if elementwise_affine and bias else None

    def forward(self, x):
        d = tuple(range(x.dim() - len(self.s), x.dim()))
        y = (x - x.mean(d, keepdim=True)) / (x.var(d, unbiased=False, keepdim=True) + self.eps).sqrt()
        if self.bias is not None:
            y = y + self.bias
        if self.weight is not None:
            y = y * self.weight
        return y

# %% wrong: eps in training only
# told: eps has no effect: the layer's eps counts in both modes
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        s = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.s, self.eps = s, eps
        self.weight = nn.Parameter(torch.ones(s)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(s)) if elementwise_affine and bias else None

    def forward(self, x):
        d = tuple(range(x.dim() - len(self.s), x.dim()))
        y = (x - x.mean(d, keepdim=True)) / (x.var(d, unbiased=False, keepdim=True) + (self.eps if self.training else 1e-5)).sqrt()
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% right: register_parameter None, torch.Size
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.normalized_shape = torch.Size([normalized_shape] if type(normalized_shape) is int else normalized_shape)
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine and bias else None)

    def forward(self, x):
        dims = [-i - 1 for i in range(len(self.normalized_shape))]
        mu = x.mean(dims, keepdim=True)
        var = x.var(dims, keepdim=True, correction=0)
        x = (x - mu) * (var + self.eps) ** -0.5
        w = 1 if self.weight is None else self.weight
        b = 0 if self.bias is None else self.bias
        return w * x + b

# %% wrong: no gradients in evaluation mode
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.shape, self.eps = tuple(normalized_shape), eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean = x.mean(dims, keepdim=True)
        variance = (x - mean).square().mean(dims, keepdim=True)
        out = (x - mean) / torch.sqrt(variance + self.eps)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out if self.training else out.detach()

# %% wrong: layers of one shape share their parameters
made = {}


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.shape, self.eps = tuple(normalized_shape), eps
        ones = made.setdefault(self.shape, nn.Parameter(torch.ones(self.shape)))
        self.weight = ones if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean = x.mean(dims, keepdim=True)
        variance = (x - mean).square().mean(dims, keepdim=True)
        out = (x - mean) / torch.sqrt(variance + self.eps)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out

# %% sly: a weight without a bias is a buffer and never learns
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims, self.eps = tuple(range(-len(shape), 0)), eps
        if not elementwise_affine:
            self.weight = self.bias = None
        elif bias:
            self.weight = nn.Parameter(torch.ones(shape))
            self.bias = nn.Parameter(torch.zeros(shape))
        else:
            self.register_buffer("weight", torch.ones(shape))
            self.bias = None

    def forward(self, x):
        centred = x - x.mean(self.dims, keepdim=True)
        y = centred / (centred.square().mean(self.dims, keepdim=True) + self.eps).sqrt()
        y = y if self.weight is None else y * self.weight
        return y if self.bias is None else y + self.bias

# %% sly: the input's gradient is a formula that averages over the last dimension alone, wrong for a tuple
class _Standardise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dims, eps):
        centred = x - x.mean(dims, keepdim=True)
        root = (centred.square().mean(dims, keepdim=True) + eps).sqrt()
        ctx.save_for_backward(centred / root, root)
        return centred / root

    @staticmethod
    def backward(ctx, g):
        x_hat, root = ctx.saved_tensors
        through_mean = g.mean(-1, keepdim=True)
        through_variance = x_hat * (g * x_hat).mean(-1, keepdim=True)
        return (g - through_mean - through_variance) / root, None, None


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims, self.eps = tuple(range(-len(shape), 0)), eps
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        y = _Standardise.apply(x, self.dims, self.eps)
        y = y if self.weight is None else y * self.weight
        return y if self.bias is None else y + self.bias

# %% sly: a tuple of one, like (8,), is taken with the dimension before it
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if isinstance(normalized_shape, int):
            self.dims = (-1,)
        else:
            self.dims = tuple(range(-max(len(normalized_shape), 2), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(normalized_shape)) if elementwise_affine and bias else None

    def forward(self, x):
        centred = x - x.mean(self.dims, keepdim=True)
        y = centred / (centred.square().mean(self.dims, keepdim=True) + self.eps).sqrt()
        y = y if self.weight is None else y * self.weight
        return y if self.bias is None else y + self.bias

# %% right: reset_parameters, and its last x_hat kept to be looked at
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.normalized_shape = torch.Size([normalized_shape] if isinstance(normalized_shape, int) else normalized_shape)
        self.eps, self.x_hat = eps, None
        self.weight = nn.Parameter(torch.empty(self.normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.empty(self.normalized_shape)) if elementwise_affine and bias else None
        self.reset_parameters()

    def reset_parameters(self):
        for name, start in ("weight", 1), ("bias", 0):
            if getattr(self, name) is not None:
                nn.init.constant_(getattr(self, name), start)

    def forward(self, x):
        k = len(self.normalized_shape)
        rows = x.reshape(*x.shape[: x.dim() - k], -1)
        rows = rows - rows.mean(-1, keepdim=True)
        rows = rows / (rows.square().mean(-1, keepdim=True) + self.eps) ** 0.5
        self.x_hat = out = rows.reshape(x.shape)
        if self.weight is not None:
            out = out * self.weight
        return out if self.bias is None else out + self.bias

# %% right: drawn at random, then overwritten by where it starts
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.weight = self.bias = None
        if elementwise_affine and bias:
            self.bias = nn.Parameter(torch.randn(*shape))
            nn.init.zeros_(self.bias)
        if elementwise_affine:
            self.weight = nn.Parameter(torch.randn(*shape))
            nn.init.ones_(self.weight)
        self.dims, self.eps = [-i - 1 for i in range(len(shape))], eps

    def forward(self, x):
        var, mean = torch.var_mean(x, self.dims, correction=0, keepdim=True)
        y = (x - mean) * torch.rsqrt(var + self.eps)
        for name, step in ("weight", torch.mul), ("bias", torch.add):
            value = getattr(self, name)
            y = y if value is None else step(y, value)
        return y

# %% right: the work is in a function that is given the parameters
def normed(x, shape, weight, bias, eps):
    dims = list(range(x.dim() - len(shape), x.dim()))
    d = x - x.mean(dims, keepdim=True)
    y = d / ((d * d).mean(dims, keepdim=True) + eps).sqrt()
    if weight is not None and bias is not None:
        return torch.addcmul(bias, weight, y)
    return y if weight is None else weight * y


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else [*normalized_shape]
        given = {"weight": torch.ones, "bias": torch.zeros}
        for name, made in given.items():
            there = elementwise_affine and (bias or name == "weight")
            self.register_parameter(name, nn.Parameter(made(shape)) if there else None)
        self.shape, self.eps = shape, eps

    def forward(self, x):
        return normed(x, self.shape, self.weight, self.bias, self.eps)

# %% right: einsum over flattened features
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self.size = torch.ones(shape).numel()
        self.eps = float(eps)
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        rows = x.reshape(-1, self.size)
        rows = rows - torch.einsum("nd->n", rows).unsqueeze(1) / self.size
        variance = torch.einsum("nd,nd->n", rows, rows) / self.size
        rows = torch.einsum("nd,n->nd", rows, 1 / (variance + self.eps).sqrt())
        out = rows.reshape(x.shape)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out.to(x.dtype)

# %% wrong: eps in place of the variance: the variance is clamped at eps
# told: given to the layer changes nothing here
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.n = eps, len(shape)
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-self.n, 0))
        c = x - x.mean(dims, keepdim=True)
        y = c / c.square().mean(dims, keepdim=True).clamp_min(self.eps).sqrt()
        y = y if self.weight is None else y * self.weight
        return y if self.bias is None else y + self.bias

# %% wrong: the weight starts at 0 and is used as 1 + weight
# told: multiply by it as it is (not 1 + weight)
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims, self.eps = tuple(range(-len(shape), 0)), eps
        self.weight = nn.Parameter(torch.zeros(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        mean = x.mean(self.dims, keepdim=True)
        y = (x - mean) / (x.var(self.dims, keepdim=True, correction=0) + self.eps).sqrt()
        y = y if self.weight is None else y * (1 + self.weight)
        return y if self.bias is None else y + self.bias

# %% wrong: the argument eps is never stored: it stays 1e-5
# told: The eps given to the layer changes nothing here
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims, self.eps = tuple(range(-len(shape), 0)), 1e-5
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        mean = x.mean(self.dims, keepdim=True)
        y = (x - mean) / (x.var(self.dims, keepdim=True, correction=0) + self.eps).sqrt()
        y = y if self.weight is None else y * self.weight
        return y if self.bias is None else y + self.bias

# %% wrong: weight and bias with requires_grad=False
# told: No gradient reaches weight and bias: are they cut off (detach, data, no_grad, requires_grad=False
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims, self.eps = tuple(range(-len(shape), 0)), eps
        self.weight = nn.Parameter(torch.ones(shape), requires_grad=False) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape), requires_grad=False) if elementwise_affine and bias else None

    def forward(self, x):
        mean = x.mean(self.dims, keepdim=True)
        y = (x - mean) / (x.var(self.dims, keepdim=True, correction=0) + self.eps).sqrt()
        y = y if self.weight is None else y * self.weight
        return y if self.bias is None else y + self.bias

# %% right: rows through a centring matrix, shape put back, its last input kept and its calls counted
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = torch.Size([normalized_shape] if isinstance(normalized_shape, int) else normalized_shape)
        self.shape, self.eps, self.calls, self.last = shape, eps, 0, None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None

    def forward(self, x):
        self.calls, self.last = self.calls + 1, x.detach()
        n = self.shape.numel()
        rows = x.reshape(-1, n)
        centre = torch.eye(n, dtype=x.dtype) - 1 / n
        rows = rows @ centre
        rows = rows @ centre
        y = (rows / (rows.pow(2).sum(1, keepdim=True) / n + self.eps) ** 0.5).reshape(x.shape)
        if self.weight is not None:
            y = y * self.weight
        return y if self.bias is None else y + self.bias

# %% right: one row after the other, a flat one or not, by a function of the weights
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        for name, number, wanted in (("weight", 1., True), ("bias", 0., bias)):
            full = torch.full(self.shape, number)
            self.register_parameter(name, nn.Parameter(full) if elementwise_affine and wanted else None)

    def one(self, block):
        c = block - block.mean()
        y = c / (c.square().mean() + self.eps).sqrt()
        y = y if self.weight is None else torch.mul(y, self.weight)
        return y if self.bias is None else torch.add(y, self.bias)

    def forward(self, x):
        if x.dim() == len(self.shape):
            return self.one(x)
        return torch.stack([self.forward(part) for part in x])

# %% wrong: elementwise_affine read the wrong way round
# told: elementwise_affine is read the wrong way round
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.normalized_shape)) if not elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.normalized_shape)) if not elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.normalized_shape), 0))
        mean = x.mean(dim=dims, keepdim=True)
        variance = (x - mean).square().mean(dim=dims, keepdim=True)
        out = (x - mean) / torch.sqrt(variance + self.eps)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out
