# wrong: returns dy for dx
# fails: residual_layer_backward
# told: This is the skip alone

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy, dz.T @ x, dz.sum(dim=0)
