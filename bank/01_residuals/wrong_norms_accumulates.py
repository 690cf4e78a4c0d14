# wrong: backward without clearing .grad
# fails: gradient_norms
# told: Gradients of the first call are still in .grad

# %% gradient_norms
def gradient_norms(network, x, target):
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    return torch.stack([p.grad.norm() for p in network.parameters() if p.dim() == 2]) / y.grad.norm()
