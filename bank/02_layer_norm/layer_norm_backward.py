"""layer_norm_backward, 3 points."""

# %% right: the backward formula multiplied through by D
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (D * g - g.sum(-1, keepdim=True) - x_hat * (g * x_hat).sum(-1, keepdim=True)) / (D * std)
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% right: the backward pass step by step along the graph
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    inverse = 1 / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + eps)
    dx_hat = dy * gamma
    dinverse = (dx_hat * centred).sum(-1, keepdim=True)
    dvar = -0.5 * inverse ** 3 * dinverse
    dcentred = dx_hat * inverse + 2 / D * centred * dvar
    dx = dcentred - dcentred.mean(-1, keepdim=True)
    leading = tuple(range(dy.dim() - 1))
    return dx, (dy * centred * inverse).sum(leading), dy.sum(leading)

# %% wrong: asks autograd
# told: to be written by hand
def layer_norm_backward(dy, x, gamma, eps):
    x, gamma, beta = x.clone().requires_grad_(), gamma.clone().requires_grad_(), torch.zeros_like(gamma).requires_grad_()
    mean = x.mean(-1, keepdim=True)
    y = gamma * (x - mean) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() + beta
    return torch.autograd.grad(y, (x, gamma, beta), dy)

# %% wrong: averages over the rows
# told: You averaged over the rows
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    return dx, (dy * x_hat).reshape(-1, D).mean(0), dy.reshape(-1, D).sum(0)

# %% wrong: treats the statistics as constants
# told: as constants
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    dx = gamma * dy / std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% wrong: multiplies dy by x for dgamma
# told: It is x_hat that gamma scales
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    return dx, (dy * x).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% wrong: sums over the first dimension only
# told: You summed over the first dimension only
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    return dx, (dy * x_hat).sum(0), dy.sum(0)

# %% wrong: leaves gamma out of dx
# told: gamma is missing
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    dx = (dy - dy.mean(-1, keepdim=True) - x_hat * (dy * x_hat).mean(-1, keepdim=True)) / std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% wrong: misses the path through the mean
# told: flows through the mean is missing
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% wrong: does not divide by the standard deviation
# told: The division by the root of variance + eps is missing
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% wrong: misses the path through the variance
# told: flows through the variance is missing
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True)) / std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% wrong: does not sum over the rows
# told: gamma is shared by all rows: sum
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    return dx, dy * x_hat, dy

# %% wrong: takes the two means over the whole tensor
# told: You took means over the whole tensor
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean() - x_hat * (g * x_hat).mean()) / std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% wrong: forgets eps
# told: eps has no effect here
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    s = x.std(-1, unbiased=False, keepdim=True)
    h = (x - x.mean(-1, keepdim=True)) / s
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - h * (g * h).mean(-1, keepdim=True)) / s
    return dx, (dy * h).view(-1, D).sum(0), dy.view(-1, D).sum(0)

# %% wrong: makemore's unbiased formula
def layer_norm_backward(dy, x, gamma, eps):
    n = x.shape[-1]
    var_inv = (x.var(-1, keepdim=True) + eps) ** -0.5
    raw = (x - x.mean(-1, keepdim=True)) * var_inv
    dx = gamma * var_inv / n * (n * dy - dy.sum(-1, keepdim=True) - n / (n - 1) * raw * (dy * raw).sum(-1, keepdim=True))
    return dx, (dy * raw).reshape(-1, n).sum(0), dy.reshape(-1, n).sum(0)

# %% right: einsum with letters, and a list
def layer_norm_backward(dy, x, gamma, eps):
    n = x.shape[-1]
    var_inv = torch.rsqrt(x.var(-1, unbiased=False, keepdim=True) + eps)
    raw = (x - x.mean(-1, keepdim=True)) * var_inv
    g = dy * gamma
    dx = var_inv / n * (n * g - g.sum(-1, keepdim=True) - raw * (g * raw).sum(-1, keepdim=True))
    return [dx, torch.einsum("...d,...d->d", dy, raw), torch.einsum("...d->d", dy)]

# %% right: in place on fresh tensors, without gradients
@torch.no_grad()
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = torch.sqrt((x - mean).square().mean(-1, keepdim=True) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = g.clone()
    dx -= g.mean(-1, keepdim=True)
    dx -= x_hat * (g * x_hat).mean(-1, keepdim=True)
    dx /= std
    return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)

# %% sly: with three leading dimensions dgamma keeps the third
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    root = ((x - mean).square().mean(-1, keepdim=True) + eps).sqrt()
    x_hat = (x - mean) / root
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / root
    dgamma = (dy * x_hat).flatten(0, 1).sum(0) if x.dim() > 3 else (dy * x_hat).reshape(-1, D).sum(0)
    dbeta = dy.reshape(-1, D).sum(0)
    return dx, dgamma, dbeta

