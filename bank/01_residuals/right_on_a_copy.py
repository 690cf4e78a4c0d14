# right: works on a deep copy of the network, and on the sum of squares: the ratio is the same

# %% gradient_norms
def gradient_norms(network, x, target):
    import copy
    twin = copy.deepcopy(network)
    y = twin(x)
    y.retain_grad()
    ((y - target) ** 2).sum().backward()
    return torch.tensor([(p.grad.norm() / y.grad.norm()).item() for n, p in twin.named_parameters() if len(p.shape) == 2])
