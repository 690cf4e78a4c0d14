# wrong: predicts the variance
# fails: stream_std
# told: This is the variance

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** depth


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
