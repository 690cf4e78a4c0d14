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
# fails: row_stats, layer_norm
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
