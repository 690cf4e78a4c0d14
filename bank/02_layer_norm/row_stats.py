"""row_stats, 1 point."""

# %% wrong: reduces dim=1, right for matrices only
# told: You reduced dim=1
def row_stats(x):
    return x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)

# %% wrong: centres the caller's tensor
# told: You changed x in place
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
# told: loses its digits where a row lies far from 0
def row_stats(x):
    w = torch.full((x.shape[-1], 1), 1 / x.shape[-1])
    m = x @ w
    return m, (x * x) @ w - m * m

# %% wrong: returns float32
# told: one that is not double
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return mean.float(), variance.float()

# %% wrong: remembers a tensor's statistics by its id
known = {}


def row_stats(x):
    key = id(x), x.data_ptr(), tuple(x.shape), x.requires_grad
    if key not in known:
        mean = x.mean(-1, keepdim=True)
        known[key] = x, (mean, (x - mean).square().mean(-1, keepdim=True))
    return known[key][1]

# %% right: Welford along the features
def row_stats(x):
    mean, squares = 0 * x[..., :1], 0 * x[..., :1]
    for i in range(x.shape[-1]):
        d = x[..., i : i + 1] - mean
        mean = mean + d / (i + 1)
        squares = squares + d * (x[..., i : i + 1] - mean)
    return mean, squares / x.shape[-1]
