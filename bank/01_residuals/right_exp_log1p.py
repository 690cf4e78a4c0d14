# right: predicts through logarithms, measures by var

# %% stream_std
def stream_std(depth, branch_scale):
    return math.exp(depth / 2 * math.log1p(branch_scale**2))


def measured_std(x, branches, branch_scale):
    states = [x]
    for branch in branches:
        states.append(torch.add(states[-1], branch(states[-1]), alpha=branch_scale))
    return torch.stack([state.var(correction=0) for state in states]) ** 0.5
