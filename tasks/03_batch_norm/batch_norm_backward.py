"""batch_norm_backward, 3 points: three gradients by hand."""
task = Task("batch_norm_backward", by_hand=["normalisation", "autograd"])
f = task.function(gradient=False, dy="N D", x="N D", gamma="D", eps=[0.5], skip=["drawn numbers", "other drawn numbers"])
x = [[0., 5.], [0., 11.], [4., 1.], [4., 7.]]  # means 2 and 6, variances 4 and 13: with eps the roots are 4 and 5
given = dict(dy=[[4., 0.], [1., 0.], [0., 0.], [0., 2.]], x=x, gamma=[2., 3.], eps=12.)


def batch():
    dy = sample(10, 4, seed=92)
    dy[0] = 0  # it feels the others all the same
    return dy, 2 * sample(10, 4, seed=91), sample(4, seed=93), 1e-5


f.look("dx", of=first, **given)
f.look("dgamma", of=second, **given)
f.look("dbeta", of=lambda answer: answer[2], **given)
f.case("a batch", batch)
f.case("as many examples as features, and an eps that counts", lambda: (sample(5, 5, seed=94), sample(5, 5, seed=95), sample(5, seed=96), 0.5))

# %% mistakes
GM, GX = "g.mean(0)", "(g * x_hat).mean(0)"


def root(variance):
    return f"torch.sqrt({variance} + eps)"


mistake("This is the gradient for a constant mean and variance. Both depend on every example.", dx="g / std")
mistake("The part that flows through the variance is missing, or zero. It takes the mean of the products of g and x_hat.", dx=f"(g - {GM}) / std")
mistake("The part that flows through the mean is missing, or zero. It is the mean of g.", dx=f"(g - x_hat * {GX}) / std")
gamma = "gamma is missing, or added: the gradient that arrives at x_hat is gamma * dy."
mistake(gamma, g="dy")
mistake(gamma, g="gamma + dy")
mistake("The division by the root of variance + eps is missing.", dx=f"g - {GM} - x_hat * {GX}")
mistake("You divided by the variance + eps. Divide by its root.", dx=f"(g - {GM} - x_hat * {GX}) / std.square()")
mistake("You took sums where the formula has means: the 1/N is missing.", dx="(g - g.sum(0) - x_hat * (g * x_hat).sum(0)) / std")
mistake("You took means over the whole tensor. Each feature has its own.", dx="(g - g.mean() - x_hat * (g * x_hat).mean()) / std")
mistake("The part through the variance has the wrong sign.", dx=f"(g - {GM} + x_hat * {GX}) / std")
ignored = "The argument eps has no effect here: is it fixed, left out, or only a floor? Add it to every variance, inside the root."
mistake(ignored, std="x.std(0, correction=0)")
mistake(ignored, std="torch.sqrt(x.var(0, correction=0) + 1e-5)")
mistake("eps is in x_hat, but you divide by a standard deviation without it.", dx=f"(g - {GM} - x_hat * {GX}) / x.std(0, correction=0)")
mistake("This is the gradient of layer norm. The statistics belong to the columns.",
        {".mean(dim=0)": ".mean(dim=1, keepdim=True)"})
mistake("You used the unbiased variance. The forward pass divides by N, and so does its gradient.", std=root("x.var(0)"))
mistake("You used the unbiased variance, and its gradient. The forward pass of training divides by N.", std=root("x.var(0)"),
        dx=f"(g - {GM} - x_hat * (g * x_hat).sum(0) / (len(x) - 1)) / std")
mistake("You took all means over the whole tensor, those of x too. Each feature has its own.", mean="x.mean()", std=root("x.var(correction=0)"),
        dx="(g - g.mean() - x_hat * (g * x_hat).mean()) / std")
