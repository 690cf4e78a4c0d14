# wrong: recomputes z without the bias
# fails: residual_layer_backward
# told: You forgot the bias

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)
