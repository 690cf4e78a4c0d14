# right: the Jacobian from torch.func

# %% influence
def influence(norm, x):
    return torch.func.jacrev(norm)(x).norm(dim=(1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}
