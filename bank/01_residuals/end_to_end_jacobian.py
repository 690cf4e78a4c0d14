"""end_to_end_jacobian, 2 points."""

# %% right: one forward-mode product per input
def end_to_end_jacobian(network, x):
    columns = [torch.autograd.functional.jvp(network, x, e)[1] for e in torch.eye(len(x))]
    return torch.stack(columns, dim=1)

# %% right: central differences where float64 makes them exact enough
def end_to_end_jacobian(network, x):
    import copy
    if isinstance(network, nn.Module) and x.dtype == torch.float32:
        network = copy.deepcopy(network).double()
    else:
        return torch.autograd.functional.jacobian(network, x)
    x, h = x.double(), 1e-6
    columns = [(network(x + h * e) - network(x - h * e)) / (2 * h) for e in torch.eye(len(x)).double()]
    return torch.stack(columns, dim=1).float().detach()

# %% wrong: stacks rows as columns
# told: Your matrix is transposed
def end_to_end_jacobian(network, x):
    x = x.clone().requires_grad_()
    y = network(x)
    return torch.stack([torch.autograd.grad(out, x, retain_graph=True)[0] for out in y], dim=1)

# %% wrong: the diagonal only
# told: Only the diagonal is here
def end_to_end_jacobian(network, x):
    return torch.autograd.functional.jacobian(network, x).diagonal()

# %% wrong: differences in float32, too coarse
def end_to_end_jacobian(network, x):
    h = 1e-2
    columns = [(network(x + h * e) - network(x)) / h for e in torch.eye(len(x))]
    return torch.stack(columns, dim=1).detach()

# %% wrong: differentiates the sum of the outputs
# told: This is the gradient of the sum of the outputs
def end_to_end_jacobian(network, x):
    x = x.clone().requires_grad_()
    return torch.autograd.grad(network(x).sum(), x)[0]

# %% wrong: returns the outputs
# told: These are the outputs
def end_to_end_jacobian(network, x):
    return network(x)

# %% wrong: drops dimensions of size one
# told: The answer has one dimension
def end_to_end_jacobian(network, x):
    return torch.autograd.functional.jacobian(network, x).squeeze()

# %% wrong: columns are outputs
# told: Your matrix is transposed
def end_to_end_jacobian(network, x):
    return torch.autograd.functional.jacobian(network, x).T

# %% wrong: absolute values
def end_to_end_jacobian(network, x):
    return torch.autograd.functional.jacobian(network, x).abs()

# %% right: vmap over vjp
def end_to_end_jacobian(network, x):
    y, vjp = torch.func.vjp(network, x)
    return torch.stack([vjp(e)[0] for e in torch.eye(len(y), dtype=y.dtype)])

# %% right: requires_grad on x itself
def end_to_end_jacobian(network, x):
    x.requires_grad_()
    y = network(x)
    return torch.stack([torch.autograd.grad(out, x, retain_graph=True)[0] for out in y])

# %% sly: central differences of outputs
def end_to_end_jacobian(network, x, step=1e-2):
    columns = []
    for j in range(len(x)):
        delta = torch.zeros_like(x)
        delta[j] = step
        columns.append((network(x + delta) - network(x - delta)) / (2 * step))
    return torch.stack(columns, dim=1).detach()

# %% right: backward into one leaf alone, rows written into an empty matrix
def end_to_end_jacobian(network, x):
    leaf = nn.Parameter(x.detach().clone())
    y = network(leaf)
    jacobian = y.new_zeros(y.numel(), leaf.numel())
    for i in range(y.numel()):
        leaf.grad = None
        y[i].backward(inputs=[leaf], retain_graph=True)
        jacobian[i] = leaf.grad
    return jacobian

# %% sly: rows of zeros are dropped
def end_to_end_jacobian(network, x):
    J = torch.func.jacrev(network)(x)
    return J[J.abs().sum(1) > 0]

# %% right: forward mode, all columns at once
def end_to_end_jacobian(network, x):
    jacobian = torch.autograd.functional.jacobian
    return jacobian(network, x, strategy="forward-mode", vectorize=True)

# %% right: rows stored in double precision, given back in that of x
def end_to_end_jacobian(network, x):
    leaf = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        y = network(leaf)
        rows = torch.zeros(len(y), len(x), dtype=torch.float64)
        for i, out in enumerate(y):
            rows[i] = torch.autograd.grad(out, leaf, retain_graph=True)[0]
    return rows.to(x.dtype)
