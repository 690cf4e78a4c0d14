"""layer_norm_backward, 2 points: three gradients by hand."""
task = Task("layer_norm_backward", by_hand=["normalisation", "autograd"])
f = task.function(gradient=False, dy="... D", x="... D", gamma="D", eps=[1e-5, 0.5, 0.01], skip=["a single row"])
x = [[-1., -1., 3., 3.], [5., 5., 1., 1.], [-7., 3., -1., -3.]]  # means 1, 3, -2; with eps the roots are 4, 4 and 5
dy, gamma = [[4., 0., 0., 0.], [0., 0., 0., 2.], [0., 1., 0., 0.]], [3., 1., 1., 1.]
more = dict(dy=[dy, [[10 * n for n in row] for row in dy]], x=[x, x], gamma=gamma, eps=12.)

f.look("dx", of=first, dy=dy, x=x, gamma=gamma, eps=12.)
f.look("dgamma", of=second, dy=dy, x=x, gamma=gamma, eps=12.)
f.look("dbeta", of=lambda answer: answer[2], dy=dy, x=x, gamma=gamma, eps=12.)
f.look("more leading dimensions: dgamma and dbeta are summed over all of them", of=lambda answer: answer[1:], **more)

# %% mistakes
sets = "02#which-numbers-share-a-mean"; details = "02#what-people-get-wrong"; sphere = "02#the-sphere"
MEAN, STD = "x.mean(dim=-1, keepdim=True)", "torch.sqrt((x - mean).square().mean(dim=-1, keepdim=True) + eps)"
GM, GX = "g.mean(dim=-1, keepdim=True)", "(g * x_hat).mean(dim=-1, keepdim=True)"


def root(variance):
    return f"torch.sqrt({variance} + eps)"


mistake("This is dx for a mean and a variance taken as constants. Both depend on x: two parts are missing, or zero.", dx="g / std", see=sphere)
mistake("The part that flows through the variance is missing, or zero. It takes the mean of the products of g and x_hat.", dx=f"(g - {GM}) / std", see=sphere)
mistake("The part that flows through the mean is missing, or zero. It is the mean of g.", dx=f"(g - x_hat * {GX}) / std", see=sphere)
mistake("gamma is missing: the gradient that arrives at x_hat is gamma * dy.", g="dy")
mistake("The division by the root of variance + eps is missing.", dx=f"g - {GM} - x_hat * {GX}")
mistake("You divided by the variance + eps. Divide by its root.", dx=f"(g - {GM} - x_hat * {GX}) / std.square()")
mistake("You took sums where the formula has means: the 1/D is missing.", dx="(g - g.sum(-1, keepdim=True) - x_hat * (g * x_hat).sum(-1, keepdim=True)) / std")
mistake("You took means over the whole tensor. Each row has its own: dim=-1 with keepdim=True.", dx="(g - g.mean() - x_hat * (g * x_hat).mean()) / std", see=sets)
mistake("The part through the variance has the wrong sign.", dx=f"(g - {GM} + x_hat * {GX}) / std")
mistake("eps has no effect here: add it to the variance, inside the root.", std="x.std(-1, correction=0, keepdim=True)", see=details)
mistake("eps is in x_hat, but you divide by a standard deviation without it.", dx=f"(g - {GM} - x_hat * {GX}) / x.std(-1, correction=0, keepdim=True)")
mistake("Your variance is divided by D - 1, or by the number of rows (both are 3 here). The forward pass divides by D, and so does its gradient.",
        std=root("x.var(-1, keepdim=True)"))
mistake("You took all means over the whole tensor, those of x too. Each row has its own: dim=-1 with keepdim=True.", mean="x.mean()",
        std=root("x.var(correction=0)"), dx="(g - g.mean() - x_hat * (g * x_hat).mean()) / std", see=sets)
mistake("You took all means over the columns: that is the gradient of batch norm.", {"mean(dim=-1, keepdim=True)": "mean(dim=0, keepdim=True)"}, see=sets)
mistake("You subtracted the sum of the row. The mean is the sum divided by D.", mean="x.sum(-1, keepdim=True)", std=root("x.var(-1, correction=0, keepdim=True)"))
mistake("Your mean is that of the columns. Take that of each row.", mean="x.mean(0)", std=root("x.var(-1, correction=0, keepdim=True)"))
mistake("x_hat is x - mean divided by the root of variance + eps: the root is missing.", x_hat="(x - mean) / std.square()")
mistake("The squared distances are not averaged: the variance of a row is one number.", std=root("(x - mean).square()"))
mistake("This is what the sum of the squared distances gives: divide it by D.", std=root("(x - mean).square().sum(-1, keepdim=True)"))
mistake("Your variance comes to zero, only eps is left in the root: did the distances from the mean cancel (square them before you average), or is it missing?",
        std=root("(x - mean).mean(-1, keepdim=True).square()"))
