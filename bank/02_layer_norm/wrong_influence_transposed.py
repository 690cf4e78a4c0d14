# wrong: inputs along the rows
# fails: influence
# told: Your matrix is transposed

# %% influence
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt().T


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}
