# wrong: does not divide
# fails: gradient_norms
# told: You did not divide by the norm of the gradient at the output

# %% gradient_norms
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.dim() == 2]
    loss = F.mse_loss(y, target)
    at_output, *at_weights = torch.autograd.grad(loss, [y, *weights])
    return torch.stack([g.norm() for g in at_weights])
