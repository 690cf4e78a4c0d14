# wrong: clears .grad before, and leaves it behind after
# fails: gradient_norms
# told: You left gradients in .grad

# %% gradient_norms
def gradient_norms(network, x, target):
    network.zero_grad()
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    return torch.stack([p.grad.norm() for p in network.parameters() if p.dim() == 2]) / y.grad.norm()