mistake("This is what the mean distance gives: average the squared distances.", std=root("(x - mean).abs().mean(-1, keepdim=True)"))
mistake("In the variance you added the mean. Subtract it before you square.", std=root("(x + mean).square().mean(-1, keepdim=True)"))
mistake("You took the root of the mean square. The distance from the mean counts, not the number itself.", std=root("x.square().mean(-1, keepdim=True)"))
mistake("The squared distances are averaged down the columns. Average them along each row (dim=-1).", std=root("(x - mean).square().mean(0)"))
mistake("x_hat is x - mean divided by the standard deviation. You multiplied.", x_hat="(x - mean) * std")
mistake("In x_hat you added the mean. Subtract it.", x_hat="(x + mean) / std")
mistake("x_hat lacks the mean: subtract it from x.", x_hat="x / std")
mistake("g is gamma times dy. You added them.", g="gamma + dy")
mistake("dy is missing: the gradient that arrives at x_hat is gamma * dy.", g="gamma * torch.ones_like(dy)")
mistake("The gradient that arrives at x_hat is gamma * dy. You took x for gamma.", g="x * dy")
mistake("The gradient that arrives at x_hat is gamma * dy. You took x for dy.", g="gamma * x")
mistake("You multiplied by the standard deviation. Divide by it.", dx=f"(g - {GM} - x_hat * {GX}) * std")
mistake("This is the part through the variance alone. It is taken out of g, as is the mean of g.", dx=f"x_hat * {GX} / std")
mistake("Everything has the wrong sign: the two parts are subtracted from g.", dx=f"-(g - {GM} - x_hat * {GX}) / std")
mistake("The part through the mean has the wrong sign.", dx=f"(g + {GM} - x_hat * {GX}) / std")
mistake("g itself is missing: the two parts are taken out of it.", dx=f"(-{GM} - x_hat * {GX}) / std")
mistake("This is the part through the variance alone, negated: did you subtract g where its mean belongs?", dx=f"-x_hat * {GX} / std")
mistake("The part through the mean is a mean of g: you took the sum, the 1/D is missing.", dx=f"(g - g.sum(-1, keepdim=True) - x_hat * {GX}) / std")
mistake("The mean of g is that of each row (dim=-1). You took that of each column.", dx=f"(g - g.mean(0) - x_hat * {GX}) / std")
mistake("The part through the variance comes to x_hat alone: multiply it by the mean of g times x_hat before you subtract it.", dx=f"(g - {GM} - x_hat) / std")
mistake("The part through the variance comes to the mean of g times x_hat alone: multiply it by x_hat before you subtract it.", dx=f"(g - {GM} - {GX}) / std")
mistake("In the part through the variance you added x_hat and the mean of g times x_hat. Multiply the two.", dx=f"(g - {GM} - (x_hat + {GX})) / std")
mistake("In the part through the variance the mean is missing: average g times x_hat over the row before it meets x_hat again.", dx=f"(g - {GM} - x_hat * g * x_hat) / std")
mistake("The part through the variance has a mean of g times x_hat: you took the sum, the 1/D is missing.", dx=f"(g - {GM} - x_hat * (g * x_hat).sum(-1, keepdim=True)) / std")
mistake("The part through the variance has the mean of g times x_hat: yours comes to the mean of g alone.", dx=f"(g - {GM} - x_hat * {GM}) / std")
mistake("The part through the variance has the mean of g times x_hat: you took that of x_hat squared.", dx=f"(g - {GM} - x_hat * x_hat.square().mean(-1, keepdim=True)) / std")
mistake("The part through the variance has the mean of g times x_hat: you took that of g squared.", dx=f"(g - {GM} - x_hat * g.square().mean(-1, keepdim=True)) / std")
mistake("The mean of g times x_hat is that of each row (dim=-1). You took that of each column.", dx=f"(g - {GM} - x_hat * (g * x_hat).mean(0)) / std")
mistake("This is g, what arrives at x_hat. Go on from there to x.", dx="g")
DG, DB = "(dy * x_hat).reshape(-1, D).sum(dim=0)", "dy.reshape(-1, D).sum(dim=0)"


