# wrong: backward() without clearing
# fails: bias_gradient_share
# told: backward() added to the gradients

# %% bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    norm(linear(x)).backward(dy)
    by_weight, by_bias = linear.weight.grad, linear.bias.grad
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))