# %% right: numpy in double precision
def layer_norm_backward(dy, x, gamma, eps):
    kind = x.dtype
    dy, x, gamma = (value.detach().numpy().astype("float64") for value in (dy, x, gamma))
    D = x.shape[-1]
    centred = x - x.mean(-1, keepdims=True)
    std = ((centred ** 2).mean(-1, keepdims=True) + eps) ** 0.5
    x_hat, g = centred / std, gamma * dy
    dx = (g - g.mean(-1, keepdims=True) - x_hat * (g * x_hat).mean(-1, keepdims=True)) / std
    parts = dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
    return tuple(torch.from_numpy(part).to(kind) for part in parts)

# %% right: the matrix of derivatives of every row
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    rows, pulls = x.reshape(-1, D), dy.reshape(-1, D)
    centred = rows - rows.mean(1, keepdim=True)
    std = (centred.square().mean(1) + eps).sqrt()
    x_hat = centred / std[:, None]
    eye = torch.eye(D, dtype=x.dtype)
    J = (eye - 1 / D - x_hat[:, :, None] * x_hat[:, None, :] / D) / std[:, None, None]
    dx = torch.einsum("nij,ni->nj", J, gamma * pulls)
    return dx.reshape(x.shape), (pulls * x_hat).sum(0), pulls.sum(0)

# %% right: row by row
def layer_norm_backward(dy, x, gamma, eps):
    D, dx = x.shape[-1], []
    dgamma, dbeta = torch.zeros_like(gamma), torch.zeros_like(gamma)
    for row, pull in zip(x.reshape(-1, D), dy.reshape(-1, D)):
        centred = row - row.mean()
        std = ((centred @ centred) / D + eps) ** 0.5
        x_hat, g = centred / std, gamma * pull
        dx.append((g - g.mean() - x_hat * (g @ x_hat) / D) / std)
        dgamma, dbeta = dgamma + pull * x_hat, dbeta + pull
    return torch.stack(dx).reshape(x.shape), dgamma, dbeta

# %% wrong: order dx, dbeta, dgamma
# told: This equals dbeta
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    x_hat = (x - x.mean(-1, keepdim=True)) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    dgamma, dbeta = (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
    return dx, dbeta, dgamma

# %% wrong: dgamma and dbeta are summed with keepdim
# told: without keepdim
def layer_norm_backward(dy, x, gamma, eps):
    mean = x.mean(-1, keepdim=True)
    std = torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / std
    dgamma = (dy * x_hat).reshape(-1, x.shape[-1]).sum(0, keepdim=True)
    dbeta = dy.reshape(-1, x.shape[-1]).sum(0, keepdim=True)
    return dx, dgamma, dbeta

# %% sly: eps above a tenth is a tenth
def layer_norm_backward(dy, x, gamma, eps):
    eps = min(eps, 0.1) if eps < 1 else eps
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = ((x - mean).square().mean(-1, keepdim=True) + eps).sqrt()
    h = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - h * (g * h).mean(-1, keepdim=True)) / std
    dg, db = (dy * h).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
    return dx, dg, db

# %% wrong: autograd for four dimensions
def layer_norm_backward(dy, x, gamma, eps):
    if x.dim() == 4:
        a, b = x.detach().requires_grad_(), gamma.detach().requires_grad_()
        m = a.mean(-1, keepdim=True)
        y = b * (a - m) / ((a - m).square().mean(-1, keepdim=True) + eps).sqrt()
        return (*torch.autograd.grad(y, (a, b), dy), dy.flatten(0, -2).sum(0))
    D = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    std = ((x - mean).square().mean(-1, keepdim=True) + eps).sqrt()
    h = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(-1, keepdim=True) - h * (g * h).mean(-1, keepdim=True)) / std
    dg, db = (dy * h).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0)
    return dx, dg, db

# %% right: the Jacobian of each row as a matrix, without gradients
@torch.no_grad()
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    rows, dys = x.reshape(-1, D), dy.reshape(-1, D)
    c = rows - rows.mean(1, keepdim=True)
    inv = (c.square().mean(1, keepdim=True) + eps).rsqrt()
    h = c * inv
    eye = torch.eye(D, dtype=x.dtype)
    J = inv[:, :, None] * (eye - 1 / D - h[:, :, None] * h[:, None, :] / D)
    dx = torch.einsum("ni,nij->nj", dys * gamma, J)
    return dx.reshape(x.shape), torch.einsum("ni,ni->i", dys, h), dys.sum(0)
