"""Solutions that fill in several cells."""

# %% right: the mean removed by a matrix, the length by vector_norm
## layer_norm
def layer_norm(x, gamma, beta, eps):
    D = x.shape[-1]
    centred = x @ (torch.eye(D, dtype=x.dtype) - 1 / D)
    mean_square = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) ** 2 / D
    return centred / torch.sqrt(mean_square + eps) * gamma + beta

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * x / torch.sqrt(torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2 / x.shape[-1] + self.eps)

# %% right: means and squares by einsum
## row_stats
def row_stats(x):
    D = x.size(-1)
    mean = torch.einsum('...d->...', x).unsqueeze(-1) / D
    return mean, torch.einsum('...d,...d->...', x - mean, x - mean).unsqueeze(-1) / D

## layer_norm
def layer_norm(x, gamma, beta, eps):
    D = x.size(-1)
    c = x - torch.einsum('...d->...', x)[..., None] / D
    var = torch.einsum('...d,...d->...', c, c)[..., None] / D
    return torch.einsum('...d,d->...d', c / (var + eps).sqrt(), gamma) + beta

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = torch.einsum('...d,d->...d', dy, gamma)
    along = torch.einsum('...d,...d->...', g, x_hat)[..., None] / D
    dx = (g - g.mean(-1, keepdim=True) - along * x_hat) / std
    return dx, torch.einsum('nd,nd->d', dy.reshape(-1, D), x_hat.reshape(-1, D)), dy.reshape(-1, D).sum(0)

