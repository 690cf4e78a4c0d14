# wrong: leaves the input out
# fails: stream_std
# told: The stream before the first block is missing

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = []
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
