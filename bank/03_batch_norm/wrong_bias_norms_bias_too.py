# wrong: counts batch norm's bias too
# fails: bias_gradient_share
# told: batch norm's own bias too

# %% bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() + following.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))
