# wrong: scales the sum
# fails: stream_std
# told: You scaled the stream too

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h = branch_scale * (h + branch(h))
        stds.append(h.std(correction=0))
    return torch.stack(stds)
