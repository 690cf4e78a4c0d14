# right: one backward pass per output

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    x = x.clone().requires_grad_()
    y = network(x)
    rows = [torch.autograd.grad(y[i], x, retain_graph=True)[0] for i in range(len(y))]
    return torch.stack(rows)

# %% condition_number
def condition_number(jacobian):
    values, _ = torch.linalg.svdvals(jacobian).sort()
    return float(values[-1]) / float(values[0])


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
