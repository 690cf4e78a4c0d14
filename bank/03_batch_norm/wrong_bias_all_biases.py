# wrong: counts all biases
# fails: bias_gradient_share
# told: output layer's bias too

# %% bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers)
               if isinstance(layer, nn.Linear) and layer.bias is not None)
