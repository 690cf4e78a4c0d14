# wrong: 1 - z squared
# fails: residual_layer_backward
# told: square the tanh, not z

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    z = x @ weight.T + bias
    dz = dy * (1 - z.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)
