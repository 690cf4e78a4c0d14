# wrong: thinks that batch norm keeps examples apart
# fails: influence
# told: In training batch norm takes its mean

# %% influence
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'own', 'batch norm, evaluation': 'own'}
