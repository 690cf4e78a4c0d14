# wrong: transposes the weight on the way back
# fails: residual_layer_backward
# told: The weight is transposed on the way back

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight.T, dz.T @ x, dz.sum(dim=0)
