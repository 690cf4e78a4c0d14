# wrong: takes layer norm for batch norm
# fails: influence
# told: wrong way round

# %% influence
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'all', 'layer norm, evaluation': 'own', 'batch norm, training': 'own', 'batch norm, evaluation': 'own'}
