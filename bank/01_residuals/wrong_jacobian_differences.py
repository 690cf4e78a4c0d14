# wrong: differences in float32, too coarse
# fails: end_to_end_jacobian

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    h = 1e-2
    columns = [(network(x + h * e) - network(x)) / h for e in torch.eye(len(x))]
    return torch.stack(columns, dim=1).detach()
