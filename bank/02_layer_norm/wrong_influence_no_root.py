# wrong: sums the squares and takes no root
# fails: influence
# told: took no root

# %% influence
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}