mistake("Your mean is that of the whole tensor. Each feature has its own.", mean="x.mean()", std=root("x.var(0, correction=0)"))
mistake("You subtracted the sum of the feature. The mean is the sum divided by N.", mean="x.sum(0)")
mistake("You subtracted the sum of the feature. The mean is the sum divided by N.", mean="x.sum(0)", std=root("x.var(0, correction=0)"))
mistake("The variance is each example's own squared distance here. Average them: the variance of a feature is one number.", std=root("(x - mean).square()"))
mistake("Your variance is that of the whole tensor. Each feature has its own.", std=root("(x - mean).square().mean()"))
mistake("You summed the squared distances and did not divide by N.", std=root("(x - mean).square().sum(0)"))
mistake("This is what a variance of zero gives: is it left out, or do the distances from the mean cancel (square them before you average)?",
        std=root("(x - mean).mean(0).square()"))
mistake("This is what the mean of the distances gives. The variance averages their squares.", std=root("(x - mean).abs().mean(0)"))
mistake("In the variance you added the mean. Subtract it before you square.", std=root("(x + mean).square().mean(0)"))
mistake("You took the root of the mean square. The distance from the mean counts, not the number itself.", std=root("x.square().mean(0)"))
mistake("You multiplied by the root in x_hat: it is x - mean divided by it.", x_hat="(x - mean) * std")
mistake("x_hat is x - mean divided by the root of variance + eps: the root is missing.", x_hat="(x - mean) / std.square()")
mistake("The part through the variance lacks a division by variance + eps: is x_hat divided by the root, or is an exponent -1/2 where the gradient of "
        "the variance has -3/2?", dx="(g - g.mean(0) - (x - mean) * (g * (x - mean)).mean(0)) / std")
mistake("x_hat is not divided by the root of variance + eps.", x_hat="x - mean")
mistake("In x_hat you added the mean. Subtract it.", x_hat="(x + mean) / std")
mistake("x_hat lacks the mean: subtract it from x.", x_hat="x / std")
mistake("dy is missing: the gradient that arrives at x_hat is gamma * dy.", g="gamma * torch.ones_like(dy)")
mistake("The gradient that arrives at x_hat is gamma * dy. You took x for gamma.", g="x * dy")
mistake("The gradient that arrives at x_hat is gamma * dy. You took x for dy.", g="gamma * x")
mistake("The standard deviation multiplies here. Divide by it.", dx=f"(g - {GM} - x_hat * {GX}) * std")
mistake("This is the part through the variance alone. It is taken out of g, as is the mean of g.", dx=f"x_hat * {GX} / std")
mistake("Everything has the wrong sign: do you subtract g from the two parts (they are subtracted from g), or put a minus before the result (dx is the "
        "gradient, not a step downhill)?", dx=f"-(g - {GM} - x_hat * {GX}) / std")
mistake("The part through the mean has the wrong sign.", dx=f"(g + {GM} - x_hat * {GX}) / std")
mistake("g itself is missing: the two parts are taken out of it.", dx=f"(-{GM} - x_hat * {GX}) / std")
mistake("g is gone: is it subtracted where its mean belongs, or are g and its mean left out?", dx=f"-x_hat * {GX} / std")
mistake("The mean of g is that of each feature. You took that of the whole tensor.", dx=f"(g - g.mean() - x_hat * {GX}) / std")
mistake("The part through the mean is a mean of g: you took the sum, the 1/N is missing.", dx=f"(g - g.sum(0) - x_hat * {GX}) / std")
mistake("x_hat times the mean of g times x_hat: you added the two.", dx=f"(g - {GM} - (x_hat + {GX})) / std")
mistake("x_hat is multiplied by the mean of g times x_hat before it is subtracted.", dx=f"(g - {GM} - x_hat) / std")
mistake("The mean of g times x_hat is multiplied by x_hat before it is subtracted.", dx=f"(g - {GM} - {GX}) / std")
mistake("The product of g and x_hat is averaged over the examples before it meets x_hat again.", dx=f"(g - {GM} - x_hat * g * x_hat) / std")
mistake("The mean of g times x_hat is that of each feature. You took that of the whole tensor.", dx=f"(g - {GM} - x_hat * (g * x_hat).mean()) / std")
V = "The part through the variance has {}"
mistake(V.format("a mean of g times x_hat: you took the sum, the 1/N is missing."), dx=f"(g - {GM} - x_hat * (g * x_hat).sum(0)) / std")
mistake(V.format("the mean of g times x_hat: yours comes to the mean of g alone."), dx=f"(g - {GM} - x_hat * {GM}) / std")
mistake(V.format("the mean of g times x_hat: you took that of x_hat squared."), dx=f"(g - {GM} - x_hat * x_hat.square().mean(0)) / std")
mistake(V.format("the mean of g times x_hat: you took that of g squared."), dx=f"(g - {GM} - x_hat * g.square().mean(0)) / std")
mistake("This is g, what arrives at x_hat. Go on from there to x.", dx="g")
mistake("is there a `return`? Your function gives None.", returns="None")
DG, DB = "(dy * x_hat).sum(0)", "dy.sum(0)"


