# wrong: measures without the skip
# fails: stream_std
# told: The input is not added back

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
