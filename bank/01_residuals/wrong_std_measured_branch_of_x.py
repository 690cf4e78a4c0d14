# wrong: feeds every branch the input
# fails: stream_std
# told: Every branch must see the current stream

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(x)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
