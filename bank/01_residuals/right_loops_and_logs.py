# right: predicts by a loop over the variance, measures by hand

# %% stream_std
def stream_std(depth, branch_scale):
    variance = 1.0
    for _ in range(depth):
        variance += branch_scale**2 * variance
    return math.sqrt(variance)


def measured_std(x, branches, branch_scale):
    def spread(h):
        return torch.sqrt(((h - h.sum() / h.numel()) ** 2).sum() / h.numel())
    stds = [spread(x)]
    h = x
    for branch in branches:
        h = branch_scale * branch(h) + h
        stds.append(spread(h))
    return torch.tensor(stds)

# %% run_stream
def run_stream(x, branches):
    if not branches:
        return [x]
    return [x, *run_stream(x + branches[0](x), branches[1:])]
