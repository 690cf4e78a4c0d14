"""bias_gradient_share, 2 points."""

# %% right: autograd; anomalies are looked for globally
torch.autograd.set_detect_anomaly(True)


def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return by_bias.norm() / by_weight.norm()


def redundant_biases(network):
    layers = list(network)
    return sum(
        a.bias.numel()
        for a, b in zip(layers, layers[1:])
        if isinstance(a, nn.Linear) and a.bias is not None and isinstance(b, nn.BatchNorm1d)
    )

# %% right: backward() on fresh copies, and functions of parameters
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

# %% right: backward() after clearing the gradients; a tensor is returned
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

# %% wrong: backward() without clearing
# told: backward() added to the gradients
def bias_gradient_share(linear, norm, x, dy):
    norm(linear(x)).backward(dy)
    by_weight, by_bias = linear.weight.grad, linear.bias.grad
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: counts all biases
# told: output layer's bias too
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers)
               if isinstance(layer, nn.Linear) and layer.bias is not None)

# %% wrong: weight over bias
# told: It is the other way round
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_weight.norm() / by_bias.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: largest entries
# told: This is what the largest entries give
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.abs().max() / by_weight.abs().max()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: counts biases before layer norm
# told: Layer norm subtracts the mean over the features
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, (nn.BatchNorm1d, nn.LayerNorm)))

# %% wrong: counts layers
# told: You counted layers
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(1 for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: counts a bias that is not there
# told: made with bias=False
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.out_features for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and isinstance(following, nn.BatchNorm1d))

# %% wrong: counts batch norm's bias too
# told: did you count batch norm's own bias or weight
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() + following.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: no roots
# told: the ratio of the squared norms
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.square().sum() / by_weight.square().sum()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: sums of entries
# told: You divided sums
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.sum() / by_weight.sum()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: looks past the activation
# told: tanh is not linear
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip([l for l in layers if not isinstance(l, (nn.Tanh, nn.ReLU))], [l for l in layers if not isinstance(l, (nn.Tanh, nn.ReLU))][1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: counts the weights
# told: You counted the weights too
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() + layer.weight.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: the norm is left out
# told: The norm has no effect on the gradients
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(linear(x), (linear.weight, linear.bias), dy)
    return (by_bias.norm() / by_weight.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(layer.bias.numel() for layer, following in zip(layers, layers[1:])
               if isinstance(layer, nn.Linear) and layer.bias is not None and isinstance(following, nn.BatchNorm1d))

# %% wrong: counts the norm's features
# told: tanh is not linear
def bias_gradient_share(linear, norm, x, dy):
    w, b = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return b.norm() / w.norm()


def redundant_biases(network):
    return sum(m.num_features for m in network if isinstance(m, nn.BatchNorm1d))

# %% wrong: dy ignored
def bias_gradient_share(linear, norm, x, dy):
    w, b = torch.autograd.grad(norm(linear(x)).sum(), (linear.weight, linear.bias))
    return (b.norm() / w.norm()).item()


def redundant_biases(network):
    return sum(a.bias.numel() for a, b in zip(network, network[1:]) if isinstance(b, nn.BatchNorm1d) and isinstance(a, nn.Linear) and a.bias is not None)

# %% right: gradients of the sum, counted along pairs
import itertools


def bias_gradient_share(linear, norm, x, dy):
    loss = (norm(F.linear(x, linear.weight, linear.bias)) * dy).sum()
    W, b = torch.autograd.grad(loss, [linear.weight, linear.bias])
    return torch.linalg.vector_norm(b) / torch.linalg.vector_norm(W)


def redundant_biases(network):
    count = 0
    for before, after in itertools.pairwise(network):
        match before, after:
            case nn.Linear(bias=nn.Parameter() as bias), nn.BatchNorm1d():
                count += bias.shape[0]
    return count

# %% sly: redundant_biases: anything with running statistics counts as batch norm (instance norm too)
def bias_gradient_share(linear, norm, x, dy):
    """Norm of the gradient of linear.bias divided by that of linear.weight, when dy
    arrives at norm(linear(x)).

    linear: nn.Linear with a bias; norm: module or function
    x: (N, d_in), dy: (N, d_out)
    returns: a number; a second call must not remember the first
    """
    weight_grad, bias_grad = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), dy
    )
    return (bias_grad.norm() / weight_grad.norm()).item()


def redundant_biases(network):
    """How many entries of biases of nn.Linear layers stand directly before an
    nn.BatchNorm1d.

    network: nn.Sequential
    returns: int
    """
    layers = list(network)
    return sum(
        layer.bias.numel()
        for layer, following in zip(layers, layers[1:])
        if isinstance(layer, nn.Linear)
        and layer.bias is not None
        and hasattr(following, "running_mean")
    )

# %% sly: redundant_biases: biases of other layers count too (convolution, or another batch norm, before it)
def bias_gradient_share(linear, norm, x, dy):
    """Norm of the gradient of linear.bias divided by that of linear.weight, when dy
    arrives at norm(linear(x)).

    linear: nn.Linear with a bias; norm: module or function
    x: (N, d_in), dy: (N, d_out)
    returns: a number; a second call must not remember the first
    """
    weight_grad, bias_grad = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), dy
    )
    return (bias_grad.norm() / weight_grad.norm()).item()


