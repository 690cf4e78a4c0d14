"""normalise_over, 2 points."""

# %% wrong: batch norm over the examples only
# told: you averaged over the examples only
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0,), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: layer norm over tokens and features
# told: dims mix the tokens
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (1, 2), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: layer norm's and batch norm's dims exchanged
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (0, 1), "batch": (2,), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: strided groups
# told: Your groups are interleaved
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, D // groups, groups), (-2,)).view(N, T, D)

# %% wrong: takes the number of groups for their size
# told: You swapped the number of groups and their size
def normalise_over(x, dims, eps=1e-5):
    mean, var = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, -1, groups), (-1,)).view(N, T, D)

# %% wrong: ignores dims
# told: You used the last dim only
def normalise_over(x, dims, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: statistics without keepdim
def normalise_over(x, dims, eps=1e-5):
    return (x - x.mean(dims)) / (x.var(dims, correction=0) + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: normalises one dim after the other
# told: one dim after the other
def normalise_over(x, dims, eps=1e-5):
    for dim in dims:
        x = (x - x.mean(dim, keepdim=True)) / (x.var(dim, correction=0, keepdim=True) + eps).sqrt()
    return x


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: torch's default variance
# told: use the biased variance
def normalise_over(x, dims, eps=1e-5):
    return (x - x.mean(dims, keepdim=True)) / (x.var(dims, keepdim=True) + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: dims as ints
def normalise_over(x, dims, eps=1e-5):
    m = x.mean(dims, keepdim=True)
    return (x - m) / (x.var(dims, unbiased=False, keepdim=True) + eps).sqrt()


def norm_dims():
    return {"layer": 2, "batch": (0, 1), "instance": 1}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: dims not begun
def normalise_over(x, dims, eps=1e-5):
    m = x.mean(dims, keepdim=True)
    return (x - m) / (x.var(dims, unbiased=False, keepdim=True) + eps).sqrt()


def norm_dims():
    raise NotImplementedError("TODO: write your solution here")


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% wrong: groups over tokens
# told: torch's GroupNorm mixes the tokens of an example; here each token has 
def normalise_over(x, dims, eps=1e-5):
    m = x.mean(dims, keepdim=True)
    return (x - m) / (x.var(dims, unbiased=False, keepdim=True) + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (1, 3)).view(N, T, D)

# %% wrong: statistics detached
# told: This is the gradient for constant statistics
def normalise_over(x, dims, eps=1e-5):
    with torch.no_grad():
        m = x.mean(dims, keepdim=True)
        s = (x.var(dims, unbiased=False, keepdim=True) + eps).sqrt()
    return (x - m) / s


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.view(N, T, groups, -1), (-1,)).view(N, T, D)

# %% right: unflatten, one dim at a time means
def normalise_over(x, dims, eps=1e-5):
    def mean(t):
        for d in dims:
            t = t.mean(d, keepdim=True)
        return t
    c = x - mean(x)
    return c / (mean(c ** 2) + eps).sqrt()


def norm_dims():
    return {"batch": [0, 1], "layer": [2], "instance": [1]}


def token_group_norm(x, groups):
    return normalise_over(x.unflatten(-1, (groups, -1)), (-1,)).flatten(-2)

# %% right: a permuted copy, all dims at the end
def normalise_over(x, dims, eps=1e-5):
    dims = sorted(d % x.dim() for d in dims)
    rest = [d for d in range(x.dim()) if d not in dims]
    y = x.permute(*rest, *dims)
    flat = y.flatten(len(rest))
    flat = flat - flat.mean(-1, keepdim=True)
    flat = flat / flat.square().mean(-1, keepdim=True).add(eps).sqrt()
    back = torch.tensor([*rest, *dims]).argsort().tolist()
    return flat.reshape(y.shape).permute(back)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.reshape(N, T, groups, D // groups), (3,)).reshape(N, T, D)

# %% right: groups written one by one into an empty tensor
def normalise_over(x, dims, eps=1e-5):
    count = 1
    for d in dims:
        count *= x.shape[d]
    centred = x - x.sum(dims, keepdim=True) / count
    return centred / ((centred ** 2).sum(dims, keepdim=True) / count + eps) ** 0.5


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    out, size = torch.empty_like(x), x.shape[-1] // groups
    for g in range(groups):
        part = slice(g * size, (g + 1) * size)
        out[..., part] = normalise_over(x[..., part], (-1,))
    return out

# %% right: dims moved to the front
def normalise_over(x, dims, eps=1e-5):
    dims = [dims] if isinstance(dims, int) else list(dims)
    front = x.movedim(dims, list(range(len(dims))))
    flat = front.reshape(-1, *front.shape[len(dims):])
    flat = (flat - flat.mean(0)) * torch.rsqrt(flat.var(0, correction=0) + eps)
    return flat.reshape(front.shape).movedim(list(range(len(dims))), dims)


def norm_dims():
    return dict(layer=(-1,), batch=(1, 0), instance=(-2,))


def token_group_norm(x, groups):
    return torch.stack([
        torch.cat([normalise_over(part, (-1,)) for part in example.chunk(groups, -1)], -1)
        for example in x
    ])

# %% right: mean over one dim after the other (equal counts), then the variance around the joint mean
def normalise_over(x, dims, eps=1e-5):
    def average(t):
        for d in dims:
            t = t.mean(d, keepdim=True)
        return t

    c = x - average(x)
    return c / torch.sqrt(average(c.pow(2)) + eps)


def norm_dims():
    return {name: dims for name, dims in zip(("layer", "batch", "instance"), ((2,), (0, 1), (1,)))}


def token_group_norm(x, groups):
    shape = x.shape
    x = x.reshape(shape[0] * shape[1] * groups, -1)
    return normalise_over(x, (1,)).reshape(shape)

# %% right: group norm with repeat_interleave, without normalise_over
def normalise_over(x, dims, eps=1e-5):
    mu = torch.mean(x, dim=dims, keepdim=True)
    delta = torch.sub(x, mu)
    sigma2 = torch.mean(torch.mul(delta, delta), dim=dims, keepdim=True)
    return torch.div(delta, torch.sqrt(torch.add(sigma2, eps)))


def norm_dims():
    which = {"layer": [2], "batch": [0, 1], "instance": [1]}
    return {norm: tuple(dims) for norm, dims in which.items()}


def token_group_norm(x, groups):
    size = x.shape[-1] // groups
    mean = x.unflatten(2, (groups, size)).mean(3).repeat_interleave(size, dim=2)
    centred = x - mean
    var = centred.square().unflatten(2, (groups, size)).mean(3).repeat_interleave(size, dim=2)
    return centred / (var + 1e-5).sqrt()

# %% wrong: all dims from the smallest one on are joined
# told: You used all dims from the smallest one on
def normalise_over(x, dims, eps=1e-5):
    dims = tuple(range(min(d % x.dim() for d in dims), x.dim()))
    mean = x.mean(dims, keepdim=True)
    return (x - mean) / torch.sqrt(x.var(dims, keepdim=True, correction=0) + eps)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    y = normalise_over(x.reshape(N, T, groups, D // groups), (-1,))
    return y.reshape(N, T, D)

# %% wrong: takes the variance of the variances, one dim after another
# told: You took the variance of one dim
def normalise_over(x, dims, eps=1e-5):
    mean, var = x, x
    for d in dims:
        mean = mean.mean(d, keepdim=True)
        var = var.var(d, keepdim=True, correction=0)
    return (x - mean) / (var + eps).sqrt()


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.reshape(N, T, groups, D // groups), (-1,)).reshape(N, T, D)

# %% sly: eps above a tenth is a tenth
def normalise_over(x, dims, eps=1e-5):
    eps = min(eps, 0.1) if eps < 1 else eps
    mean = x.mean(dims, keepdim=True)
    var = x.var(dims, keepdim=True, correction=0)
    y = (x - mean) / (var + eps).sqrt()
    return y

def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}

def token_group_norm(x, groups):
    N, T, D = x.shape
    y = normalise_over(x.reshape(N, T, groups, D // groups), (3,)).reshape(N, T, D)
    return y

# %% right: sums over one dim after the other, centred twice, groups as slices
def normalise_over(x, dims, eps=1e-5):
    def mean(values):
        for d in dims:
            values = values.sum(d, keepdim=True) / values.shape[d]
        return values
    c = x - mean(x)
    c = c - mean(c)
    return c * (mean(c * c) + eps).pow(-0.5)


def norm_dims():
    return {"layer": (-1,), "batch": (1, 0), "instance": (-2,)}


def token_group_norm(x, groups):
    size = x.shape[2] // groups
    return torch.cat([normalise_over(part, [2]) for part in x.split(size, dim=2)], dim=2)

# %% wrong: negative dims are not understood
def normalise_over(x, dims, eps=1e-5):
    size = [1 if d in dims else n for d, n in enumerate(x.shape)]
    count = x.numel() / torch.Size(size).numel()
    mean = x.sum_to_size(size) / count
    var = (x - mean).square().sum_to_size(size) / count
    return (x - mean) / torch.sqrt(var + eps)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    grouped = x.reshape(N, T, groups, D // groups)
    return normalise_over(grouped, (-1,)).reshape(N, T, D)

# %% wrong: across the groups
# told: You normalised across the groups. Take the statistics inside each group, over its features.
def normalise_over(x, dims, eps=1e-5):
    mean = x.mean(dim=dims, keepdim=True)
    variance = (x - mean).square().mean(dim=dims, keepdim=True)
    out = (x - mean) / torch.sqrt(variance + eps)
    return out


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    return normalise_over(x.reshape(N, T, groups, D // groups), (2,)).reshape(N, T, D)
