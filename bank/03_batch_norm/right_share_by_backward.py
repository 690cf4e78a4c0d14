# right: backward() on fresh copies, and functions of parameters

# %% bias_gradient_share
import copy


def bias_gradient_share(linear, norm, x, dy):
    layer = copy.deepcopy(linear)
    layer.zero_grad()
    (dy * norm(layer(x))).sum().backward()
    return float(layer.bias.grad.square().sum().sqrt() / layer.weight.grad.square().sum().sqrt())


def redundant_biases(network):
    count, previous = 0, None
    for layer in network:
        if isinstance(layer, nn.BatchNorm1d) and isinstance(previous, nn.Linear) and previous.bias is not None:
            count += len(previous.bias)
        previous = layer
    return count
