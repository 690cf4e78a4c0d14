# wrong: derived for x @ W, the matrix stored the other way round
# fails: residual_layer_backward
# told: you transposed the wrong one of the two

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight + bias)
    dz = dy * (1 - a * a)
    return dy + dz @ weight.T, x.T @ dz, dz.sum(dim=0)