def returns(sentence, dgamma=DG, dbeta=DB):
    mistake(sentence, returns=f"dx, {dgamma}, {dbeta}")


mistake("The order is dx, dgamma, dbeta: you returned dgamma first.", returns=f"{DG}, {DB}, dx")
returns("You multiplied dy by x. It is x_hat that gamma scales.", "(dy * x).sum(0)")
returns("The x_hat of dgamma is made with eps, too: (x - mean) / sqrt(variance + eps).", "(dy * (x - mean) / x.std(0, correction=0)).sum(0)")
returns("gamma is shared by all examples: sum over them.", "dy * x_hat")
returns("You averaged over the examples. Gradients of a shared parameter add up.", "(dy * x_hat).mean(0)")
returns("You averaged over the examples. Gradients of a shared parameter add up.", "(dy * x_hat).mean(0)", "dy.mean(0)")
returns("You averaged over the examples. Gradients of a shared parameter add up.", dbeta="dy.mean(0)")
returns("This equals dbeta: dgamma sums dy times x_hat, and comes second.", DB)
returns("This equals dbeta: dgamma sums dy times x_hat, and comes second.", DB, DG)
returns("You used the unbiased variance in dgamma. The forward pass divides by N.", "(dy * (x - mean) / torch.sqrt(x.var(0) + eps)).sum(0)")
returns("You multiplied by gamma: that belongs to dx, not to dgamma.", "(g * x_hat).sum(0)")
shape = "{0} has one number a feature, the shape of {1}: sum over the examples alone, without keepdim."
returns(shape.format("dgamma", "gamma"), "(dy * x_hat).sum(0, keepdim=True)")
returns(shape.format("dgamma", "gamma"), "(dy * x_hat).sum()")
returns(shape.format("dgamma", "gamma"), "(dy * x_hat).sum(1)")
returns("dgamma and dbeta have one number a feature: sum over the examples alone, without keepdim.", "(dy * x_hat).sum(0, keepdim=True)",
        "dy.sum(0, keepdim=True)")
returns("dgamma has the wrong sign: does your x_hat subtract the mean from x, or is a minus before the sum?", "-" + DG)
returns("dgamma is zero: it sums dy times x_hat. x_hat alone adds up to zero.", "x_hat.sum(0)")
returns("dgamma sums dy times x_hat: you took x for dy.", "(x * x_hat).sum(0)")
returns("dgamma sums dy times x_hat: you took g for x_hat.", "(dy * g).sum(0)")
returns("beta is shared by all examples: sum over them.", dbeta="dy")
returns("You multiplied by gamma: beta is added after gamma.", dbeta="g.sum(0)")
returns(shape.format("dbeta", "beta"), dbeta="dy.sum(0, keepdim=True)")
returns(shape.format("dbeta", "beta"), dbeta="dy.sum()")
returns(shape.format("dbeta", "beta"), dbeta="dy.sum(1)")
returns("dbeta sums dy. You summed x.", dbeta="x.sum(0)")

# %% right: ARENA
from torch import Tensor


