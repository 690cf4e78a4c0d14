# wrong: dweight transposed
# fails: residual_layer_backward
# told: dweight is transposed

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, x.T @ dz, dz.sum(dim=0)
