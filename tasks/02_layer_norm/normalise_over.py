"""normalise_over, 2 points: one formula, four norms."""
task = Task("normalise_over", by_hand="normalisation", targets=["normalise_over", "token_group_norm"])
over = task.function("normalise_over", x="N T D", dims=[(0, 2), (1,), (0, 1), (2,), (0, 1, 2)])
groups = task.function("token_group_norm", x="N T D", groups=[1])
NORMS = {"layer", "batch", "instance"}

over.look("over both dims together", x=[[1., 3., 8.], [5., 6., 7.]], dims=(0, 1), eps=0.)
over.look("over the first dim", x=[[1., 2., 6.], [10., 20., 60.], [2., 2., 8.]], dims=(0,), eps=0.)
over.look("over the last dim of a square tensor", x=[[1., 2., 6.], [10., 20., 60.], [2., 2., 8.]], dims=(1,), eps=0.)
over.look("eps stands inside the root", x=[1., 7.], dims=(0,), eps=40.)
over.look("small numbers, and the eps that it has unless told", x=[0.001, 0.007], dims=(0,))
over.look("gradients flow through the mean and the variance", x=[1., 3.], dims=(0,), eps=0.5, backward=True)
over.case("four dims, two of them together, with an eps", lambda: (sample(2, 3, 2, 4, seed=91), (1, 3), 0.5), backward=True)
over.case("dims that are counted from the end", lambda: (sample(2, 3, 4, seed=92), (-1, -2)))
groups.look("three groups of two features, for each token", x=[[[1., 3., 10., 50., 7., 9.], [0., 2., 4., 8., 5., 1.]]], groups=3)
groups.case("two groups of a block", lambda: (3 * sample(2, 3, 6, seed=93) + 1, 2), backward=True)
groups.case("three groups of a block", lambda: (sample(3, 2, 6, seed=94), 3))


def is_answer(answer):
    return isinstance(answer, dict) and set(answer) == NORMS and all(
        isinstance(dims, (tuple, list)) and dims and set(dims) <= set(range(-3, 3)) for dims in answer.values())


@task.probe("an answer for each of the three norms", where("a dict: each of the three names with a tuple of dims of an (N, T, D) block", is_answer),
            otherwise="Return a dict: each of the names layer, batch and instance with a tuple of dims of an (N, T, D) block, which are 0, 1 and 2.",
            shown="norm_dims()")
def _(norm_dims):
    return norm_dims()


@task.probe("the dims of the three norms", hidden=True, shown="norm_dims()")
def _(norm_dims):
    return {name: sorted(dim % 3 for dim in dims) for name, dims in norm_dims().items()}


# %% mistakes
axis = "02#the-axis-that-must-not-disappear"; sets = "02#which-numbers-share-a-mean"; details = "02#what-people-get-wrong"
O, G = dict(of="normalise_over"), dict(of="token_group_norm")
MEAN, VARIANCE, OUT = "x.mean(dim=dims, keepdim=True)", "(x - mean).square().mean(dim=dims, keepdim=True)", "(x - mean) / {}"
ROOT = "(variance + eps).sqrt()"
mistake("You divided by n - 1: use the biased variance.", **O, variance="x.var(dim=dims, keepdim=True)", see=details)
mistake("This is what the sum of the squared distances gives: divide it by n.", **O, variance="(x - mean).square().sum(dim=dims, keepdim=True)")
mistake("You divided by the variance. Divide by its square root.", **O, returns=OUT.format("(variance + eps)"))
loop = "(y := x, [y := (y - y.mean(d, keepdim=True)) / (y.var(d, correction=0, keepdim=True) + eps).sqrt() for d in {}])[1][-1]"
mistake("You normalised one dim after the other. Take one mean and one variance over all dims together.", **O, returns=loop.format("dims"))
mistake("You normalised one dim after the other, last one first. Take one mean and one variance over all dims together.", **O,
        returns=loop.format("reversed(dims)"))
mistake("You used the last dim only.", {"dim=dims": "dim=-1"})
mistake("You used the first dim only.", {"dim=dims": "dim=0"})
mistake("You used the first of the dims only.", {"dim=dims": "dim=dims[0]"})
mistake("You used all dims from the smallest one on. Use those in dims, and no others.", {"dim=dims": "dim=tuple(range(min(d % x.dim() for d in dims), x.dim()))"})
mistake("You used all dims. Use those in dims, and no others.", {"dim=dims": "dim=tuple(range(x.dim()))"})
mistake("You took the variance of one dim's variances. Average the squared distances over all dims together.", **O,
        variance="(v := x, [v := v.var(d, correction=0, keepdim=True) for d in dims])[1][-1]")
