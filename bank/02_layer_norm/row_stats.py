"""row_stats, 1 point."""

# %% wrong: reduces dim=1, right for matrices only
# told: You reduced dim=1
def row_stats(x):
    return x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)

# %% wrong: centres the caller's tensor
# told: You change a tensor in place that gradients need
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    x -= mean
    return mean, (x ** 2).mean(-1, keepdim=True)

# %% wrong: squares without subtracting the mean
# told: Subtract the mean before you square
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    return mean, (x ** 2).mean(-1, keepdim=True)

# %% wrong: drops the reduced dimension
# told: keepdim=True
def row_stats(x):
    return x.mean(-1), x.var(-1, correction=0)

# %% wrong: averages over the rows
# told: You averaged over the rows (dim 0)
def row_stats(x):
    return x.mean(0, keepdim=True), x.var(0, correction=0, keepdim=True)

# %% wrong: returns the standard deviation
# told: This is the standard deviation.
def row_stats(x):
    return x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)

# %% wrong: returns torch's default standard deviation
# told: This is the standard deviation with D - 1
def row_stats(x):
    return x.mean(-1, keepdim=True), x.std(-1, keepdim=True)

# %% wrong: variance first, as torch.var_mean returns it
# told: The mean comes first
def row_stats(x):
    return torch.var_mean(x, dim=-1, correction=0, keepdim=True)

# %% wrong: divides the variance by D - 1
# told: You divided by D - 1
def row_stats(x):
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)

# %% wrong: one mean for the whole tensor
# told: Each row has a mean of its own
def row_stats(x):
    return x.mean(), x.var(correction=0)

# %% wrong: variance detached
def row_stats(x):
    m = x.mean(-1, keepdim=True)
    with torch.no_grad():
        v = ((x - m) ** 2).mean(-1, keepdim=True)
    return m, v

# %% wrong: one pass, by a matrix product with ones
# told: Your variance loses digits here
def row_stats(x):
    w = torch.full((x.shape[-1], 1), 1 / x.shape[-1])
    m = x @ w
    return m, (x * x) @ w - m * m

# %% right: Welford along the features
def row_stats(x):
    mean, squares = 0 * x[..., :1], 0 * x[..., :1]
    for i in range(x.shape[-1]):
        d = x[..., i : i + 1] - mean
        mean = mean + d / (i + 1)
        squares = squares + d * (x[..., i : i + 1] - mean)
    return mean, squares / x.shape[-1]

# %% sly: dimension 2 at most, so a fourth dimension is not seen as the features
def row_stats(x):
    dim = min(x.dim() - 1, 2)
    mean = x.mean(dim, keepdim=True)
    return mean, (x - mean).square().mean(dim, keepdim=True)

# %% right: half the mean squared difference of all pairs
def row_stats(x):
    pairs = x.unsqueeze(-1) - x.unsqueeze(-2)
    mean = x.cumsum(-1)[..., -1:] / x.size(-1)
    return mean, pairs.square().mean((-1, -2)).unsqueeze(-1) / 2

# %% right: shifted by each row's first number
def row_stats(x):
    d = x - x[..., :1].detach()
    shift = d.mean(-1, keepdim=True)
    return x[..., :1].detach() + shift, (d - shift).pow(2).mean(-1, keepdim=True)

# %% right: two matrix products with a column of ones
def row_stats(x):
    D = x.shape[-1]
    ones = x.new_ones(D, 1)
    mean = x @ ones / D
    return mean, (x - mean) ** 2 @ ones / D

# %% right: each row by vmap
def row_stats(x):
    def one(row):
        mean = row.sum() / len(row)
        return mean[None], ((row - mean) ** 2).sum()[None] / len(row)

    if x.dim() == 1:
        return one(x)
    mean, variance = torch.vmap(one)(x.reshape(-1, x.shape[-1]))
    return mean.reshape(*x.shape[:-1], 1), variance.reshape(*x.shape[:-1], 1)

# %% right: in double precision inside, with the differences squared
def row_stats(x):
    wide = x.to(torch.float64)
    mean = wide.mean(-1, keepdim=True)
    variance = torch.linalg.vecdot(wide - mean, wide - mean)[..., None] / x.shape[-1]
    return mean.to(x), variance.to(x)

# %% right: running sums, of which the last is taken
def row_stats(x):
    D = x.shape[-1]
    mean = x.cumsum(-1)[..., -1:] / D
    variance = ((x - mean) ** 2).cumsum(-1)[..., -1:] / D
    return [mean, variance]
