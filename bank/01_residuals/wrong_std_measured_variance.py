# wrong: variances
# fails: stream_std
# told: These are variances

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.var(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.var(correction=0))
    return torch.stack(stds)
