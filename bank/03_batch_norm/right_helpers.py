# right: a helper defined in the first cell serves the later ones

# %% batch_norm_train
def moments(x, dims=(0,)):
    mean = x.mean(dims, keepdim=True)
    return mean, (x - mean).pow(2).mean(dims, keepdim=True)


def batch_norm_train(x, gamma, beta, eps):
    mean, var = moments(x)
    return gamma * (x - mean) / (var + eps).sqrt() + beta

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    return batch_norm_train(x, gamma, beta, eps)

# %% batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    mean, var = moments(x)
    std = (var + eps).sqrt()
    xhat = (x - mean) / std
    dgamma, dbeta = torch.sum(dy * xhat, 0), torch.sum(dy, 0)
    dx = (dy - dbeta / len(x) - xhat * dgamma / len(x)) * gamma / std
    return [dx, dgamma, dbeta]
