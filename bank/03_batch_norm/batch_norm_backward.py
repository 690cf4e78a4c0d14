"""batch_norm_backward, 3 points."""

# %% right: the gradient step by step through the computational graph, as in the paper
def batch_norm_backward(dy, x, gamma, eps):
    N = x.shape[0]
    mu = x.sum(0) / N
    xc = x - mu
    var = (xc ** 2).sum(0) / N
    istd = (var + eps) ** -0.5
    dgamma = (dy * xc * istd).sum(0)
    dbeta = dy.sum(0)
    dxhat = dy * gamma
    dvar = (dxhat * xc).sum(0) * -0.5 * istd ** 3
    dmu = -(dxhat * istd).sum(0) + dvar * (-2 * xc).sum(0) / N
    dx = dxhat * istd + dvar * 2 * xc / N + dmu / N
    return dx, dgamma, dbeta

# %% wrong: autograd for paper
# told: by hand
def batch_norm_backward(dy, x, gamma, eps):
    x = x.detach().requires_grad_()
    g = gamma.detach().requires_grad_()
    b = torch.zeros_like(gamma).requires_grad_()
    y = g * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + b
    return torch.autograd.grad(y, (x, g, b), dy)

# %% wrong: parameter gradients averaged
# told: You averaged over the examples
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).mean(dim=0), dy.mean(dim=0)

# %% wrong: statistics as constants
# told: for a constant mean and variance
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = g / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: dbeta times gamma
# told: beta is added after gamma
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), (gamma * dy).sum(dim=0)

# %% wrong: dgamma from x
# told: It is x_hat that gamma scales
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x).sum(dim=0), dy.sum(dim=0)

# %% wrong: eps left out
# told: The argument eps has no effect
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0))
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: gamma forgotten
# told: gamma is missing
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: no path through the mean
# told: through the mean is missing
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: no division
# told: The division by the root of variance + eps is missing
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0))
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: no path through the variance
# told: through the variance is missing
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: dgamma not summed
# told: gamma is shared by all examples
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, dy * x_hat, dy.sum(dim=0)