mistake("This is what the mean distance gives: average the squared distances.", **O, variance="(x - mean).abs().mean(dim=dims, keepdim=True)")
mistake("You divided by the mean distance. Divide by the root of the mean squared distance.", **O,
        returns=OUT.format("((x - mean).abs().mean(dim=dims, keepdim=True) + eps)"))
mistake("Each distance is divided by its own size: average the squared distances over the dims first.", **O, variance="(x - mean).square()")
mistake("You subtracted the sum. The mean is the sum divided by n.", **O, mean="x.sum(dim=dims, keepdim=True)", variance="x.var(dim=dims, correction=0, keepdim=True)")
mistake("In the variance you added the mean. Subtract it before you square.", **O, variance="(x + mean).square().mean(dim=dims, keepdim=True)")
mistake("You divided by the root of the mean square. The distance from the mean counts, not the number itself.", **O,
        variance="x.square().mean(dim=dims, keepdim=True)")
mistake("You multiplied by the standard deviation. Divide by it.", **O, returns=f"(x - mean) * {ROOT}")
mistake("You added the mean. Subtract it.", **O, returns=f"(x + mean) / {ROOT}")
mistake("You did not subtract the mean from the x that you divide.", **O, returns=f"x / {ROOT}")
mistake("Your sign is turned round: subtract the mean from x.", **O, returns=f"(mean - x) / {ROOT}")
mistake("You subtracted the variance. Subtract the mean.", **O, returns=f"(x - variance) / {ROOT}")
mistake("You squared the variance. Take its root.", **O, returns=OUT.format("(variance + eps).square()"))
mistake("You took the root of the mean. Take that of the variance.", **O, returns=OUT.format("(mean + eps).sqrt()"))
mistake("The statistics are paired with the columns, not with their own rows: keep their dimension (keepdim=True).", {", keepdim=True": ""}, see=axis)
mistake("Is your eps inside the square root? You added it to the standard deviation.", **O, returns=OUT.format("(variance.sqrt() + eps)"), see=details)
ignored = "The eps that you are given has no effect here: add that one to every variance, inside the root."
mistake(ignored, **O, returns=OUT.format("variance.sqrt()"), see=details)
mistake(ignored, **O, returns=OUT.format("(variance + 1e-5).sqrt()"), see=details)
mistake("This is the gradient for constant statistics: they depend on x, so do not cut them off (detach, data, item or no_grad).", **O,
        mean=MEAN + ".detach()", variance=VARIANCE + ".detach()")
mistake("No gradient flows through the variance: is it cut off (detach, data, item or no_grad), or not used?", **O, variance=VARIANCE + ".detach()")
mistake("No gradient flows through the mean: is it cut off (detach, data, item or no_grad), or not used?", **O, mean=MEAN + ".detach()")
R, B = "x.reshape(N, T, groups, D // groups)", ".reshape(N, T, D)"
mistake("You normalised all features together: that is layer norm.", **G, returns="normalise_over(x, (2,))", see=sets)
mistake("You swapped the number of groups and their size.", {R: "x.reshape(N, T, D // groups, groups)"})
mistake("Your groups are interleaved (features 0 and 3). They are blocks of neighbours (features 0 and 1).", **G,
        returns=f"normalise_over(x.reshape(N, T, D // groups, groups).transpose(2, 3), (3,)).transpose(2, 3){B}")
mistake("torch's GroupNorm mixes the tokens of an example; here each token has statistics of its own.", **G, returns=f"normalise_over({R}, (1, 3)){B}")
mistake("The block comes back as it was: normalise the groups, then reshape that result back.", **G, returns="x")
mistake("You normalised across the groups. Take the statistics inside each group, over its features.", **G, returns=f"normalise_over({R}, (2,)){B}")
mistake("You normalised across the examples: with one example all is 0. Take the statistics inside each group.", **G, returns=f"normalise_over({R}, (0,)){B}")
mistake("The groups are never stored: only zeros come back.", **G, returns="torch.zeros_like(x)")
mistake("No gradient flows through token_group_norm: is it cut off (detach, data, item or no_grad), or a new tensor of its numbers?", **G,
        returns=f"normalise_over({R}, (3,)){B}.detach()")
mistake("The names are layer, batch and instance.", {'"layer"': '"layer norm"'})
mistake("Write a tuple for a single dim too: (2,).", {"(2,), \"batch\"": "2, \"batch\""})
mistake("An (N, T, D) block has the dims 0, 1 and 2.", {"(2,), \"batch\"": "(3,), \"batch\""})
L, BN, I = '"layer": (2,)', '"batch": (0, 1)', '"instance": (1,)'
mistake("These are batch norm's dims, or those that are left when layer norm has averaged. Name the dims that are averaged over: those of one token's features.",
        {L: '"layer": (0, 1)'}, see=sets)
