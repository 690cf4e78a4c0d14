# wrong: dbias from dy
# fails: residual_layer_backward
# told: The derivative of tanh is missing in dbias

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dy.sum(dim=0)
