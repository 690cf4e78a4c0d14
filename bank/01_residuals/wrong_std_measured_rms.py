# wrong: root mean square
# fails: stream_std
# told: You did not subtract the mean

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.square().mean().sqrt()]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.square().mean().sqrt())
    return torch.stack(stds)
