# wrong: has not yet understood in-place addition
# fails: residual, stream_std, run_stream
# told: in place

# %% residual
def residual(x, branch):
    x += branch(x)
    return x

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h += branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% run_stream
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h += branch(h)
        states.append(h)
    return states
