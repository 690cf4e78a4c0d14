# right: sums by einsum

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    N = len(x)
    centred = x - torch.einsum("nc->c", x) / N
    var = torch.einsum("nc,nc->c", centred, centred) / N
    return torch.einsum("nc,c->nc", centred, gamma / (var + eps) ** 0.5) + beta

# %% batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    N = x.shape[0]
    c = x - torch.einsum("nc->c", x) / N
    inv = 1 / (torch.einsum("nc,nc->c", c, c) / N + eps).sqrt()
    xhat = c * inv
    dgamma = torch.einsum("nc,nc->c", dy, xhat)
    dbeta = torch.einsum("nc->c", dy)
    return gamma * inv / N * (N * dy - dbeta - xhat * dgamma), dgamma, dbeta
