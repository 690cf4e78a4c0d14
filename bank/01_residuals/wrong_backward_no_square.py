# wrong: 1 - tanh
# fails: residual_layer_backward
# told: you left out the square

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a)
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)