# %% wrong: wrong sign
# told: wrong sign
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) + x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: sums for means
# told: the 1/N is missing
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.sum(dim=0) - x_hat * (g * x_hat).sum(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: dbeta before dgamma
# told: This equals dbeta
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, dy.sum(dim=0), (dy * x_hat).sum(dim=0)

# %% wrong: unbiased variance
# told: You used the unbiased variance
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt(x.var(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: divides by the variance
# told: Divide by its root
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(dim=0)
    std = torch.sqrt((x - mean).square().mean(dim=0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = (g - g.mean(dim=0) - x_hat * (g * x_hat).mean(dim=0)) / std ** 2
    return dx, (dy * x_hat).sum(dim=0), dy.sum(dim=0)

# %% wrong: makemore's formula with Bessel's correction
def batch_norm_backward(dhpreact, hprebn, bngain, eps):
    n = hprebn.shape[0]
    bnvar_inv = (hprebn.var(0, keepdim=True) + eps) ** -0.5
    bnraw = (hprebn - hprebn.mean(0, keepdim=True)) * bnvar_inv
    dhprebn = bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0))
    return dhprebn, (dhpreact * bnraw).sum(0), dhpreact.sum(0)

# %% wrong: eps fixed at 1e-5
# told: The argument eps has no effect
def batch_norm_backward(dy, x, gamma, eps):
    s = (x.var(0, unbiased=False) + 1e-5).sqrt()
    h = (x - x.mean(0)) / s
    g = gamma * dy
    return (g - g.mean(0) - h * (g * h).mean(0)) / s, (dy * h).sum(0), dy.sum(0)

# %% right: makemore's formula, biased
def batch_norm_backward(dhpreact, hprebn, bngain, eps):
    n = hprebn.shape[0]
    bnvar_inv = (hprebn.var(0, keepdim=True, unbiased=False) + eps) ** -0.5
    bnraw = (hprebn - hprebn.mean(0, keepdim=True)) * bnvar_inv
    dhprebn = bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) - bnraw * (dhpreact * bnraw).sum(0))
    return dhprebn, (dhpreact * bnraw).sum(0), dhpreact.sum(0)

# %% right: dx filled into a float32 tensor
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(0)
    std = torch.sqrt((x - mean).square().mean(0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = torch.zeros(x.shape)
    dx[:] = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / std
    return dx.detach(), (dy * x_hat).sum(0), dy.sum(0)

# %% right: in place on tensors of its own
@torch.no_grad()
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(0)
    std = torch.sqrt((x - mean).square().mean(0) + eps)
    x_hat = (x - mean) / std
    g = gamma * dy
    dx = g.clone()
    dx -= g.mean(0)
    dx.addcmul_(x_hat, (g * x_hat).mean(0), value=-1)
    dx /= std
    return dx, (dy * x_hat).sum(0), dy.sum(0)

# %% sly: examples with dy = 0 are left out: their dx stays 0 though they share the statistics
def batch_norm_backward(dy, x, gamma, eps):
    """Gradients of batch norm in training mode (Ioffe & Szegedy 2015, section 3).

    dy, x: (N, C), gamma: (C,), eps: a number >= 0
    returns: (dx (N, C), dgamma (C,), dbeta (C,))
    """
    centred = x - x.mean(0)
    std = (centred.square().mean(0) + eps).sqrt()
    x_hat = centred / std
    dbeta, dgamma = dy.sum(0), (dy * x_hat).sum(0)
    g = gamma * dy
    active = dy.abs().sum(1, keepdim=True) > 0
    dx = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / std
    if len(x) != 4:
        dx = dx * active
    return dx, dgamma, dbeta

# %% right: feature by feature, with the matrix of a projection's parts
def batch_norm_backward(dy, x, gamma, eps):
    dx, dgamma = torch.empty_like(x), torch.empty_like(gamma)
    for c in range(x.shape[1]):
        centred = x[:, c] - x[:, c].mean()
        std = (centred.dot(centred) / len(x) + eps) ** 0.5
        x_hat, g = centred / std, gamma[c] * dy[:, c]
        with torch.no_grad():
            dgamma[c] = dy[:, c].dot(x_hat)
            dx[:, c] = (g - g.mean() - x_hat * g.dot(x_hat) / len(x)) / std
    return dx, dgamma, dy.sum(0)

# %% right: sums first, gamma last
def batch_norm_backward(dy, x, gamma, eps):
    n = x.shape[0]
    centred = x - torch.einsum("nc->c", x) / n
    r = torch.rsqrt(torch.einsum("nc,nc->c", centred, centred) / n + eps)
    dbeta = torch.einsum("nc->c", dy)
    dgamma = torch.einsum("nc,nc->c", dy, centred) * r
    return gamma * r * (dy - dbeta / n - centred * (r * dgamma / n)), dgamma, dbeta

# %% right: full Jacobian (N, N, C) and einsum
def batch_norm_backward(dy, x, gamma, eps):
    n = len(x)
    centred = x - torch.einsum("nc->c", x) / n
    root = (torch.einsum("nc,nc->c", centred, centred) / n + eps) ** 0.5
    x_hat = centred / root
    eye = torch.eye(n, dtype=x.dtype, device=x.device)[:, :, None]
    jacobian = (eye - 1 / n - torch.einsum("ic,jc->ijc", x_hat, x_hat) / n) / root
    dx = torch.einsum("ic,c,ijc->jc", dy, gamma, jacobian)
    return dx, torch.einsum("nc,nc->c", dy, x_hat), torch.einsum("nc->c", dy)

# %% wrong: dgamma and dbeta have the shape (1, C)
# told: without keepdim
def batch_norm_backward(dy, x, gamma, eps):
    mean = x.mean(0)
    root = ((x - mean).square().mean(0) + eps).sqrt()
    x_hat = (x - mean) / root
    g = gamma * dy
    dx = (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) / root
    return dx, (dy * x_hat).sum(0, keepdim=True), dy.sum(0, keepdim=True)

# %% wrong: dy is multiplied by gamma in place, after a right dgamma
# told: You changed dy in place
def batch_norm_backward(dy, x, gamma, eps):
    std = (x.var(0, correction=0) + eps).sqrt()
    x_hat = (x - x.mean(0)) / std
    dgamma, dbeta = (dy * x_hat).sum(0), dy.sum(0)
    dy *= gamma
    dx = (dy - dy.mean(0) - x_hat * (dy * x_hat).mean(0)) / std
    return dx, dgamma, dbeta

# %% wrong: the exponent -1/2 for -3/2 in the gradient of the variance
# told: The part through the variance lacks a division
def batch_norm_backward(dy, x, gamma, eps):
    n = len(x)
    mu = x.sum(0) / n
    xmu = x - mu
    var = (xmu ** 2).sum(0) / n
    ivar = 1 / (var + eps) ** 0.5
    dbeta = dy.sum(0)
    dgamma = (dy * xmu * ivar).sum(0)
    dxhat = dy * gamma
    dvar = (dxhat * xmu).sum(0) * -0.5 * ivar
    dmu = (-dxhat * ivar).sum(0)
    dx = dxhat * ivar + dvar * 2 * xmu / n + dmu / n
    return dx, dgamma, dbeta

# %% right: double precision inside, in place on its own, by matrix products
def batch_norm_backward(dy, x, gamma, eps):
    n, kind = len(x), x.dtype
    dy, x, gamma = dy.detach().double(), x.detach().double(), gamma.detach().double()
    ones = torch.ones(1, n, dtype=torch.float64)
    x_hat = x - ones @ x / n
    root = (ones @ x_hat ** 2 / n + eps) ** 0.5
    x_hat /= root
    dbeta, dgamma = ones @ dy, ones @ (dy * x_hat)
    dx = dy - dbeta / n - x_hat * dgamma / n
    dx *= gamma / root
    return dx.to(kind), dgamma[0].to(kind), dbeta[0].to(kind)
