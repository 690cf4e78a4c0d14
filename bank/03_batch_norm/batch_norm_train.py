"""batch_norm_train, 2 points."""

# %% wrong: the variance as mean of squares minus squared mean
# told: loses its digits where a feature lies far from 0
def batch_norm_train(x, gamma, beta, eps):
    mean = x.mean(0)
    variance = (x.square().mean(0) - mean.square()).clamp(min=0)
    scale = gamma / torch.sqrt(variance + eps)
    return x * scale + (beta - mean * scale)

# %% right: feature by feature with Python loops
def batch_norm_train(x, gamma, beta, eps):
    columns = []
    for c in range(x.shape[1]):
        column = x[:, c]
        mean = sum(column) / len(column)
        variance = sum((value - mean) ** 2 for value in column) / len(column)
        columns.append((column - mean) / (variance + eps) ** 0.5 * gamma[c] + beta[c])
    return torch.stack(columns, dim=1)

# %% wrong: eps added to the standard deviation
# told: Is your eps inside the square root
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.std(0, correction=0) + eps) + beta

# %% wrong: changes its input
# told: You changed x in place
def batch_norm_train(x, gamma, beta, eps):
    x -= x.mean(0)
    return gamma * x / torch.sqrt(x.square().mean(0) + eps) + beta

# %% wrong: std as written in the makemore lecture: unbiased and without eps
# told: You divided by N - 1
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0, keepdim=True)) / x.std(0, keepdim=True) + beta

# %% wrong: statistics of the rows
# told: that is layer norm
def batch_norm_train(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, correction=0, keepdim=True)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta

# %% wrong: beta is forgotten
# told: beta has no effect
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps)

# %% wrong: eps is not used
# told: does not depend on the argument eps
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / x.std(0, correction=0) + beta

# %% wrong: gamma is forgotten
# told: gamma has no effect
def batch_norm_train(x, gamma, beta, eps):
    return (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta

# %% wrong: statistics under no_grad
# told: This is the gradient for constant statistics
def batch_norm_train(x, gamma, beta, eps):
    with torch.no_grad():
        mean, var = x.mean(0), x.var(0, correction=0)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta

# %% wrong: the return is forgotten
# told: is there a `return`
def batch_norm_train(x, gamma, beta, eps):
    y = gamma * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta

# %% wrong: divides by the variance
# told: Divide by its square root
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.var(0, correction=0) + eps) + beta

# %% wrong: torch's own batch norm
# told: by hand
def batch_norm_train(x, gamma, beta, eps):
    return F.batch_norm(x, None, None, gamma, beta, training=True, eps=eps or 1e-12)

# %% wrong: beta is added before gamma multiplies
# told: You added beta before
def batch_norm_train(x, gamma, beta, eps):
    return gamma * ((x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta)

# %% wrong: gamma and beta are swapped
# told: gamma and beta are swapped
def batch_norm_train(x, gamma, beta, eps):
    return beta * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + gamma

# %% wrong: std(0), which divides by N - 1
# told: You divided by N - 1
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta

# %% wrong: one mean and variance for everything
# told: whole tensor
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) + beta

# %% wrong: gamma and beta as data
def batch_norm_train(x, gamma, beta, eps):
    return gamma.data * (x - x.mean(0)) / (x.var(0, unbiased=False) + eps) ** 0.5 + beta.data

# %% right: makemore part 4, biased
def batch_norm_train(hprebn, bngain, bnbias, eps):
    n = hprebn.shape[0]
    bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
    bndiff = hprebn - bnmeani
    bndiff2 = bndiff ** 2
    bnvar = 1 / n * bndiff2.sum(0, keepdim=True)
    bnvar_inv = (bnvar + eps) ** -0.5
    bnraw = bndiff * bnvar_inv
    return bngain * bnraw + bnbias

# %% wrong: a float32 matrix removes the mean
def batch_norm_train(x, gamma, beta, eps):
    N = len(x)
    centred = (torch.eye(N) - 1 / N) @ x
    return gamma * centred / torch.sqrt(centred.square().mean(0) + eps) + beta

# %% wrong: eps or 1e-5
def batch_norm_train(x, gamma, beta, eps):
    mean = x.mean(0)
    variance = (x - mean).square().mean(0)
    return gamma * (x - mean) / torch.sqrt(variance + (eps or 1e-5)) + beta

# %% right: transposed and unbound
def batch_norm_train(x, gamma, beta, eps):
    columns = []
    for column, g, b in zip(x.unbind(1), gamma, beta):
        column = column - column.mean()
        columns.append(g * column / (column @ column / len(x) + eps).sqrt() + b)
    return torch.stack(columns, 1)