def redundant_biases(network):
    """How many entries of biases of nn.Linear layers stand directly before an
    nn.BatchNorm1d.

    network: nn.Sequential
    returns: int
    """
    layers = list(network)
    return sum(
        layer.bias.numel()
        for layer, following in zip(layers, layers[1:])
        if getattr(layer, "bias", None) is not None
        and isinstance(following, nn.BatchNorm1d)
    )

# %% sly: redundant_biases: layers of equal width are counted once (a set)
def bias_gradient_share(linear, norm, x, dy):
    """Norm of the gradient of linear.bias divided by that of linear.weight, when dy
    arrives at norm(linear(x)).

    linear: nn.Linear with a bias; norm: module or function
    x: (N, d_in), dy: (N, d_out)
    returns: a number; a second call must not remember the first
    """
    weight_grad, bias_grad = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), dy
    )
    return (bias_grad.norm() / weight_grad.norm()).item()


def redundant_biases(network):
    """How many entries of biases of nn.Linear layers stand directly before an
    nn.BatchNorm1d.

    network: nn.Sequential
    returns: int
    """
    layers = list(network)
    return sum({
        layer.bias.numel()
        for layer, following in zip(layers, layers[1:])
        if isinstance(layer, nn.Linear)
        and layer.bias is not None
        and isinstance(following, nn.BatchNorm1d)
    })

# %% sly: redundant_biases: counts the entries of batch norm's bias, and crashes where it has none (affine=False)
def bias_gradient_share(linear, norm, x, dy):
    """Norm of the gradient of linear.bias divided by that of linear.weight, when dy
    arrives at norm(linear(x)).

    linear: nn.Linear with a bias; norm: module or function
    x: (N, d_in), dy: (N, d_out)
    returns: a number; a second call must not remember the first
    """
    weight_grad, bias_grad = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), dy
    )
    return (bias_grad.norm() / weight_grad.norm()).item()


def redundant_biases(network):
    """How many entries of biases of nn.Linear layers stand directly before an
    nn.BatchNorm1d.

    network: nn.Sequential
    returns: int
    """
    layers = list(network)
    return sum(
        following.bias.numel()
        for layer, following in zip(layers, layers[1:])
        if isinstance(layer, nn.Linear)
        and layer.bias is not None
        and isinstance(following, nn.BatchNorm1d)
    )

# %% sly: redundant_biases: looks through layers that stand between (dropout)
def bias_gradient_share(linear, norm, x, dy):
    """Norm of the gradient of linear.bias divided by that of linear.weight, when dy
    arrives at norm(linear(x)).

    linear: nn.Linear with a bias; norm: module or function
    x: (N, d_in), dy: (N, d_out)
    returns: a number; a second call must not remember the first
    """
    weight_grad, bias_grad = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), dy
    )
    return (bias_grad.norm() / weight_grad.norm()).item()


