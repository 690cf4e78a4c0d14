# wrong: forgets the derivative of tanh
# fails: residual_layer_backward
# told: The derivative of tanh is missing

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)
