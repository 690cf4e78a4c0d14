# wrong: adds standard deviations
# fails: stream_std
# told: Standard deviations of uncorrelated terms do not add

# %% stream_std
def stream_std(depth, branch_scale):
    return 1 + depth * branch_scale


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