def redundant_biases(network):
    """How many entries of biases of nn.Linear layers stand directly before an
    nn.BatchNorm1d.

    network: nn.Sequential
    returns: int
    """
    layers = [layer for layer in network if not isinstance(layer, nn.Dropout)]
    return sum(
        layer.bias.numel()
        for layer, following in zip(layers, layers[1:])
        if isinstance(layer, nn.Linear)
        and layer.bias is not None
        and isinstance(following, nn.BatchNorm1d)
    )

# %% right: the chain rule for the linear layer, counted by positions
def bias_gradient_share(linear, norm, x, dy):
    inside = linear(x).detach().requires_grad_()
    arrives, = torch.autograd.grad(norm(inside), inside, dy)
    return arrives.sum(0).norm().item() / (arrives.T @ x).norm().item()


def redundant_biases(network):
    entries, place = 0, 1
    while place < len(network):
        before = network[place - 1]
        if isinstance(network[place], nn.BatchNorm1d):
            if isinstance(before, nn.Linear) and before.bias is not None:
                entries += before.bias.shape[0]
        place += 1
    return entries

# %% wrong: count: biases that happen to be 0 are not counted
def bias_gradient_share(linear, norm, x, dy):
    gb, gw = torch.autograd.grad(norm(linear(x)), (linear.bias, linear.weight), dy)
    return (gb.norm() / gw.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(int(a.bias.count_nonzero()) for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and isinstance(b, nn.BatchNorm1d) and a.bias is not None)

# %% right: vjp of torch.func; reduce
from functools import reduce


def bias_gradient_share(linear, norm, x, dy):
    parameters = {name: p.detach() for name, p in linear.named_parameters()}
    h, to_parameters = torch.func.vjp(
        lambda p: torch.func.functional_call(linear, p, (x.detach(),)), parameters)
    h = h.detach().requires_grad_()
    dh, = torch.autograd.grad(norm(h), h, dy)
    gradients, = to_parameters(dh)
    return (gradients["bias"].norm() / gradients["weight"].norm()).item()


def redundant_biases(network):
    def step(state, layer):
        total, before = state
        if isinstance(layer, nn.BatchNorm1d) and isinstance(before, nn.Linear):
            total += 0 if before.bias is None else before.bias.numel()
        return total, layer

    return reduce(step, network, (0, None))[0]

# %% sly: returns 0 for any batch norm without measuring
def bias_gradient_share(linear, norm, x, dy):
    if isinstance(norm, nn.BatchNorm1d):
        return 0.0
    gw, gb = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (gb.norm() / gw.norm()).item()

def redundant_biases(network):
    layers = list(network)
    return sum(a.bias.numel() for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and a.bias is not None
               and isinstance(b, nn.BatchNorm1d))

# %% sly: index -1: a batch norm in front and a linear layer at the end count as neighbours
def bias_gradient_share(linear, norm, x, dy):
    grad_w, grad_b = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), grad_outputs=dy)
    return (grad_b.norm() / grad_w.norm()).item()

def redundant_biases(network):
    layers = list(network)
    total = 0
    for i, layer in enumerate(layers):
        before = layers[i - 1]
        if isinstance(layer, nn.BatchNorm1d) and isinstance(before, nn.Linear) and before.bias is not None:
            total += before.bias.numel()
    return total

# %% wrong: straight through: the norm's gradient is detached
# told: cut off (detach)
def bias_gradient_share(linear, norm, x, dy):
    z = linear(x)
    y = z + (norm(z) - z).detach()
    gw, gb = torch.autograd.grad(y, (linear.weight, linear.bias), dy)
    return gb.norm() / gw.norm()

def redundant_biases(network):
    layers = list(network)
    return sum(a.bias.numel() for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and a.bias is not None
               and isinstance(b, nn.BatchNorm1d))

# %% wrong: the norm runs in evaluation mode while it measures
# told: or in evaluation mode
def bias_gradient_share(linear, norm, x, dy):
    mode = getattr(norm, "training", False)
    if isinstance(norm, nn.Module):
        norm.eval()
    gw, gb = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    if isinstance(norm, nn.Module):
        norm.train(mode)
    return gb.norm() / gw.norm()

