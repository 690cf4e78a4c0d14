# wrong: counts the biases
# fails: gradient_norms
# told: Biases do not count

# %% gradient_norms
def gradient_norms(network, x, target):
    y = network(x)
    weights = list(network.parameters())
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.norm() for g in at_weights]) / at_output.norm()
