# wrong: forgets the scale
# fails: stream_std
# told: Your result does not depend on the scale

# %% stream_std
def stream_std(depth, branch_scale):
    return 2 ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
