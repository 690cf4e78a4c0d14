# right: backward() after clearing the gradients; a tensor is returned

# %% bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    linear.zero_grad()
    norm(linear(x)).backward(dy)
    return torch.linalg.norm(linear.bias.grad) / torch.linalg.matrix_norm(linear.weight.grad)


def redundant_biases(network):
    total = 0
    for i in range(len(network) - 1):
        if type(network[i]) is nn.Linear and type(network[i + 1]) is nn.BatchNorm1d and network[i].bias is not None:
            total += network[i].out_features
    return total
