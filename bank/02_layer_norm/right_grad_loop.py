# right: the Jacobian one output at a time

# %% influence
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
