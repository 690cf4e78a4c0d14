# wrong: columns are outputs
# fails: end_to_end_jacobian
# told: Your matrix is transposed

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.autograd.functional.jacobian(network, x).T
