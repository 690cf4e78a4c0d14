# wrong: averages dbias
# fails: residual_layer_backward
# told: Gradients of a shared bias add up

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.mean(dim=0)
