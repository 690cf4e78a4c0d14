# right: the gradient at the output written down, the rest by a vector-Jacobian product

# %% gradient_norms
def gradient_norms(network, x, target):
    y = network(x)
    at_output = 2 * (y - target).detach() / y.numel()
    unit = at_output / torch.linalg.vector_norm(at_output)
    weights = [p for p in network.parameters() if p.dim() > 1]
    return torch.stack([torch.linalg.matrix_norm(g) for g in torch.autograd.grad((unit * y).sum(), weights)])
