# right: central differences where float64 makes them exact enough

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    import copy
    if isinstance(network, nn.Module):
        network = copy.deepcopy(network).double()
    else:
        return torch.autograd.functional.jacobian(network, x)
    x, h = x.double(), 1e-6
    columns = [(network(x + h * e) - network(x - h * e)) / (2 * h) for e in torch.eye(len(x)).double()]
    return torch.stack(columns, dim=1).float().detach()
