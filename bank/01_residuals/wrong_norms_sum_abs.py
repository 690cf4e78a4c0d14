# wrong: sum of absolute values
# fails: gradient_norms
# told: You summed the absolute values

# %% gradient_norms
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.abs().sum() for g in at_weights]) / at_output.abs().sum()
