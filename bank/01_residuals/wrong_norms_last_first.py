# wrong: last layer first
# fails: gradient_norms
# told: The last layer comes first

# %% gradient_norms
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.norm() for g in at_weights]).flip(0) / at_output.norm()
