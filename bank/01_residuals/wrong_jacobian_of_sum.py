# wrong: differentiates the sum of the outputs
# fails: end_to_end_jacobian
# told: You differentiated the sum of the outputs

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    x = x.clone().requires_grad_()
    return torch.autograd.grad(network(x).sum(), x)[0]
