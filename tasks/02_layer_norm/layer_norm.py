"""layer_norm, 2 points: layer norm over the last dimension, by hand."""
task = Task("layer_norm", by_hand="normalisation")
f = task.function(x="... D", gamma="D", beta="D", eps=[1e-5, 0.5, 0.])
one, none = [1., 1., 1.], [0., 0., 0.]

f.look("every row gets mean 0 and variance 1",
          x=[[1., 2., 6.], [10., 20., 60.], [2., 2., 8.]], gamma=one, beta=none, eps=0.)
f.look("eps stands inside the root", x=[[1., 7.]], gamma=one[:2], beta=none[:2], eps=40.)
f.look("gamma scales, then beta shifts", x=[[1., 5.]], gamma=[2., 9.], beta=[1., 4.], eps=0.)
f.look("three blocks of two rows", x=[[[1., 3.], [2., 8.]], [[0., 4.], [6., 6.]], [[5., 7.], [1., 9.]]],
          gamma=one[:2], beta=none[:2], eps=1.)
f.look("gradients flow through the mean and the variance, and reach gamma and beta",
          x=[[1., 3.]], gamma=[2., 10.], beta=[0., 5.], eps=0.5, backward=True)

# %% mistakes
axis = "02#the-axis-that-must-not-disappear"; sets = "02#which-numbers-share-a-mean"; details = "02#what-people-get-wrong"
mistake("The mean and the variance are paired with the columns, not with their own rows: keep their last dimension "
        "(keepdim=True).", mean="x.mean(-1)", variance="(x - x.mean(-1, keepdim=True)).square().mean(-1)", see=axis)
mistake("The mean is paired with the columns, not with its own row: keep its last dimension (keepdim=True).",
        mean="x.mean(-1)", variance="x.var(-1, correction=0, keepdim=True)", see=axis)
mistake("The variance is paired with the columns, not with its own row: keep its last dimension (keepdim=True).",
        variance="(x - mean).square().mean(-1)", see=axis)
mistake("You averaged over the rows (dim 0): that is batch norm. Each row has a mean and a variance of its own (dim -1).",
        mean="x.mean(0)", variance="x.var(0, correction=0)", see=sets)
mistake("You averaged the squared distances over the rows (dim 0). Each row has a variance of its own (dim -1).",
        variance="(x - mean).square().mean(0)", see=sets)
mistake("You reduced dim=1. The features are the last dimension: use dim=-1.",
        mean="x.mean(dim := 1 if x.dim() > 1 else 0, keepdim=True)", variance="x.var(dim, correction=0, keepdim=True)", see=sets)
mistake("You reduced dim=1. The features are the last dimension: use dim=-1.",
        mean="x.mean(1, keepdim=True)", variance="(x - mean).square().mean(1, keepdim=True)", see=sets)
mistake("You reduced all dimensions but the first. The features are the last one alone: use dim=-1.",
        mean="x.mean(tuple(range(1, x.dim())), keepdim=True)", variance="(x - mean).square().mean(tuple(range(1, x.dim())), keepdim=True)", see=sets)
mistake("You took one mean and variance for the whole tensor. Each row has its own (dim=-1, keepdim=True).",
        mean="x.mean()", variance="x.var(correction=0)", see=sets)
mistake("You divided by D - 1 in the variance. Layer norm uses the biased variance: divide by D.",
        variance="x.var(-1, keepdim=True)", see=details)
mistake("You divided by the variance. Divide by its square root: take the root of variance + eps.", x_hat="(x - mean) / (variance + eps)")
mistake("Is your eps inside the square root? You added it to the standard deviation.", x_hat="(x - mean) / (variance.sqrt() + eps)", see=details)
mistake("The eps that you are given has no effect here: add that one to every variance, inside the root.", x_hat="(x - mean) / variance.sqrt()", see=details)
mistake("The eps that you are given has no effect here: add that one to every variance, inside the root.", x_hat="(x - mean) / (variance + 1e-5).sqrt()", see=details)
mistake("The eps that you are given has no effect here (you limit the variance by it): add it to every variance, inside the root.",
        x_hat="(x - mean) / variance.clamp(min=eps).sqrt()", see=details)
mistake("The eps that you are given has no effect here: add that one to every variance, inside the root.",
        x_hat="(x - mean) / torch.where(variance == 0, torch.full_like(variance, eps), variance).sqrt()", see=details)
mistake("You added the root of eps to the root of the variance. Add first, then take one root.", x_hat="(x - mean) / (variance.sqrt() + eps ** 0.5)", see=details)
mistake("eps counts squared here: add eps itself to the variance.", x_hat="(x - mean) / (variance + eps ** 2).sqrt()")
mistake("You divided by the standard deviation and did not subtract the mean.", x_hat="x / (variance + eps).sqrt()")
mistake("You divided by the root of the mean square. Its distance from the mean counts, not the number itself.",
        variance="x.square().mean(-1, keepdim=True)")
