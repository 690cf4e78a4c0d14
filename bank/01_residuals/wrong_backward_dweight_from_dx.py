# wrong: dweight from dx
# fails: residual_layer_backward
# told: You used dx of the whole layer

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    dx = dy + dz @ weight
    return dx, dx.T @ x, dz.sum(dim=0)