def returns(sentence, dgamma=DG, dbeta=DB):
    mistake(sentence, returns=f"dx, {dgamma}, {dbeta}")


mistake("The order is dx, dgamma, dbeta: you returned dgamma first.", returns=f"{DG}, {DB}, dx")
returns("You multiplied dy by x. It is x_hat that gamma scales.", "(dy * x).reshape(-1, D).sum(0)")
returns("eps has no effect in this x_hat: it is (x - mean) / sqrt(variance + eps).", "(dy * (x - mean) / x.std(-1, correction=0, keepdim=True)).reshape(-1, D).sum(0)")
returns("gamma is shared by all rows: sum over them.", "dy * x_hat")
returns("You averaged over the rows. The gradient of a shared gamma adds up.", "(dy * x_hat).reshape(-1, D).mean(0)")
returns("This equals dbeta: dgamma sums dy times x_hat, and comes second.", DB)
returns("This equals dbeta: dgamma sums dy times x_hat, and comes second.", DB, DG)
returns("The variance in this x_hat is divided by D - 1, or by the number of rows (both are 3 here). The forward pass divides by D.",
        "(dy * (x - mean) / torch.sqrt(x.var(-1, keepdim=True) + eps)).reshape(-1, D).sum(0)")
returns("You multiplied by gamma: that belongs to dx, not to dgamma.", "(g * x_hat).reshape(-1, D).sum(0)")
returns("Every sign is turned round: is your x_hat made of x - mean, not mean - x, and dgamma plus the sum of dy times x_hat?", "-" + DG)
returns("You added dy and x_hat. Multiply them.", "(dy + x_hat).reshape(-1, D).sum(0)")
returns("dy is missing: dgamma sums dy times x_hat.", "x_hat.reshape(-1, D).sum(0)")
returns("dgamma sums dy times x_hat: you took x for dy.", "(x * x_hat).reshape(-1, D).sum(0)")
returns("dgamma sums dy times x_hat: you took g for x_hat.", "(dy * g).reshape(-1, D).sum(0)")
shape = "dgamma has one number a feature, the shape of gamma: sum over all leading dimensions, and over nothing else, without keepdim."
returns(shape, "(dy * x_hat).sum()")
returns(shape, "(dy * x_hat).sum(-1)")
returns(shape, "(dy * x_hat).reshape(-1, D).sum(0, keepdim=True)")
returns("beta is shared by all rows: sum over them.", dbeta="dy")
returns("You averaged over the rows. The gradient of a shared beta adds up.", dbeta="dy.reshape(-1, D).mean(0)")
returns("You averaged over the rows. Gradients of shared parameters add up.", "(dy * x_hat).reshape(-1, D).mean(0)", "dy.reshape(-1, D).mean(0)")
returns("You multiplied by gamma: beta is added after gamma.", dbeta="g.reshape(-1, D).sum(0)")
returns("Sum without keepdim: dbeta has shape (D,).", dbeta="dy.reshape(-1, D).sum(0, keepdim=True)")
returns("dbeta sums dy. You summed x.", dbeta="x.reshape(-1, D).sum(0)")
scalar = "dbeta has one number a feature, the shape of beta: sum over all leading dimensions, and over nothing else."
returns(scalar, dbeta="dy.sum()")
returns(scalar, dbeta="dy.sum(-1)")
returns("You summed over the first dimension only. gamma and beta are shared by all rows, whatever the number of leading dimensions.", "(dy * x_hat).sum(0)", "dy.sum(0)")
returns("You summed over one dimension only. gamma and beta are shared by all rows, whatever the number of leading dimensions.", "(dy * x_hat).sum(-2)", "dy.sum(-2)")
returns("You summed dgamma over the first dimension only. It is shared by all rows, whatever the number of leading dimensions.", "(dy * x_hat).sum(0)")
returns("You summed dbeta over the first dimension only. It is shared by all rows, whatever the number of leading dimensions.", dbeta="dy.sum(0)")

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

# %% right: ARENA
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

# %% right: CS231n
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    dout, X = dy.reshape(-1, D), x.reshape(-1, D)
    xmu = X - X.mean(axis=-1, keepdims=True)
    var = torch.mean(xmu ** 2, axis=-1, keepdims=True)
    sqrtvar = torch.sqrt(var + eps)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar

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

# %% right: makemore
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

# %% right: torch source
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

# %% right: numpy first
import numpy as np


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

# %% right: plain loops
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
