# wrong: forgets the skip
# fails: residual_layer_backward
# told: The skip is missing

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dz @ weight, dz.T @ x, dz.sum(dim=0)
