# wrong: stacks rows as columns
# fails: end_to_end_jacobian
# told: Your matrix is transposed

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    x = x.clone().requires_grad_()
    y = network(x)
    return torch.stack([torch.autograd.grad(out, x, retain_graph=True)[0] for out in y], dim=1)
