# right: one forward-mode product per input

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    columns = [torch.autograd.functional.jvp(network, x, e)[1] for e in torch.eye(len(x))]
    return torch.stack(columns, dim=1)
