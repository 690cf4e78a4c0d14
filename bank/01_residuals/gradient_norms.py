"""gradient_norms, 2 points."""

# %% right: calls backward and clears what it left behind
def gradient_norms(network, x, target):
    network.zero_grad(set_to_none=True)
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    norms = [torch.sqrt((p.grad ** 2).sum()) for p in network.parameters() if p.ndim == 2]
    result = torch.stack(norms) / torch.sqrt((y.grad ** 2).sum())
    network.zero_grad(set_to_none=True)
    return result

# %% right: works on a deep copy of the network, and on the sum of squares: the ratio is the same
def gradient_norms(network, x, target):
    import copy
    twin = copy.deepcopy(network)
    y = twin(x)
    y.retain_grad()
    ((y - target) ** 2).sum().backward()
    return torch.tensor([(p.grad.norm() / y.grad.norm()).item() for n, p in twin.named_parameters() if len(p.shape) == 2])

# %% right: the gradient at the output written down, the rest by a vector-Jacobian product
def gradient_norms(network, x, target):
    y = network(x)
    at_output = 2 * (y - target).detach() / y.numel()
    unit = at_output / torch.linalg.vector_norm(at_output)
    weights = [p for p in network.parameters() if p.dim() > 1]
    return torch.stack([torch.linalg.matrix_norm(g) for g in torch.autograd.grad((unit * y).sum(), weights)])

# %% wrong: backward without clearing .grad
# told: Gradients of the first call are still in .grad
def gradient_norms(network, x, target):
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    return torch.stack([p.grad.norm() for p in network.parameters() if p.dim() == 2]) / y.grad.norm()

# %% wrong: divides by the loss
# told: You divided by the loss
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.norm() for g in at_weights]) / loss.detach()

# %% wrong: last layer first
# told: The last layer comes first
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.norm() for g in at_weights]).flip(0) / at_output.norm()

# %% wrong: clears .grad before, and leaves it behind after
# told: You left gradients in .grad
def gradient_norms(network, x, target):
    network.zero_grad()
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    return torch.stack([p.grad.norm() for p in network.parameters() if p.dim() == 2]) / y.grad.norm()

# %% wrong: mean absolute gradient, as in a well-known notebook
# told: You averaged the absolute values
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.abs().mean() for g in at_weights]) / at_output.abs().mean()

# %% wrong: does not divide
# told: You did not divide by the norm of the gradient at the output
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.norm() for g in at_weights])

# %% wrong: root mean square
# told: You took the root of the mean square
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.square().mean().sqrt() for g in at_weights]) / at_output.square().mean().sqrt()

# %% wrong: squares both norms
# told: You took no root: a norm
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.square().sum() for g in at_weights]) / at_output.square().sum()

# %% wrong: squares the norm of the gradient by the weights only
# told: You took no root of the gradient's squares
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.square().sum() for g in at_weights]) / at_output.norm()

# %% wrong: sum of absolute values
# told: You summed the absolute values
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.abs().sum() for g in at_weights]) / at_output.abs().sum()

# %% wrong: counts the biases
# told: Biases do not count
def gradient_norms(network, x, target):
    y = network(x)
    weights = list(network.parameters())
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.norm() for g in at_weights]) / at_output.norm()