mistake("Layer norm's dims mix the tokens of an example here. Its mean belongs to one token: its features only.", {L: '"layer": (1, 2)'}, see=sets)
mistake("In a block (N, T, D) these are instance norm's dims, the tokens. Layer norm averages over the features.", {L: '"layer": (1,)'}, see=sets)
mistake("For batch norm you averaged over the examples only. A feature's mean is taken over all examples and all tokens.", {BN: '"batch": (0,)'}, see=sets)
mistake("For batch norm you averaged over examples and features: that gives one mean a token position, not one a feature.", {BN: '"batch": (0, 2)'}, see=sets)
mistake("For batch norm you named layer norm's dims. Batch norm's mean belongs to one feature.", {BN: '"batch": (2,)'}, see=sets)
mistake("For instance norm you averaged over tokens and features. It keeps the features apart.", {I: '"instance": (1, 2)'}, see=sets)
mistake("For instance norm you named layer norm's dims. It averages along the tokens.", {I: '"instance": (2,)'}, see=sets)
mistake("For instance norm you named batch norm's dims. It does not mix examples.", {I: '"instance": (0, 1)'}, see=sets)

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

# %% right: ARENA
def normalise_over(x: Tensor, dims: tuple[int, ...], eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=dims, keepdim=True)
    var = x.var(dim=dims, keepdim=True, unbiased=False)
    return (x - mean) / (var + eps).sqrt()


def norm_dims() -> dict[str, tuple[int, ...]]:
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x: Tensor, groups: int) -> Tensor:
    n, t, d = x.shape
    assert d % groups == 0
    grouped = x.reshape(n, t, groups, d // groups)
    return normalise_over(grouped, (-1,)).reshape(n, t, d)

# %% right: CS231n
def normalise_over(x, dims, eps=1e-5):
    mu = torch.mean(x, axis=dims, keepdims=True)
    xmu = x - mu
    var = torch.mean(xmu ** 2, axis=dims, keepdims=True)
    return xmu / torch.sqrt(var + eps)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    x_group = x.reshape(N, T, groups, D // groups)
    return normalise_over(x_group, (3,)).reshape(N, T, D)

# %% right: makemore
def normalise_over(x, dims, eps=1e-5):
    xdiff = x - x.mean(dims, keepdim=True)
    return xdiff * ((xdiff**2).mean(dims, keepdim=True) + eps)**-0.5

def norm_dims():
    return dict(layer=(2,), batch=(0, 1), instance=(1,))

def token_group_norm(x, groups):
    return normalise_over(x.view(x.shape[0], x.shape[1], groups, -1), (3,)).view(x.shape)

# %% right: torch source
def normalise_over(x, dims, eps=1e-5):
    var, mean = torch.var_mean(x, dim=dims, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(var + eps)


def norm_dims():
    return {"layer": (-1,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    return normalise_over(x.unflatten(-1, (groups, -1)), (-1,)).flatten(-2)

# %% right: numpy first
import numpy as np


def normalise_over(x, dims, eps=1e-5):
    mean = x.mean(axis=dims, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=dims, keepdims=True)
    return (x - mean) / (variance + eps) ** 0.5


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    columns = np.split(np.arange(x.shape[2]), groups)
    return torch.concatenate([normalise_over(x[:, :, own], (2,)) for own in columns], axis=2)

# %% right: plain loops
def normalise_over(x, dims, eps=1e-5):
    taken = []
    for d in dims:
        if d < 0:
            d = d + x.dim()
        taken.append(d)
    kept = []
    for d in range(x.dim()):
        if d not in taken:
            kept.append(d)
    order = kept + taken
    turned = x.permute(order)
    size = 1
    for d in taken:
        size = size * x.shape[d]
    rows = []
    for row in turned.reshape(-1, size):
        mean = row.mean()
        variance = ((row - mean) ** 2).mean()
        rows.append((row - mean) / torch.sqrt(variance + eps))
    back = [0] * len(order)
    for place, d in enumerate(order):
        back[d] = place
    return torch.stack(rows).reshape(turned.shape).permute(back)


def norm_dims():
    return {"layer": (2,), "batch": (0, 1), "instance": (1,)}


def token_group_norm(x, groups):
    N, T, D = x.shape
    size = D // groups
    examples = []
    for n in range(N):
        tokens = []
        for t in range(T):
            parts = []
            for g in range(groups):
                part = x[n, t, g * size:(g + 1) * size]
                mean = part.mean()
                variance = ((part - mean) ** 2).mean()
                parts.append((part - mean) / torch.sqrt(variance + 1e-5))
            tokens.append(torch.cat(parts))
        examples.append(torch.stack(tokens))
    return torch.stack(examples)
