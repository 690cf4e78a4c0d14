# wrong: keeps one dbias per example
# fails: residual_layer_backward
# told: The bias is shared by all examples

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz
