# wrong: sums dbias over the features
# fails: residual_layer_backward
# told: You summed over the features

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=1)
