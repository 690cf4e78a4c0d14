# wrong: the diagonal only
# fails: end_to_end_jacobian
# told: You kept only the diagonal

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.autograd.functional.jacobian(network, x).diagonal()
