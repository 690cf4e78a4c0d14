# right: predicts with tensors of 32 bits, measures from deviations

# %% stream_std
def stream_std(depth, branch_scale):
    return torch.tensor(1 + branch_scale**2).sqrt() ** depth


def measured_std(x, branches, branch_scale):
    stds = torch.zeros(len(branches) + 1)
    stds[0] = (x - x.mean()).square().mean().sqrt()
    for number, branch in enumerate(branches, start=1):
        x = x + branch_scale * branch(x)
        stds[number] = (x - x.mean()).square().mean().sqrt()
    return stds
