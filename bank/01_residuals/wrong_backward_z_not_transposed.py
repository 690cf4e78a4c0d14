# wrong: recomputes z without the transpose, then goes back as the right function does
# fails: residual_layer_backward
# told: you left out the transpose when you recomputed z

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)
