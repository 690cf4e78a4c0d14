# right: computes in float64 and returns float32

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    dy, x, weight, bias = (part.double() for part in (dy, x, weight, bias))
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a) * (1 + a)
    return (dy + dz @ weight).float(), (dz.T @ x).float(), dz.sum(0).float()

# %% stream_std
def stream_std(depth, branch_scale):
    return torch.tensor(1 + branch_scale**2, dtype=torch.float64).pow(depth).sqrt()


def measured_std(x, branches, branch_scale):
    h, stds = x.double(), []
    for branch in [None, *branches]:
        if branch is not None:
            h = h + branch_scale * branch(h.float()).double()
        stds.append(((h - h.mean()) ** 2).mean().sqrt())
    return torch.stack(stds).float()

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svd(jacobian.double()).S
    return (values.max() / values.min()).item()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