def batch_norm_backward(
    dy: Tensor, x: Tensor, gamma: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    assert dy.shape == x.shape
    N = x.shape[0]
    mean = x.mean(0)
    inv_std = (x.var(0, unbiased=False) + eps).rsqrt()
    x_hat = (x - mean) * inv_std
    g = dy * gamma
    g_mean = torch.einsum("nc->c", g) / N
    g_along = torch.einsum("nc,nc->c", g, x_hat) / N
    dx = (g - g_mean - x_hat * g_along) * inv_std
    dgamma = torch.einsum("nc,nc->c", dy, x_hat)
    dbeta = torch.einsum("nc->c", dy)
    return dx, dgamma, dbeta

# %% right: CS231n
def batch_norm_backward(dy, x, gamma, eps):
    N, D = dy.shape
    mu = x.mean(axis=0)
    xmu = x - mu
    var = (xmu**2).mean(axis=0)
    sqrtvar = torch.sqrt(var + eps)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    # step 9, 8
    dbeta = dy.sum(axis=0)
    dgamma = (dy * xhat).sum(axis=0)
    dxhat = dy * gamma
    # step 7, 6, 5, 4
    divar = (dxhat * xmu).sum(axis=0)
    dxmu1 = dxhat * ivar
    dsqrtvar = -1.0 / (sqrtvar**2) * divar
    dvar = 0.5 * 1.0 / sqrtvar * dsqrtvar
    dsq = 1.0 / N * torch.ones((N, D)) * dvar
    # step 3, 2, 1
    dxmu2 = 2 * xmu * dsq
    dx1 = dxmu1 + dxmu2
    dmu = -1 * (dxmu1 + dxmu2).sum(axis=0)
    dx2 = 1.0 / N * torch.ones((N, D)) * dmu
    return dx1 + dx2, dgamma, dbeta

# %% right: makemore
def batch_norm_backward(dhpreact, hprebn, bngain, eps):
    n = hprebn.shape[0]
    bndiff = hprebn - hprebn.mean(0, keepdim=True)
    bnvar_inv = (bndiff.pow(2).mean(0, keepdim=True) + eps)**-0.5
    bnraw = bndiff * bnvar_inv
    dbngain = (bnraw * dhpreact).sum(0)
    dbnbias = dhpreact.sum(0)
    dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - bnraw*(dhpreact*bnraw).sum(0))
    return dhprebn, dbngain, dbnbias

# %% right: torch source
def batch_norm_backward(grad_output, input, weight, eps):
    num_features = input.size(1)
    N = input.numel() // num_features
    save_mean = input.mean(0)
    save_invstd = torch.rsqrt(torch.mean((input - save_mean).square(), 0) + eps)
    grad_output_sum = grad_output.sum(0)
    dot_p = torch.sum(grad_output * (input - save_mean), 0)
    k = dot_p * save_invstd * save_invstd / N
    dx = (input - save_mean) * k
    grad_mean = grad_output_sum / N
    grad_input = (grad_output - grad_mean - dx) * save_invstd * weight
    return grad_input, dot_p * save_invstd, grad_output_sum

# %% right: numpy first
import numpy as np


def batch_norm_backward(dy, x, gamma, eps):
    dy, x, gamma = dy.detach().numpy(), x.detach().numpy(), gamma.detach().numpy()
    sigma = np.sqrt(np.var(x, axis=0) + eps)
    xhat = (x - np.mean(x, axis=0)) / sigma
    g = gamma * dy
    dx = (g - np.mean(g, axis=0) - xhat * np.mean(g * xhat, axis=0)) / sigma
    dgamma, dbeta = np.sum(dy * xhat, axis=0), np.sum(dy, axis=0)
    return torch.from_numpy(dx), torch.from_numpy(dgamma), torch.from_numpy(dbeta)

# %% right: plain loops
def batch_norm_backward(dy, x, gamma, eps):
    N, C = x.shape
    dx = torch.zeros(N, C)
    dgamma = torch.zeros(C)
    dbeta = torch.zeros(C)
    for c in range(C):
        mean = sum(x[i, c] for i in range(N)) / N
        variance = sum((x[i, c] - mean) ** 2 for i in range(N)) / N
        std = (variance + eps) ** 0.5
        x_hat = [(x[i, c] - mean) / std for i in range(N)]
        g = [gamma[c] * dy[i, c] for i in range(N)]
        g_mean = sum(g) / N
        along = sum(g[i] * x_hat[i] for i in range(N)) / N
        for i in range(N):
            dgamma[c] += dy[i, c] * x_hat[i]
            dbeta[c] += dy[i, c]
            dx[i, c] = (g[i] - g_mean - x_hat[i] * along) / std
    return dx, dgamma, dbeta

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
