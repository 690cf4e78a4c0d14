# wrong: counts a bias that is not there
# fails: bias_gradient_share
# told: made with bias=False

# %% bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.out_features for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and isinstance(following, nn.BatchNorm1d))
