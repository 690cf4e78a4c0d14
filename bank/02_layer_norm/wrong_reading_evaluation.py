# wrong: thinks that batch norm mixes examples in evaluation too
# fails: influence
# told: In evaluation mode batch norm uses stored statistics

# %% influence
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'all'}
