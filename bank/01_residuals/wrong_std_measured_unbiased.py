# wrong: divides by n - 1
# fails: stream_std
# told: You divided by n - 1

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std()]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std())
    return torch.stack(stds)
