# wrong: returns the outputs
# fails: end_to_end_jacobian
# told: These are the outputs

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return network(x)
