# wrong: drops dimensions of size one
# fails: end_to_end_jacobian
# told: Keep the dimension of the outputs

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.autograd.functional.jacobian(network, x).squeeze()
