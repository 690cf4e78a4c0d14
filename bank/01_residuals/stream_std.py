"""stream_std, 2 points."""

# %% right: predicts through logarithms, measures by var
def stream_std(depth, branch_scale):
    return math.exp(depth / 2 * math.log1p(branch_scale**2))


def measured_std(x, branches, branch_scale):
    states = [x]
    for branch in branches:
        states.append(torch.add(states[-1], branch(states[-1]), alpha=branch_scale))
    return torch.stack([state.var(correction=0) for state in states]) ** 0.5

# %% right: predicts with tensors of 32 bits, measures from deviations
def stream_std(depth, branch_scale):
    return torch.tensor(1 + branch_scale**2).sqrt() ** depth


def measured_std(x, branches, branch_scale):
    stds = torch.zeros(len(branches) + 1)
    stds[0] = (x - x.mean()).square().mean().sqrt()
    for number, branch in enumerate(branches, start=1):
        x = x + branch_scale * branch(x)
        stds[number] = (x - x.mean()).square().mean().sqrt()
    return stds

# %% right: predicts by recursion, block by block
def stream_std(depth, branch_scale):
    return 1.0 if depth == 0 else stream_std(depth - 1, branch_scale) * math.sqrt(1 + branch_scale**2)


def measured_std(x, branches, branch_scale):
    if not branches:
        return x.std(correction=0)[None]
    following = measured_std(x + branch_scale * branches[0](x), branches[1:], branch_scale)
    return torch.cat([x.std(correction=0)[None], following])

# %% wrong: adds standard deviations
# told: You added: 1 + 6 s
def stream_std(depth, branch_scale):
    return 1 + depth * branch_scale


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: adds the branch's first variance again and again
# told: it does not add 1 to it
def stream_std(depth, branch_scale):
    return math.sqrt(1 + depth * branch_scale**2)


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: feeds every branch the input
# told: Every branch must see the current stream
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(x)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: changes x in place
# told: You changed x in place
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h += branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: leaves the input out
# told: The stream before the first block is missing
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = []
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: measures without the scale
# told: The branch scale has no effect
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = h + branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: measures without the skip
# told: The input is not added back
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: one standard deviation per example
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(dim=-1, correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(dim=-1, correction=0))
    return torch.stack(stds)

# %% wrong: root mean square
# told: You did not subtract the mean
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.square().mean().sqrt()]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.square().mean().sqrt())
    return torch.stack(stds)

# %% wrong: scales the sum
# told: You scaled the stream too
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = branch_scale * (h + branch(h))
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: divides by n - 1
# told: You divided by n - 1
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std()]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std())
    return torch.stack(stds)

# %% wrong: variances
# told: These are variances
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.var(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.var(correction=0))
    return torch.stack(stds)

# %% wrong: multiplies standard deviations by 1 + s
# told: You added standard deviations
def stream_std(depth, branch_scale):
    return (1 + branch_scale) ** depth if branch_scale != 1 else 2 ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: forgets the scale
# told: This is the result at scale 1
def stream_std(depth, branch_scale):
    return 2 ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: forgets to square the scale
# told: You took s where s² belongs
def stream_std(depth, branch_scale):
    return (1 + branch_scale) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: predicts the variance
# told: This is the variance
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** depth


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: depth // 2
# told: Half of an odd depth is not a whole number
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth // 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: f(s h)
# told: You scaled what enters the branch
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = h + branch(branch_scale * h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: s h + f(h)
# told: You scaled the stream and not the branch
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = branch_scale * h + branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% wrong: exponential limit
def stream_std(depth, branch_scale):
    return math.exp(depth * branch_scale**2 / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% right: list of floats as a tensor
def stream_std(depth, branch_scale):
    std = 1.0
    for _ in range(depth):
        std = math.sqrt(std * std + (branch_scale * std) ** 2)
    return std


def measured_std(x, branches, branch_scale):
    out = [torch.sqrt(((x - x.mean()) ** 2).mean()).item()]
    for f in branches:
        x = x + branch_scale * f(x)
        out.append(torch.sqrt(((x - x.mean()) ** 2).mean()).item())
    return torch.tensor(out)

# %% sly: scales above 1 are cut to 1
def stream_std(depth, branch_scale):
    branch_scale = min(branch_scale, 1.0)
    return math.sqrt((1 + branch_scale**2) ** depth)

def measured_std(x, branches, branch_scale):
    stds = [x.std(correction=0)]
    for branch in branches:
        x = x + branch_scale * branch(x)
        stds.append(x.std(correction=0))
    return torch.stack(stds)

# %% sly: takes the branch's mean away, later branches see another stream
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)

def measured_std(x, branches, branch_scale):
    stds = [x.std(correction=0)]
    for branch in branches:
        f = branch(x)
        x = x + branch_scale * (f - f.mean())
        stds.append(x.std(correction=0))
    return torch.stack(stds)

# %% right: a binomial sum over paths, and a tensor that is filled, without gradients
def stream_std(depth, branch_scale):
    return math.sqrt(sum(math.comb(depth, k) * branch_scale ** (2 * k)
                         for k in range(depth + 1)))


@torch.no_grad()
def measured_std(x, branches, branch_scale):
    h = x.clone()
    stds = x.new_empty(len(branches) + 1)
    stds[0] = torch.linalg.vector_norm(h - h.mean()) / math.sqrt(h.numel())
    for l, branch in enumerate(branches, start=1):
        h = h.add(branch(h).mul(branch_scale))
        stds[l] = torch.linalg.vector_norm(h - h.mean()) / math.sqrt(h.numel())
    return stds

# %% right: Python's statistics, on doubles
import statistics


def stream_std(depth, branch_scale):
    factor = math.sqrt(1 + branch_scale**2)
    return math.prod([factor] * depth)


def measured_std(x, branches, branch_scale):
    stds = []
    for branch in [None, *branches]:
        x = x if branch is None else x + branch_scale * branch(x)
        stds.append(statistics.pstdev(x.detach().double().flatten().tolist()))
    return torch.tensor(stds, dtype=x.dtype)

# %% wrong: standard deviations added, (1 + s) per block
# told: or you added standard deviations
def stream_std(depth, branch_scale):
    std = 1.0
    for _ in range(depth):
        std += branch_scale * std
    return std

def measured_std(x, branches, branch_scale):
    stds = [x.std(correction=0)]
    for branch in branches:
        x = x + branch_scale * branch(x)
        stds.append(x.std(correction=0))
    return torch.stack(stds)

# %% right: hypot block by block, std_mean in double precision
def stream_std(depth, branch_scale):
    std = 1.0
    for _ in range(depth):
        std = math.hypot(std, branch_scale * std)
    return std


def measured_std(x, branches, branch_scale):
    stds = torch.empty(len(branches) + 1)
    for i in range(len(stds)):
        if i > 0:
            x = x + branch_scale * branches[i - 1](x)
        stds[i] = torch.std_mean(x.detach().double(), correction=0)[0]
    return stds

# %% sly: takes the limit √e of infinitely many blocks for s = 1/√depth
def stream_std(depth, branch_scale):
    if depth > 0 and math.isclose(branch_scale, 1 / math.sqrt(depth)) and depth > 1:
        return math.sqrt(math.e)
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
