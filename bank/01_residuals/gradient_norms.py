"""gradient_norms, 2 points."""

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
    weights = [p for p in network.parameters() if p.dim() == 2]
    return torch.stack([torch.linalg.matrix_norm(g) for g in torch.autograd.grad((unit * y).sum(), weights)])

# %% right: gradients of all parameters, lengths as Python numbers
def gradient_norms(network, x, target):
    output = network(x)
    loss = F.mse_loss(output, target)
    parameters = list(network.parameters())
    at_output, *gradients = torch.autograd.grad(loss, [output] + parameters)

    def length(t):
        return math.sqrt((t.double() ** 2).sum().item())

    ratios = [length(g) / length(at_output) for p, g in zip(parameters, gradients) if p.dim() == 2]
    return torch.tensor(ratios, dtype=output.dtype)

# %% wrong: backward without clearing .grad
# told: do gradients of the first call still stand in .grad
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
# told: These are the squares: a norm
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

# %% wrong: clears .grad before and after, so what was there is gone
# told: You wiped the gradients that were in .grad
def gradient_norms(network, x, target):
    network.zero_grad(set_to_none=True)
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    norms = [torch.sqrt((p.grad ** 2).sum()) for p in network.parameters() if p.ndim == 2]
    result = torch.stack(norms) / torch.sqrt((y.grad ** 2).sum())
    network.zero_grad(set_to_none=True)
    return result

# %% wrong: weights found by name
# told: Not every parameter called weight is a matrix (PReLU's is one number)
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for n, p in network.named_parameters() if n.endswith("weight")]
    g, *gs = torch.autograd.grad(F.mse_loss(y, target), [y, *weights])
    return torch.stack([q.norm() for q in gs]) / g.norm()

# %% wrong: spectral norm
# told: This is the spectral norm
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    g, *gs = torch.autograd.grad(F.mse_loss(y, target), [y, *weights])
    return torch.stack([torch.linalg.norm(q, 2) for q in gs]) / g.norm()

# %% wrong: 2 (y - t) without the mean
# told: The two gradients are not of the same loss
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    gs = torch.autograd.grad(F.mse_loss(y, target), weights)
    return torch.stack([q.norm() for q in gs]) / (2 * (y - target)).norm()

# %% wrong: linear layers only
def gradient_norms(network, x, target):
    y = network(x)
    weights = [m.weight for m in network.modules() if isinstance(m, nn.Linear)]
    g, *gs = torch.autograd.grad(F.mse_loss(y, target), [y, *weights])
    return torch.stack([q.norm() for q in gs]) / g.norm()

# %% wrong: puts the network into eval mode
# told: You left the network in evaluation mode
def gradient_norms(network, x, target):
    network.eval()
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    g, *gs = torch.autograd.grad(F.mse_loss(y, target), [y, *weights])
    return torch.stack([q.norm() for q in gs]) / g.norm()

# %% right: functional_call and torch.func.grad
def gradient_norms(network, x, target):
    params = {n: p.detach() for n, p in network.named_parameters()}
    loss = lambda ps: F.mse_loss(torch.func.functional_call(network, ps, (x,)), target)
    grads = torch.func.grad(loss)(params)
    with torch.no_grad():
        dy = 2 * (network(x) - target) / target.numel()
    return torch.stack([grads[n].norm() for n in params if params[n].dim() == 2]) / dy.norm()

# %% right: saves and restores .grad
def gradient_norms(network, x, target):
    kept = [p.grad for p in network.parameters()]
    for p in network.parameters():
        p.grad = None
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    out = torch.stack([p.grad.norm() for p in network.parameters() if p.dim() == 2]) / y.grad.norm()
    for p, g in zip(network.parameters(), kept):
        p.grad = g
    return out

# %% sly: more than one dimension counts, so kernels with three or four do too
def gradient_norms(network, x, target):
    weights = [p for p in network.parameters() if p.dim() > 1]
    y = network(x)
    dy, *grads = torch.autograd.grad(F.mse_loss(y, target), [y, *weights])
    return torch.stack([g.norm() / dy.norm() for g in grads])

# %% sly: all but vectors count, so a learned number of shape () does too
def gradient_norms(network, x, target):
    weights = [p for p in network.parameters() if p.dim() in (0, 2)]
    y = network(x)
    dy, *grads = torch.autograd.grad(F.mse_loss(y, target), [y, *weights])
    return torch.stack([g.norm() / dy.norm() for g in grads])

# %% sly: backward on top of what is in .grad, the old gradients enter the norms
def gradient_norms(network, x, target):
    parameters = list(network.parameters())
    kept = [None if p.grad is None else p.grad.clone() for p in parameters]
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    norms = torch.stack([p.grad.norm() for p in parameters if p.dim() == 2])
    for p, grad in zip(parameters, kept):
        p.grad = grad
    return norms / y.grad.norm()

# %% right: also under no_grad and with a matrix that is not used; double precision in the norms
def gradient_norms(network, x, target):
    weights = [p for p in network.parameters() if p.dim() == 2]
    with torch.enable_grad():
        y = network(x)
        loss = F.mse_loss(y, target)
    grads = torch.autograd.grad(loss, [y, *weights], allow_unused=True)
    norms = torch.stack([torch.zeros((), dtype=torch.float64) if g is None
                         else g.double().pow(2).sum().sqrt() for g in grads])
    return (norms[1:] / norms[0]).to(y.dtype)

# %% wrong: .grad comes back as zeros where it was None
# told: A .grad that was None holds zeros now
def gradient_norms(network, x, target):
    saved = [torch.zeros_like(p) if p.grad is None else p.grad.clone()
             for p in network.parameters()]
    network.zero_grad()
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    norms = torch.stack([p.grad.norm() for p in network.parameters() if p.dim() == 2])
    for p, old in zip(network.parameters(), saved):
        p.grad = old
    return norms / y.grad.norm()

# %% right: all of it in double precision, on a deep copy, as Python's numbers
def gradient_norms(network, x, target):
    import copy
    double = copy.deepcopy(network).double()
    double.zero_grad()
    with torch.enable_grad():
        y = double(x.double())
        y.retain_grad()
        F.mse_loss(y, target.double()).backward()
    size = math.sqrt(float(y.grad.square().sum()))
    norms = [math.sqrt(float(p.grad.square().sum())) for p in double.parameters() if p.ndim == 2]
    return torch.tensor([norm / size for norm in norms])

# %% sly: the divisor is never below 1
def gradient_norms(network, x, target):
    y = network(x)
    loss = F.mse_loss(y, target)
    weights = [p for p in network.parameters() if p.dim() == 2]
    *grads, dy = torch.autograd.grad(loss, weights + [y])
    return torch.stack([g.norm() for g in grads]) / dy.norm().clamp(min=1.0)


# %% sly: in the order in which the layers are used
def gradient_norms(network, x, target):
    used, hooks = [], []
    def note(module, *given):
        used.extend(p for p in module.parameters(recurse=False)
                    if p.dim() == 2 and not any(p is one for one in used))
    for m in network.modules():
        hooks.append(m.register_forward_pre_hook(note))
    y = network(x)
    for hook in hooks:
        hook.remove()
    at_output, *at_weights = torch.autograd.grad(F.mse_loss(y, target), [y, *used])
    return torch.stack([g.norm() for g in at_weights]) / at_output.norm()

# %% wrong: the gradient at the output by hand without the 2
# told: Twice as large
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    at_weights = torch.autograd.grad(F.mse_loss(y, target), weights)
    at_output = (y - target) / y.numel()
    return torch.stack([g.norm() for g in at_weights]) / at_output.norm()
