# right: predicts by recursion, block by block

# %% stream_std
def stream_std(depth, branch_scale):
    return 1.0 if depth == 0 else stream_std(depth - 1, branch_scale) * math.sqrt(1 + branch_scale**2)


def measured_std(x, branches, branch_scale):
    if not branches:
        return x.std(correction=0)[None]
    following = measured_std(x + branch_scale * branches[0](x), branches[1:], branch_scale)
    return torch.cat([x.std(correction=0)[None], following])
