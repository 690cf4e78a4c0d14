# wrong: sends the skip through the tanh
# fails: residual_layer_backward
# told: The tanh is not on the skip

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dz + dz @ weight, dz.T @ x, dz.sum(dim=0)
