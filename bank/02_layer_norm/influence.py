"""influence, 2 points."""

# %% right: the Jacobian one output at a time
def influence(norm, x):
    x = x.clone().requires_grad_()
    y = norm(x)
    squares = torch.zeros(len(x), len(x))
    for i in range(len(x)):
        for a in range(y.shape[1]):
            grad, = torch.autograd.grad(y[i, a], x, retain_graph=True)
            squares[i] += (grad ** 2).sum(1)
    return squares ** 0.5


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% right: the Jacobian from torch.func
def influence(norm, x):
    return torch.func.jacrev(norm)(x).norm(dim=(1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: sums the entries
# told: You summed the entries
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.abs().sum((1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: sums the squares and takes no root
# told: took no root
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: differentiates each output by its own input only
# told: influences of other examples are missing
def influence(norm, x):
    jacobian = torch.stack([torch.autograd.functional.jacobian(lambda row: norm(torch.cat([x[:i], row[None], x[i + 1:]]))[i], x[i]) for i in range(len(x))])
    return torch.diag(jacobian.norm(dim=(1, 2)))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: inputs along the rows
# told: Your matrix is transposed
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt().T


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: thinks that batch norm mixes examples in evaluation too
# told: In evaluation mode batch norm uses stored statistics
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'all'}

# %% wrong: takes layer norm for batch norm
# told: wrong way round
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'all', 'layer norm, evaluation': 'own', 'batch norm, training': 'own', 'batch norm, evaluation': 'own'}

# %% wrong: thinks that batch norm keeps examples apart
# told: In training batch norm takes its mean
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'own', 'batch norm, evaluation': 'own'}
