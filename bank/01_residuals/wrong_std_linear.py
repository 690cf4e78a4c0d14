# wrong: adds the branch's first variance again and again
# fails: stream_std
# told: it does not add 1 to it

# %% stream_std
def stream_std(depth, branch_scale):
    return math.sqrt(1 + depth * branch_scale**2)


def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(correction=0)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)
