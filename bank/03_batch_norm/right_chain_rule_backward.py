# right: the gradient step by step through the computational graph, as in the paper

# %% batch_norm_backward
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