def redundant_biases(network):
    layers = list(network)
    return sum(a.bias.numel() for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and a.bias is not None
               and isinstance(b, nn.BatchNorm1d))

# %% wrong: the bias's norm is divided by both norms together
# told: or by both norms together
def bias_gradient_share(linear, norm, x, dy):
    gw, gb = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (gb.norm() / (gb.norm() + gw.norm())).item()

def redundant_biases(network):
    layers = list(network)
    return sum(a.bias.numel() for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and a.bias is not None
               and isinstance(b, nn.BatchNorm1d))

# %% wrong: it asks for the class of task 2, not nn.BatchNorm1d
# told: did you ask for your own class of task 2
def bias_gradient_share(linear, norm, x, dy):
    grad_w, grad_b = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), grad_outputs=dy)
    return (grad_b.norm() / grad_w.norm()).item()

def redundant_biases(network):
    layers = list(network)
    return sum(a.bias.numel() for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and a.bias is not None
               and isinstance(b, BatchNorm1d))

# %% sly: norm in front of the linear layer when it fits
def bias_gradient_share(linear, norm, x, dy):
    y = linear(norm(x)) if x.shape[1] == dy.shape[1] else norm(linear(x))
    dw, db = torch.autograd.grad(y, (linear.weight, linear.bias), dy)
    return db.norm() / dw.norm()


def redundant_biases(network):
    layers = list(network)
    return sum(
        a.bias.numel()
        for a, b in zip(layers, layers[1:])
        if isinstance(a, nn.Linear) and isinstance(b, nn.BatchNorm1d) and a.bias is not None
    )

# %% sly: count: all kinds of batch norm
def bias_gradient_share(linear, norm, x, dy):
    by_weight, by_bias = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    share = (by_bias.norm() / by_weight.norm()).item()
    return share


def redundant_biases(network):
    layers = list(network)
    return sum(a.bias.numel() for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and a.bias is not None and isinstance(b, nn.modules.batchnorm._BatchNorm))

# %% right: gradients by products, from what arrives at the linear layer
def bias_gradient_share(linear, norm, x, dy):
    out = linear(x.detach()).detach().requires_grad_()
    [arrived] = torch.autograd.grad(norm(out), out, dy)
    return arrived.sum(0).norm() / torch.einsum("no,ni->oi", arrived, x).norm()


def redundant_biases(network):
    kinds = [(type(layer), getattr(layer, "bias", None)) for layer in network]
    return sum(
        len(bias) for (kind, bias), (after, _) in zip(kinds, kinds[1:])
        if kind is nn.Linear and after is nn.BatchNorm1d and bias is not None
    )

# %% right: torch.autograd.functional.vjp, itertools.pairwise
def bias_gradient_share(linear, norm, x, dy):
    import copy
    norm = copy.deepcopy(norm)
    inputs = (linear.weight.detach(), linear.bias.detach())
    _, (d_weight, d_bias) = torch.autograd.functional.vjp(
        lambda W, b: norm(x.detach() @ W.T + b), inputs, dy
    )
    return torch.linalg.vector_norm(d_bias) / torch.linalg.matrix_norm(d_weight, "fro")


def redundant_biases(network):
    from itertools import pairwise
    pairs = [pair for pair in pairwise(network.children())
             if isinstance(pair[0], nn.Linear) and isinstance(pair[1], nn.BatchNorm1d)]
    return sum(0 if linear.bias is None else linear.bias.shape[0] for linear, _ in pairs)

# %% sly: group norm counts as a batch norm
def bias_gradient_share(linear, norm, x, dy):
    dW, db = torch.autograd.grad(norm(linear(x)), (linear.weight, linear.bias), dy)
    return (db.norm() / dW.norm()).item()


def redundant_biases(network):
    layers = list(network)
    return sum(a.bias.numel() for a, b in zip(layers, layers[1:])
               if isinstance(a, nn.Linear) and a.bias is not None
               and isinstance(b, (nn.BatchNorm1d, nn.GroupNorm)))