mistake("This is what the mean distance gives: square the distances before you average them.", variance="(x - mean).abs().mean(-1, keepdim=True)")
mistake("This is what the sum of the squared distances gives: divide it by D.", variance="(x - mean).square().sum(-1, keepdim=True)")
mistake("You multiplied by the standard deviation. Divide by it.", x_hat="(x - mean) * (variance + eps).sqrt()")
mistake("You added the mean. Subtract it.", x_hat="(x + mean) / (variance + eps).sqrt()")
mistake("The sign of the normalised row is turned round: it is x - mean, not mean - x.", x_hat="(mean - x) / (variance + eps).sqrt()")
mistake("Only the mean is divided by the root: is a parenthesis missing? Divide x - mean by it.", x_hat="x - mean / (variance + eps).sqrt()")
mistake("You subtracted the sum of the row. The mean is the sum divided by D.", mean="x.sum(-1, keepdim=True)", variance="x.var(-1, correction=0, keepdim=True)")
mistake("The rows are normalised twice. Once is enough.",
        x_hat="(lambda y: y / (y.square().mean(-1, keepdim=True) + eps).sqrt())((x - mean) / (variance + eps).sqrt())")
mistake("The rows are centred and not divided: divide by the root of variance + eps.", x_hat="x - mean")
mistake("gamma has no effect: multiply the normalised row by it.", returns="x_hat + beta")
mistake("beta has no effect: add it at the end.", returns="gamma * x_hat")
mistake("gamma and beta have no effect. Are they applied after normalising, not before?", returns="x_hat")
mistake("gamma has no effect on this row: multiply the normalised row by it, not x.",
        mean="(gamma * x).mean(-1, keepdim=True)", variance="(gamma * x).var(-1, correction=0, keepdim=True)",
        x_hat="(gamma * x - mean) / (variance + eps).sqrt()", returns="x_hat + beta")
mistake("You added beta before you multiplied by gamma. Scale first, then shift.", returns="gamma * (x_hat + beta)")
mistake("You subtracted beta. Add it.", returns="gamma * x_hat - beta")
mistake("Are gamma and beta swapped? gamma multiplies the normalised row, beta is added.", returns="beta * x_hat + gamma")
mistake("You multiplied by 1 + gamma. Multiply by gamma itself.", returns="(1 + gamma) * x_hat + beta")
mistake("gamma is applied by a matrix product, which sums over the features. Multiply feature by feature.", returns="x_hat @ gamma + beta")
mistake("You divided by gamma. Multiply by it.", returns="x_hat / gamma + beta")
mistake("Only zeros are left: did you multiply by beta, subtract x itself, or were the rows never stored? gamma multiplies, and beta is added.",
        returns="torch.zeros_like(x)")
mistake("is there a `return`? Your function gives None.", returns="None")
mistake("This is the gradient for constant statistics: they depend on x, so do not cut them off (detach, data, item or no_grad).",
        mean="x.mean(-1, keepdim=True).detach()", variance="(x - mean).square().mean(-1, keepdim=True).detach()")
mistake("No gradient flows through the variance: is it cut off (detach, data, item or no_grad), or not used?", x_hat="(x - mean) / (variance.detach() + eps).sqrt()")
mistake("No gradient flows through the mean: is it cut off (detach, data, item or no_grad), or not used?", mean="x.mean(-1, keepdim=True).detach()")
cut = "{} is cut off (detach, data, item, no_grad, a new tensor of it), or not used: no gradient reaches it."
mistake(cut.format("gamma"), returns="gamma.detach() * x_hat + beta")
mistake(cut.format("beta"), returns="gamma * x_hat + beta.detach()")
mistake(cut.format("What you are given"), returns="gamma.detach() * x_hat.detach() + beta.detach()")
mistake("gamma and beta are cut off (detach, data, item, no_grad, a new tensor of them), or not used: no gradient reaches them.",
        returns="gamma.detach() * x_hat + beta.detach()")

# %% right: flattens and loops
def layer_norm(x, gamma, beta, eps):
    rows = x.reshape(-1, x.shape[-1])
    out = []
    for r in rows:
        d = r - sum(r) / len(r)
        out.append(d / (sum(d * d) / len(r) + eps) ** 0.5 * gamma + beta)
    return torch.stack(out).reshape(x.shape)

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

# %% right: centred twice, flattened to rows and back
def layer_norm(x, gamma, beta, eps):
    rows = x.reshape(-1, x.shape[-1])
    for _ in range(2):
        rows = rows - rows.sum(1, keepdim=True) / rows.shape[1]
    rows = rows * torch.rsqrt((rows * rows).sum(1, keepdim=True) / rows.shape[1] + eps)
    return torch.addcmul(beta, rows, gamma).reshape(x.shape)

# %% right: ARENA
def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    assert x.shape[-1] == gamma.shape[0] == beta.shape[0]
    residual = x - x.mean(dim=-1, keepdim=True)
    scale = (residual.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()
    return residual / scale * gamma + beta

# %% right: CS231n
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

# %% right: makemore
def layer_norm(x, gamma, beta, eps):
    hpreact = x
    lnmeani = hpreact.mean(-1, keepdim=True)
    lndiff = hpreact - lnmeani
    lnvar = (lndiff**2).mean(-1, keepdim=True)
    lnvar_inv = (lnvar + eps)**-0.5
    lnraw = lndiff * lnvar_inv
    return gamma * lnraw + beta

# %% right: torch source
def layer_norm(x, gamma, beta, eps):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, (x - mean) * torch.rsqrt(var + eps), gamma)

# %% right: numpy first
def layer_norm(x, gamma, beta, eps):
    mean = x.mean(axis=-1)[..., None]
    variance = x.var(axis=-1, correction=0)[..., None]
    x_hat = (x - mean) / (variance + eps) ** 0.5
    return x_hat * gamma[None, :] + beta[None, :] if x.ndim == 2 else x_hat * gamma + beta

# %% right: plain loops
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
