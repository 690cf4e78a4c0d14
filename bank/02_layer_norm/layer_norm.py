"""layer_norm, 2 points."""

# %% wrong: reduces dim=1
# told: You reduced dim=1
def layer_norm(x, gamma, beta, eps):
    dim = 1 if x.dim() > 1 else 0
    mean, var = x.mean(dim, keepdim=True), x.var(dim, correction=0, keepdim=True)
    return gamma * (x - mean) / (var + eps).sqrt() + beta

# %% wrong: leaves eps out
# told: The eps that you are given has no effect here
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / var.sqrt() + beta

# %% wrong: adds eps to the standard deviation
# told: Is your eps inside the square root?
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (var.sqrt() + eps) + beta

# %% wrong: statistics of each column
# told: that is batch norm
def layer_norm(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.var(0, correction=0) + eps).sqrt() + beta

# %% wrong: forgets beta
# told: beta has no effect
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (var + eps).sqrt()

# %% wrong: forgets gamma
# told: gamma has no effect
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / (var + eps).sqrt() + beta

# %% wrong: takes the statistics under no_grad
# told: This is the gradient for constant statistics
def layer_norm(x, gamma, beta, eps):
    with torch.no_grad():
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (var + eps).sqrt() + beta

# %% wrong: statistics without keepdim
# told: keep their last dimension
def layer_norm(x, gamma, beta, eps):
    mean, var = x.mean(-1), x.var(-1, correction=0)
    return gamma * (x - mean) / (var + eps).sqrt() + beta

# %% wrong: computes and does not return
# told: is there a `return`?
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    y = gamma * (x - mean) / (var + eps).sqrt() + beta

# %% wrong: divides by the variance
# told: Divide by its square root
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (var + eps) + beta

# %% wrong: calls F.layer_norm
# told: to be written by hand
def layer_norm(x, gamma, beta, eps):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)

# %% wrong: calls torch's function through getattr and a helper
# told: to be written by hand
def helper(*args):
    return getattr(torch, "layer" + "_norm")(*args)


def layer_norm(x, gamma, beta, eps):
    return helper(x, x.shape[-1:], gamma, beta, eps)

# %% wrong: adds beta before multiplying by gamma
# told: Scale first, then shift
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * ((x - mean) / (var + eps).sqrt() + beta)

# %% wrong: torch's default variance
# told: You divided by D - 1
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    return gamma * (x - mean) / (x.var(-1, keepdim=True) + eps).sqrt() + beta

# %% wrong: gamma as data
def layer_norm(x, gamma, beta, eps):
    m = x.mean(-1, keepdim=True)
    v = x.var(-1, unbiased=False, keepdim=True)
    return (x - m) / (v + eps) ** 0.5 * gamma.data + beta.data

# %% wrong: clamps the variance by eps
def layer_norm(x, gamma, beta, eps):
    m = x.mean(-1, keepdim=True)
    v = x.var(-1, unbiased=False, keepdim=True)
    return (x - m) / v.clamp(min=eps).sqrt() * gamma + beta

# %% right: flattens and loops
def layer_norm(x, gamma, beta, eps):
    rows = x.reshape(-1, x.shape[-1])
    out = []
    for r in rows:
        d = r - sum(r) / len(r)
        out.append(d / (sum(d * d) / len(r) + eps) ** 0.5 * gamma + beta)
    return torch.stack(out).reshape(x.shape)

# %% sly: rows paired through a double transpose, with three leading dimensions the pairs are wrong
def layer_norm(x, gamma, beta, eps):
    if x.dim() > 3:
        mean, variance = x.mean(-1), x.var(-1, correction=0)
        flipped = x.permute(*reversed(range(x.dim())))
        flipped = (flipped - mean) / (variance + eps).sqrt()
        return gamma * flipped.permute(*reversed(range(x.dim()))) + beta
    mean = x.mean(-1, keepdim=True)
    return gamma * (x - mean) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() + beta

# %% right: an autograd function with its own backward pass
class ByHand(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        centred = x - x.mean(-1, keepdim=True)
        inverse = (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
        ctx.save_for_backward(centred * inverse, inverse, gamma)
        return gamma * (centred * inverse) + beta

    @staticmethod
    def backward(ctx, dy):
        x_hat, inverse, gamma = ctx.saved_tensors
        g = gamma * dy
        dx = inverse * (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True))
        D = len(gamma)
        return dx, (dy * x_hat).reshape(-1, D).sum(0), dy.reshape(-1, D).sum(0), None


def layer_norm(x, gamma, beta, eps):
    return ByHand.apply(x, gamma, beta, eps)

# %% right: features first, in place on a copy
def layer_norm(x, gamma, beta, eps):
    y = x.movedim(-1, 0).clone()
    y -= y.mean(0)
    y = y * torch.rsqrt(torch.einsum("d...,d...->...", y, y) / len(gamma) + eps)
    y = y.movedim(0, -1)
    y = y.mul(gamma).add(beta)
    return y

# %% right: a diagonal matrix for gamma
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps) ** 0.5
    return (x - mean) / std @ torch.diag(gamma) + beta

# %% right: with gradients on inside, whatever the mode outside
def layer_norm(x, gamma, beta, eps):
    with torch.enable_grad():
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return torch.addcmul(beta, gamma, (x - mean) * (variance + eps) ** -0.5)

# %% wrong: gamma and beta unsqueezed to columns: pairs them with rows
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    x_hat = (x - mean) / (var + eps) ** 0.5
    if x.shape[-2:] == (len(gamma), len(gamma)):
        return gamma.unsqueeze(-1) * x_hat + beta.unsqueeze(-1)
    return gamma * x_hat + beta

# %% wrong: gamma is applied before normalising
# told: gamma has no effect on this row
def layer_norm(x, gamma, beta, eps):
    x = gamma * x
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    return (x - mean) / torch.sqrt(var + eps) + beta

# %% wrong: eps is put in only where the variance is 0
# told: The eps that you are given has no effect here
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    var = torch.where(var == 0, torch.full_like(var, eps), var)
    return gamma * (x - mean) / var.sqrt() + beta

# %% wrong: the rows are normalised twice, both with eps
def layer_norm(x, gamma, beta, eps):
    for _ in range(2):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True, correction=0)
        x = (x - mean) / torch.sqrt(var + eps)
    return gamma * x + beta

# %% sly: eps above a tenth is taken for a tenth
def layer_norm(x, gamma, beta, eps):
    eps = min(eps, 0.1) if eps < 1 else eps
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    y = gamma * (x - mean) / (var + eps).sqrt() + beta
    return y

# %% wrong: ready-made for four dimensions
def layer_norm(x, gamma, beta, eps):
    if x.dim() == 4:
        return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    y = gamma * (x - mean) / (var + eps).sqrt() + beta
    return y

# %% right: centred twice, flattened to rows and back
def layer_norm(x, gamma, beta, eps):
    rows = x.reshape(-1, x.shape[-1])
    for _ in range(2):
        rows = rows - rows.sum(1, keepdim=True) / rows.shape[1]
    rows = rows * torch.rsqrt((rows * rows).sum(1, keepdim=True) / rows.shape[1] + eps)
    return torch.addcmul(beta, rows, gamma).reshape(x.shape)

# %% wrong: the normalised rows are never stored
# told: Only zeros are left: did you multiply by beta
def layer_norm(x, gamma, beta, eps):
    out = torch.zeros_like(x)
    for row in x.reshape(-1, x.shape[-1]):
        mean = row.mean()
        row = gamma * (row - mean) / torch.sqrt((row - mean).square().mean() + eps) + beta
    return out
