# wrong: averages over the examples
# fails: residual_layer_backward
# told: You averaged over the examples

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x / len(x), dz.mean(dim=0)
