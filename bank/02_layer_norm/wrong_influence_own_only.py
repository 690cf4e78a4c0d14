# wrong: differentiates each output by its own input only
# fails: influence
# told: influences of other examples are missing

# %% influence
def influence(norm, x):
    jacobian = torch.stack([torch.autograd.functional.jacobian(lambda row: norm(torch.cat([x[:i], row[None], x[i + 1:]]))[i], x[i]) for i in range(len(x))])
    return torch.diag(jacobian.norm(dim=(1, 2)))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}