# %% right: examples and tokens flattened into one dimension
## batch_norm_tokens
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    return norm(block.reshape(N * T, D)).reshape(N, T, D)

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    pieces = x.split(D // groups, dim=-1)
    return torch.cat([normalise_over(piece, (2,)) for piece in pieces], dim=-1)

# %% right: computes in double precision and casts back
## layer_norm
def layer_norm(x, gamma, beta, eps):
    wide = x.double()
    mean = wide.mean(-1, keepdim=True)
    var = ((wide - mean) ** 2).mean(-1, keepdim=True)
    return ((wide - mean) / (var + eps).sqrt() * gamma + beta).to(x.dtype)

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return (x.double() / (x.double().pow(2).mean(-1, keepdim=True) + self.eps).sqrt()).to(x.dtype) * self.weight

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = (gamma * dy).double()
    dx = ((g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std).to(x.dtype)
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% right: a helper defined in the first cell serves the later ones
## row_stats
def moments(x, dims=(-1,)):
    mean = x.mean(dims, keepdim=True)
    return mean, (x - mean).pow(2).mean(dims, keepdim=True)


def row_stats(x):
    return moments(x)

## layer_norm
def layer_norm(x, gamma, beta, eps):
    mean, var = row_stats(x)
    return gamma * ((x - mean) / (var + eps).sqrt()) + beta

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = moments(x, dims)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

## standardise
def standardise(x, eps=1e-5):
    return normalise_over(x, (-1,), eps)

# %% right: returns lists where tuples are asked for, dims as lists and negative
## row_stats
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return [mean, var]

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": [-1], "batch": [0, 1], "instance": [-2]}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    return [dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)]

# %% right: sums divided by D, no call of mean or var
## row_stats
def row_stats(x):
    D = x.shape[-1]
    mean = x.sum(-1, keepdim=True) / D
    return mean, ((x - mean) ** 2).sum(-1, keepdim=True) / D

## layer_norm
def layer_norm(x, gamma, beta, eps):
    D = x.shape[-1]
    centred = x - x.sum(-1, keepdim=True) / D
    std = ((centred * centred).sum(-1, keepdim=True) / D + eps) ** 0.5
    return centred / std * gamma + beta

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return x / ((x * x).sum(-1, keepdim=True) / x.shape[-1] + self.eps) ** 0.5 * self.weight

# %% right: works in place, but on a copy of its own
## layer_norm
def layer_norm(x, gamma, beta, eps):
    y = x - x.mean(-1, keepdim=True)
    y /= (y.detach() * 0 + y).pow(2).mean(-1, keepdim=True).add(eps).sqrt()
    y = y * gamma
    y += beta
    return y

## standardise
def standardise(x, eps=1e-5):
    y = x.clone()
    y -= y.mean(-1, keepdim=True)
    return y / ((y ** 2).mean(-1, keepdim=True) + eps) ** 0.5

# %% right: a Python loop over the rows
## layer_norm
def layer_norm(x, gamma, beta, eps):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        mean = sum(row) / len(row)
        var = sum((v - mean) ** 2 for v in row) / len(row)
        rows.append((row - mean) / (var + eps) ** 0.5 * gamma + beta)
    return torch.stack(rows).reshape(x.shape)

## standardise
def standardise(x, eps=1e-5):
    if x.dim() > 1:
        return torch.stack([standardise(part, eps) for part in x])
    return (x - x.mean()) / (x.var(correction=0) + eps) ** 0.5

# %% wrong: variance as the mean of squares minus the square of the mean
# fails: row_stats
# told: Your variance loses digits here
## row_stats
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    return mean, (x ** 2).mean(-1, keepdim=True) - mean ** 2

## layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = (x ** 2).mean(-1, keepdim=True) - mean ** 2
    return gamma * (x - mean) / (var + eps) ** 0.5 + beta

# %% right: the biased standard deviation, squared
## row_stats
def row_stats(x):
    return x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True) ** 2

## standardise
def standardise(x, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (x.std(-1, correction=0, keepdim=True) ** 2 + eps) ** 0.5

# %% right: torch's var with correction=0
## row_stats
def row_stats(x):
    return x.mean(-1, True), x.var(-1, correction=0, keepdim=True)

## layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() * gamma + beta

# %% right: one call of torch.var_mean
## row_stats
def row_stats(x):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return mean, var

## layer_norm
def layer_norm(x, gamma, beta, eps):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (x - mean) * torch.rsqrt(var + eps))

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    var, mean = torch.var_mean(x, dim=dims, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(var + eps)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% right: torch's var with the older argument unbiased=False
## row_stats
def row_stats(x):
    return torch.mean(x, -1, keepdim=True), torch.var(x, -1, unbiased=False, keepdim=True)

## LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dims = tuple(range(-len(self.shape), 0))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, unbiased=False, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% wrong: one habit, two tasks: the unbiased variance everywhere it is written by hand
# fails: row_stats, layer_norm
# told: You divided by D - 1
## row_stats
def row_stats(x):
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)

## layer_norm
def layer_norm(x, gamma, beta, eps):
    mean, var = row_stats(x)
    return gamma * (x - mean) / (var + eps).sqrt() + beta

# %% wrong: stops after the first three tasks
# fails: normalise_over, RMSNorm, layer_norm_backward, standardise, batch_norm_tokens, influence
# told: TODO
## normalise_over
def normalise_over(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

## layer_norm_backward
def layer_norm_backward(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

## standardise
def standardise(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

## batch_norm_tokens
def batch_norm_tokens(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

## influence
def influence(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        raise NotImplementedError('TODO: write your solution here')

# %% right: whole notebook in ARENA's style, type hints, einsum and asserts
## row_stats
from torch import Tensor


def row_stats(x: Tensor) -> tuple[Tensor, Tensor]:
    d = x.shape[-1]
    mean = torch.einsum("...d->...", x).unsqueeze(-1) / d
    centred = x - mean
    variance = torch.einsum("...d,...d->...", centred, centred).unsqueeze(-1) / d
    assert mean.shape == variance.shape == (*x.shape[:-1], 1)
    return mean, variance

## layer_norm
def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    assert x.shape[-1] == gamma.shape[0] == beta.shape[0]
    residual = x - x.mean(dim=-1, keepdim=True)
    scale = (residual.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()
    return residual / scale * gamma + beta

## LayerNorm
class LayerNorm(nn.Module):
    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.normalize_dims = tuple(range(-len(self.normalized_shape), 0))
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[-len(self.normalized_shape):] == self.normalized_shape
        mean = x.mean(dim=self.normalize_dims, keepdim=True)
        var = x.var(dim=self.normalize_dims, keepdim=True, unbiased=False)
        x = (x - mean) / (var + self.eps).sqrt()
        if self.weight is not None:
            x = x * self.weight
        if self.bias is not None:
            x = x + self.bias
        return x

    def extra_repr(self) -> str:
        return f"normalized_shape={self.normalized_shape}, eps={self.eps}"

## normalise_over
def normalise_over(x: Tensor, dims: tuple[int, ...], eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=dims, keepdim=True)
    var = x.var(dim=dims, keepdim=True, unbiased=False)
    return (x - mean) / (var + eps).sqrt()


def norm_dims() -> dict[str, tuple[int, ...]]:
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x: Tensor, groups: int) -> Tensor:
    n, t, d = x.shape
    assert d % groups == 0
    grouped = x.reshape(n, t, groups, d // groups)
    return normalise_over(grouped, (-1,)).reshape(n, t, d)

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = torch.einsum("...d,...d->...", x, x).unsqueeze(-1) / x.shape[-1]
        return self.weight * x / (mean_square + self.eps).sqrt()

## layer_norm_backward
def layer_norm_backward(
    dy: Tensor, x: Tensor, gamma: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    assert dy.shape == x.shape
    d = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
    x_hat = (x - mean) / std
    g = dy * gamma
    through_mean = g.mean(-1, keepdim=True)
    through_var = torch.einsum("...d,...d->...", g, x_hat).unsqueeze(-1) / d
    dx = (g - through_mean - x_hat * through_var) / std
    dgamma = torch.einsum("...d,...d->d", dy, x_hat)
    dbeta = torch.einsum("...d->d", dy)
    assert dx.shape == x.shape and dgamma.shape == dbeta.shape == gamma.shape
    return dx, dgamma, dbeta

## standardise
def standardise(x: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / (var + eps).sqrt()

## batch_norm_tokens
def batch_norm_tokens(block: Tensor, norm: nn.BatchNorm1d) -> Tensor:
    n, t, d = block.shape
    assert d == norm.num_features
    return norm(block.reshape(n * t, d)).reshape(n, t, d)

## influence
from typing import Callable


def influence(norm: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    jacobian = torch.autograd.functional.jacobian(norm, x)
    assert jacobian.shape == (*x.shape, *x.shape)
    return torch.einsum("iajb,iajb->ij", jacobian, jacobian).sqrt()


def reading() -> dict[str, str]:
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }

# %% right: whole notebook in CS231n's style, forward passes with a cache
## row_stats
def row_stats(x):
    D = x.shape[-1]
    mu = x.sum(axis=-1, keepdims=True) / D
    var = ((x - mu) ** 2).sum(axis=-1, keepdims=True) / D
    return mu, var

## layer_norm
def layernorm_forward(x, gamma, beta, ln_param):
    eps = ln_param.get("eps", 1e-5)
    D = x.shape[-1]
    mu = x.sum(axis=-1, keepdims=True) / D
    xmu = x - mu
    var = (xmu ** 2).sum(axis=-1, keepdims=True) / D
    sqrtvar = torch.sqrt(var + eps)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    out = gamma * xhat + beta
    cache = (xhat, gamma, xmu, ivar, sqrtvar, var, eps)
    return out, cache


def layer_norm(x, gamma, beta, eps):
    out, cache = layernorm_forward(x, gamma, beta, {"eps": eps})
    return out

## LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if type(normalized_shape) is int:
            normalized_shape = (normalized_shape,)
        self.shape = tuple(normalized_shape)
        self.eps = eps
        self.weight = None
        self.bias = None
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(*self.shape))
            if bias:
                self.bias = nn.Parameter(torch.zeros(*self.shape))

    def forward(self, x):
        axes = tuple(range(x.ndim - len(self.shape), x.ndim))
        mu = torch.mean(x, axis=axes, keepdims=True)
        xmu = x - mu
        var = torch.mean(xmu ** 2, axis=axes, keepdims=True)
        out = xmu / torch.sqrt(var + self.eps)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    mu = torch.mean(x, axis=dims, keepdims=True)
    xmu = x - mu
    var = torch.mean(xmu ** 2, axis=dims, keepdims=True)
    return xmu / torch.sqrt(var + eps)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    x_group = x.reshape(N, T, groups, D // groups)
    return normalise_over(x_group, (3,)).reshape(N, T, D)

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        D = x.shape[-1]
        ms = torch.sum(x ** 2, axis=-1, keepdims=True) / D
        rms = torch.sqrt(ms + self.eps)
        return self.weight * (x / rms)

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    dout, X = dy.reshape(-1, D), x.reshape(-1, D)
    _, cache = layernorm_forward(X, gamma, torch.zeros_like(gamma), {"eps": eps})
    xhat, gamma, xmu, ivar, sqrtvar, var, eps = cache

    dbeta = torch.sum(dout, axis=0)
    dgamma = torch.sum(dout * xhat, axis=0)
    dxhat = dout * gamma

    divar = torch.sum(dxhat * xmu, axis=1, keepdims=True)
    dxmu1 = dxhat * ivar
    dsqrtvar = -1.0 / (sqrtvar ** 2) * divar
    dvar = 0.5 / torch.sqrt(var + eps) * dsqrtvar
    dsq = torch.ones_like(X) / D * dvar
    dxmu2 = 2 * xmu * dsq
    dx1 = dxmu1 + dxmu2
    dmu = -torch.sum(dx1, axis=1, keepdims=True)
    dx2 = torch.ones_like(X) / D * dmu
    dx = dx1 + dx2
    return dx.reshape(x.shape), dgamma, dbeta

## standardise
def standardise(x, eps=1e-5):
    mu = torch.mean(x, axis=-1, keepdims=True)
    var = torch.var(x, axis=-1, correction=0, keepdims=True)
    return (x - mu) / torch.sqrt(var + eps)

## batch_norm_tokens
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    x = block.reshape(N * T, D)
    out = norm(x)
    return out.reshape(N, T, D)

## influence
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x)
    N, D = x.shape
    J = J.permute(0, 2, 1, 3).reshape(N, N, D * D)
    return torch.sqrt(torch.sum(J ** 2, axis=2))


def reading():
    answers = {}
    answers["layer norm, training"] = "own"
    answers["layer norm, evaluation"] = "own"
    answers["batch norm, training"] = "all"
    answers["batch norm, evaluation"] = "own"
    return answers

# %% right: whole notebook in makemore's style, terse and with manual statistics
## row_stats
def row_stats(x):
    n = x.shape[-1]
    xmeani = 1/n*x.sum(-1, keepdim=True)
    xdiff = x - xmeani
    xvar = 1/n*(xdiff**2).sum(-1, keepdim=True)
    return xmeani, xvar

## layer_norm
def layer_norm(x, gamma, beta, eps):
    hpreact = x
    lnmeani = hpreact.mean(-1, keepdim=True)
    lndiff = hpreact - lnmeani
    lnvar = (lndiff**2).mean(-1, keepdim=True)
    lnvar_inv = (lnvar + eps)**-0.5
    lnraw = lndiff * lnvar_inv
    return gamma * lnraw + beta

## LayerNorm
class LayerNorm(nn.Module):

  def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
    super().__init__()
    dim = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    self.eps = eps
    self.dims = tuple(-1 - i for i in range(len(dim)))
    self.weight = nn.Parameter(torch.ones(dim)) if elementwise_affine else None
    self.bias = nn.Parameter(torch.zeros(dim)) if elementwise_affine and bias else None

  def forward(self, x):
    xmean = x.mean(self.dims, keepdim=True)
    xvar = x.var(self.dims, keepdim=True, unbiased=False)
    self.out = (x - xmean) / torch.sqrt(xvar + self.eps)
    if self.weight is not None: self.out = self.weight * self.out
    if self.bias is not None: self.out = self.out + self.bias
    return self.out

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    xdiff = x - x.mean(dims, keepdim=True)
    return xdiff * ((xdiff**2).mean(dims, keepdim=True) + eps)**-0.5

def norm_dims():
    return dict(layer=(2,), batch=(0, 1), instance=(1,))

def token_group_norm(x, groups):
    return normalise_over(x.view(x.shape[0], x.shape[1], groups, -1), (3,)).view(x.shape)

## RMSNorm
class RMSNorm(nn.Module):

  def __init__(self, d_model, eps=1e-6):
    super().__init__()
    self.eps = eps
    self.weight = nn.Parameter(torch.ones(d_model))

  def forward(self, x):
    return self.weight * (x * ((x**2).mean(-1, keepdim=True) + self.eps)**-0.5)

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    n = x.shape[-1]
    lndiff = x - x.mean(-1, keepdim=True)
    lnvar_inv = ((lndiff**2).mean(-1, keepdim=True) + eps)**-0.5
    lnraw = lndiff * lnvar_inv
    dlnraw = gamma * dy
    dx = lnvar_inv/n * (n*dlnraw - dlnraw.sum(-1, keepdim=True) - lnraw*(dlnraw*lnraw).sum(-1, keepdim=True))
    dgamma = (dy * lnraw).view(-1, n).sum(0)
    dbeta = dy.reshape(-1, n).sum(0)
    return dx, dgamma, dbeta

## standardise
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) * (x.var(-1, keepdim=True, unbiased=False) + eps)**-0.5

## batch_norm_tokens
def batch_norm_tokens(block, norm):
    return norm(block.reshape(-1, block.shape[-1])).view(block.shape)

## influence
def influence(norm, x):
    x = x.detach().clone().requires_grad_()
    n, d = x.shape
    y = norm(x)
    out = torch.zeros(n, n)
    for i in range(n):
        for a in range(d):
            dx, = torch.autograd.grad(y[i, a], x, retain_graph=True)
            out[i] += (dx**2).sum(1)
    return out**0.5

def reading():
    return {
        'layer norm, training': 'own', 'layer norm, evaluation': 'own',
        'batch norm, training': 'all', 'batch norm, evaluation': 'own',
    }

# %% right: whole notebook in the style of torch's own source
## row_stats
def row_stats(x):
    r"""Computes mean and biased variance over the last dimension."""
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return mean, var

## layer_norm
def layer_norm(x, gamma, beta, eps):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, (x - mean) * torch.rsqrt(var + eps), gamma)

## LayerNorm
import numbers


class LayerNorm(nn.Module):
    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True) -> None:
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if self.elementwise_affine:
            self.weight = nn.Parameter(torch.empty(self.normalized_shape))
            if bias:
                self.bias = nn.Parameter(torch.empty(self.normalized_shape))
            else:
                self.register_parameter("bias", None)
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.elementwise_affine:
            nn.init.ones_(self.weight)
            if self.bias is not None:
                nn.init.zeros_(self.bias)

    def forward(self, input):
        dims = tuple(range(-len(self.normalized_shape), 0))
        var, mean = torch.var_mean(input, dim=dims, correction=0, keepdim=True)
        output = (input - mean) * torch.rsqrt(var + self.eps)
        if self.weight is not None:
            output = output * self.weight
        if self.bias is not None:
            output = output + self.bias
        return output

    def extra_repr(self) -> str:
        return "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}".format(
            **self.__dict__
        )

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    var, mean = torch.var_mean(x, dim=dims, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(var + eps)


def norm_dims():
    return {"layer": (-1,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    return normalise_over(x.unflatten(-1, (groups, -1)), (-1,)).flatten(-2)

## RMSNorm
class RMSNorm(nn.Module):
    __constants__ = ["d_model", "eps"]

    def __init__(self, d_model, eps=1e-6) -> None:
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self._norm(x) * self.weight

    def extra_repr(self) -> str:
        return f"{self.d_model}, eps={self.eps}"

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    with torch.no_grad():
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        x_hat = (x - mean) * rstd
        grad = dy * gamma
        c1 = (grad * x_hat).mean(-1, keepdim=True)
        c2 = grad.mean(-1, keepdim=True)
        dx = rstd * (grad - x_hat * c1 - c2)
        leading = tuple(range(x.dim() - 1))
        return dx, (dy * x_hat).sum(dim=leading), dy.sum(dim=leading)

## standardise
def standardise(x, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return x.sub(mean).div(var.add(eps).sqrt())

## batch_norm_tokens
def batch_norm_tokens(block, norm):
    # BatchNorm1d takes (N, C, L)
    return norm(block.transpose(1, 2)).transpose(1, 2)

## influence
def influence(norm, x):
    jacobian = torch.func.jacrev(norm)(x)
    return torch.linalg.vector_norm(jacobian, dim=(1, 3))


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }

# %% right: whole notebook written numpy first
## row_stats
import numpy as np


def row_stats(x):
    mean = x.mean(axis=-1)[..., None]
    variance = ((x - mean) ** 2).mean(axis=-1)[..., None]
    return mean, variance

## layer_norm
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(axis=-1)[..., None]
    variance = x.var(axis=-1, correction=0)[..., None]
    x_hat = (x - mean) / (variance + eps) ** 0.5
    return x_hat * gamma[None, :] + beta[None, :] if x.ndim == 2 else x_hat * gamma + beta

## LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = tuple(int(n) for n in np.atleast_1d(normalized_shape))
        self.normalized_shape, self.eps = shape, eps
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = nn.Parameter(torch.from_numpy(np.ones(shape, dtype=np.float32)))
        if elementwise_affine and bias:
            self.bias = nn.Parameter(torch.from_numpy(np.zeros(shape, dtype=np.float32)))

    def forward(self, x):
        axes = tuple(np.arange(-len(self.normalized_shape), 0).tolist())
        mean = x.mean(axis=axes, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True)
        y = (x - mean) / (variance + self.eps) ** 0.5
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    mean = x.mean(axis=dims, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=dims, keepdims=True)
    return (x - mean) / (variance + eps) ** 0.5


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    columns = np.split(np.arange(x.shape[2]), groups)
    return torch.concatenate([normalise_over(x[:, :, own], (2,)) for own in columns], axis=2)

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.from_numpy(np.ones(d_model, dtype=np.float32)))

    def forward(self, x):
        rms = ((x * x).mean(axis=-1, keepdims=True) + self.eps) ** 0.5
        return self.weight * x / rms

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    dy, x, gamma = (t.detach().numpy() for t in (dy, x, gamma))
    std = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    x_hat = (x - x.mean(axis=-1, keepdims=True)) / std
    g = gamma * dy
    dx = (g - g.mean(axis=-1, keepdims=True)
          - x_hat * (g * x_hat).mean(axis=-1, keepdims=True)) / std
    rows = tuple(range(x.ndim - 1))
    dgamma, dbeta = (dy * x_hat).sum(axis=rows), dy.sum(axis=rows)
    return torch.from_numpy(dx), torch.from_numpy(dgamma), torch.from_numpy(dbeta)

## standardise
def standardise(x, eps=1e-5):
    mean = x.mean(axis=-1)[..., np.newaxis]
    variance = ((x - mean) ** 2).mean(axis=-1)[..., np.newaxis]
    return (x - mean) / (variance + eps) ** 0.5

## batch_norm_tokens
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    return norm(block.reshape((N * T, D))).reshape((N, T, D))

## influence
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x).detach().numpy()
    return torch.from_numpy(np.sqrt((jacobian ** 2).sum(axis=(1, 3))))


def reading():
    names = ["layer norm, training", "layer norm, evaluation", "batch norm, training",
             "batch norm, evaluation"]
    return dict(zip(names, ["own", "own", "all", "own"]))

# %% right: whole notebook in a beginner's loops
## row_stats
def row_stats(x):
    D = x.shape[-1]
    means = []
    variances = []
    for row in x.reshape(-1, D):
        total = 0
        for value in row:
            total = total + value
        mean = total / D
        squares = 0
        for value in row:
            squares = squares + (value - mean) ** 2
        means.append(mean)
        variances.append(squares / D)
    shape = list(x.shape[:-1]) + [1]
    return torch.stack(means).reshape(shape), torch.stack(variances).reshape(shape)

## layer_norm
def layer_norm(x, gamma, beta, eps):
    D = x.shape[-1]
    rows = []
    for row in x.reshape(-1, D):
        mean = row.sum() / D
        variance = ((row - mean) ** 2).sum() / D
        new_row = []
        for i in range(D):
            normal = (row[i] - mean) / torch.sqrt(variance + eps)
            new_row.append(gamma[i] * normal + beta[i])
        rows.append(torch.stack(new_row))
    return torch.stack(rows).reshape(x.shape)

## LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if isinstance(normalized_shape, int):
            self.shape = [normalized_shape]
        else:
            self.shape = list(normalized_shape)
        self.eps = eps
        self.weight = None
        self.bias = None
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(self.shape))
            if bias:
                self.bias = nn.Parameter(torch.zeros(self.shape))

    def forward(self, x):
        pieces = []
        for piece in x.reshape([-1] + self.shape):
            mean = piece.mean()
            variance = ((piece - mean) ** 2).mean()
            out = (piece - mean) / torch.sqrt(variance + self.eps)
            if self.weight is not None:
                out = out * self.weight
            if self.bias is not None:
                out = out + self.bias
            pieces.append(out)
        return torch.stack(pieces).reshape(x.shape)

## normalise_over
def normalise_over(x, dims, eps=1e-5):
    taken = []
    for d in dims:
        if d < 0:
            d = d + x.dim()
        taken.append(d)
    kept = []
    for d in range(x.dim()):
        if d not in taken:
            kept.append(d)
    order = kept + taken
    turned = x.permute(order)
    size = 1
    for d in taken:
        size = size * x.shape[d]
    rows = []
    for row in turned.reshape(-1, size):
        mean = row.mean()
        variance = ((row - mean) ** 2).mean()
        rows.append((row - mean) / torch.sqrt(variance + eps))
    back = [0] * len(order)
    for place, d in enumerate(order):
        back[d] = place
    return torch.stack(rows).reshape(turned.shape).permute(back)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    size = D // groups
    examples = []
    for n in range(N):
        tokens = []
        for t in range(T):
            parts = []
            for g in range(groups):
                part = x[n, t, g * size:(g + 1) * size]
                mean = part.mean()
                variance = ((part - mean) ** 2).mean()
                parts.append((part - mean) / torch.sqrt(variance + 1e-5))
            tokens.append(torch.cat(parts))
        examples.append(torch.stack(tokens))
    return torch.stack(examples)

## RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, self.d_model):
            total = 0
            for value in row:
                total = total + value * value
            rms = torch.sqrt(total / self.d_model + self.eps)
            rows.append(self.weight * row / rms)
        return torch.stack(rows).reshape(x.shape)

## layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    rows = []
    dgamma = torch.zeros_like(gamma)
    dbeta = torch.zeros_like(gamma)
    for dy_row, row in zip(dy.reshape(-1, D), x.reshape(-1, D)):
        mean = row.mean()
        std = torch.sqrt(((row - mean) ** 2).mean() + eps)
        x_hat = (row - mean) / std
        g = gamma * dy_row
        dx_row = []
        for i in range(D):
            dx_row.append((g[i] - g.mean() - x_hat[i] * (g * x_hat).mean()) / std)
        rows.append(torch.stack(dx_row))
        dgamma = dgamma + dy_row * x_hat
        dbeta = dbeta + dy_row
    return torch.stack(rows).reshape(x.shape), dgamma, dbeta

## standardise
def standardise(x, eps=1e-5):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        mean = row.mean()
        variance = ((row - mean) ** 2).mean()
        rows.append((row - mean) / torch.sqrt(variance + eps))
    return torch.stack(rows).reshape(x.shape)

## batch_norm_tokens
def batch_norm_tokens(block, norm):
    rows = []
    for example in block:
        for token in example:
            rows.append(token)
    out = norm(torch.stack(rows))
    examples = []
    for n in range(block.shape[0]):
        examples.append(out[n * block.shape[1]:(n + 1) * block.shape[1]])
    return torch.stack(examples)

## influence
def influence(norm, x):
    N, D = x.shape
    x = x.detach().clone()
    x.requires_grad = True
    y = norm(x)
    result = torch.zeros(N, N)
    for i in range(N):
        totals = [0.0] * N
        for a in range(D):
            grad = torch.autograd.grad(y[i, a], x, retain_graph=True)[0]
            for j in range(N):
                totals[j] = totals[j] + (grad[j] ** 2).sum().item()
        for j in range(N):
            result[i, j] = totals[j] ** 0.5
    return result


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }
