# right: calls backward and clears what it left behind

# %% gradient_norms
def gradient_norms(network, x, target):
    network.zero_grad(set_to_none=True)
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    norms = [torch.sqrt((p.grad ** 2).sum()) for p in network.parameters() if p.ndim == 2]
    result = torch.stack(norms) / torch.sqrt((y.grad ** 2).sum())
    network.zero_grad(set_to_none=True)
    return result
