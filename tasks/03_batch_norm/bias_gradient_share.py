"""bias_gradient_share, 2 points: where the biases went."""
import torch
from torch import nn

task = Task("bias_gradient_share")
BN, ID = nn.BatchNorm1d, nn.Identity


def share(label, shown, ask, *more, **options):
    """A probe of the first function."""
    task.probe(label, *more, shown=shown, **options)(lambda bias_gradient_share: ask(bias_gradient_share))


def count(label, text):
    """A network, written as text, in which biases are counted."""
    @task.probe(label, shown=f"redundant_biases(nn.Sequential({text}))")
    def _(redundant_biases):
        return redundant_biases(eval(f"nn.Sequential({text})", {"nn": nn}))


X, DY = torch.tensor([[3., 4.], [0., 0.]]), torch.tensor([[1.], [1.]])
share("without a norm: the gradients are [3, 4] and [2]", "bias_gradient_share(nn.Linear(2, 1), nn.Identity(), tensor([[3., 4.], [0., 0.]]), "
      "tensor([[1.], [1.]]))", lambda f: f(nn.Linear(2, 1), ID(), X.clone(), DY.clone()))


def twice(f):
    linear = nn.Linear(2, 1)
    f(linear, ID(), X.clone(), DY.clone())
    return f(linear, ID(), torch.tensor([[5., 0.]]), torch.tensor([[1.]]))


share("a second call does not remember the first", "bias_gradient_share(the same linear, nn.Identity(), tensor([[5., 0.]]), tensor([[1.]]))", twice)


def normed(f):
    linear = nn.Linear(2, 1)
    linear.load_state_dict({"weight": torch.tensor([[1., 2.]]), "bias": torch.tensor([3.])})
    return f(linear, BN(1), torch.tensor([[3., 4.], [0., 1.], [2., 7.]]), torch.tensor([[1.], [2.], [4.]]))


share("with batch norm: nothing but rounding", "bias_gradient_share(nn.Linear(2, 1), nn.BatchNorm1d(1), tensor([[3., 4.], [0., 1.], [2., 7.]]), "
      "tensor([[1.], [2.], [4.]]))", normed, at_most(1e-3))
count("a network for names", "nn.Linear(30, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3)")
count("tanh stands between", "nn.Linear(4, 8), nn.Tanh(), nn.BatchNorm1d(8)")
count("layer norm follows", "nn.Linear(4, 8), nn.LayerNorm(8)")
count("group norm follows", "nn.Linear(4, 8), nn.GroupNorm(2, 8)")
count("there is no bias to drop", "nn.Linear(4, 8, bias=False), nn.BatchNorm1d(8)")
count("of two linear layers only the second stands directly before it", "nn.Linear(4, 3), nn.Linear(3, 8), nn.BatchNorm1d(8)")
count("dropout stands between", "nn.Linear(4, 8), nn.Dropout(), nn.BatchNorm1d(8)")
count("a convolution is no linear layer", "nn.Conv1d(4, 7, 1), nn.BatchNorm1d(7)")
count("a norm comes first, a linear layer last", "nn.BatchNorm1d(7), nn.Tanh(), nn.Linear(7, 7)")
count("two layers of equal width, and a batch norm without a bias of its own",
      "nn.Linear(7, 5), nn.BatchNorm1d(5, affine=False), nn.Linear(5, 5), nn.BatchNorm1d(5)")


@task.probe("biases that are 0", shown="redundant_biases(a network whose biases are all 0)")
def _(redundant_biases):
    network = nn.Sequential(nn.Linear(3, 6), BN(6), nn.ReLU(), nn.Linear(6, 2), BN(2))
    for layer in network[0], network[3]:
        nn.init.zeros_(layer.bias)
    return redundant_biases(network)


def drawn(label, width, norm, seed=83):
    """A linear layer and a norm, and what arrives, drawn."""
    @task.probe(label, drawn=True, tolerance=1e-3)
    def _(bias_gradient_share):
        linear = fill_(nn.Linear(width, 4), seed=seed)
        return bias_gradient_share(linear, norm(), sample(7, width, seed=81), sample(7, 4, seed=82))


drawn("before layer norm the bias matters", 5, lambda: nn.LayerNorm(4))
drawn("before a batch norm in eval mode it does", 5, lambda: fill_(BN(4), seed=85).eval())
drawn("before a function, as many outputs as inputs", 4, lambda: torch.tanh)


@task.probe("before batch norm it does not", at_most(1e-3), drawn=True)
def _(bias_gradient_share):
    return bias_gradient_share(fill_(nn.Linear(5, 4), seed=84), BN(4), sample(7, 5, seed=86), sample(7, 4, seed=87))


@task.probe("a deeper network", drawn=True)
def _(redundant_biases):
    a, b, c = (5 + int(sample_ids(20, 1, seed=seed)) for seed in (86, 87, 88))
    return redundant_biases(nn.Sequential(
        nn.Linear(4, a), BN(a), nn.ReLU(), nn.Linear(a, b, bias=False), BN(b), nn.Linear(b, c), nn.GroupNorm(1, c), nn.Linear(c, c), BN(c),
        nn.Linear(c, a), nn.Dropout(), BN(a), nn.Linear(a, b), BN(b, affine=False), nn.Linear(b, 2), nn.BatchNorm2d(2)))


# %% mistakes
R = "return (by_bias.norm() / by_weight.norm()).item()"


def ratio(sentence, value):
    mistake(sentence, {R: f"return ({value}).item()"})


ratio("You divided the weight's gradient by the bias's. It is the other way round.", "by_weight.norm() / by_bias.norm()")
ratio("This is the ratio of the squared norms: the Frobenius norm is the root of the sum of squares.", "by_bias.square().sum() / by_weight.square().sum()")
sums = "You divided sums, or by both norms together. Divide the bias's norm by the weight's: roots of sums of squares."
ratio(sums, "by_bias.sum() / by_weight.sum()")
ratio(sums, "by_bias.abs().sum() / by_weight.abs().sum()")
ratio(sums, "by_bias.norm() / (by_bias.norm() + by_weight.norm())")
ratio("This is what the largest entries give. Divide norms: roots of sums of squares.", "by_bias.abs().max() / by_weight.abs().max()")
ratio("This is what the largest singular value gives. The Frobenius norm is the root of the sum of all squares.", "by_bias.norm() / torch.linalg.matrix_norm(by_weight, 2)")
means = "This is what means give. Divide norms: roots of sums of squares."
ratio(means, "by_bias.mean() / by_weight.mean()")
ratio(means, "by_bias.abs().mean() / by_weight.abs().mean()")
ratio("You took roots of mean squares. Divide norms: roots of sums of squares.", "by_bias.square().mean().sqrt() / by_weight.square().mean().sqrt()")
ratio("You multiplied the two norms. Divide that of the bias by that of the weight.", "by_bias.norm() * by_weight.norm()")
ratio("This is the norm of the bias's gradient. Divide it by that of the weight's.", "by_bias.norm()")
ratio("This is the norm of the weight's gradient. It is the divisor.", "by_weight.norm()")
ratio("Is a norm divided by itself? Take that of the bias's gradient above and that of the weight's below.", "by_bias.norm() / by_bias.norm()")
ratio("You divided by the norm of dy. Divide by that of the weight's gradient.", "by_bias.norm() / dy.norm()")
ratio("You divided the norms of the parameters. Divide those of their gradients.", "linear.bias.detach().norm() / linear.weight.detach().norm()")
mistake("dy is ignored here: it is the gradient that arrives at norm(linear(x)).", {"norm(linear(x)), (linear.weight, linear.bias), dy": "norm(linear(x)).sum(), (linear.weight, linear.bias)"})
GRAD = """by_weight, by_bias = torch.autograd.grad(
        norm(linear(x)), (linear.weight, linear.bias), dy
    )"""
mistake("backward() added to the gradients of the first call: use torch.autograd.grad, or clear them.",
        {GRAD: "norm(linear(x)).backward(dy)\n    by_weight, by_bias = linear.weight.grad, linear.bias.grad"})
effect = "The norm has no effect on the gradients: is it left out, cut off (detach), or in evaluation mode?"
mistake(effect, {"norm(linear(x)), (": "linear(x), ("})
mistake(effect, {"norm(linear(x)), (": "linear(x) + (norm(linear(x)) - linear(x)).detach(), ("})
mistake(effect, {GRAD: "mode = getattr(norm, 'training', None)\n    if mode is not None: norm.eval()\n    " + GRAD + "\n    if mode is not None: norm.train(mode)"})
mistake("Measure before every norm: before a batch norm in evaluation mode the bias matters.", {GRAD: "if isinstance(norm, nn.BatchNorm1d): return 0.0\n    " + GRAD})
mistake("The norm comes after the linear layer: norm(linear(x)).", {"norm(linear(x)), (": "linear(norm(x)) if x.shape[1] == dy.shape[1] else norm(linear(x)), ("})
mistake("is there a `return`? bias_gradient_share gives None.", {R: "pass"})
N, LINEAR, HAS, NEXT = "layer.bias.numel()", "if isinstance(layer, nn.Linear)\n", "and layer.bias is not None", "and isinstance(following, nn.BatchNorm1d)"
after = {NEXT: ""}
mistake("You counted the output layer's bias too. No batch norm follows it.", {"zip(layers, layers[1:])": "zip(layers, layers)", NEXT: ""})
mistake("You counted every bias that another layer follows. Count those directly before a batch norm.", after)
mistake("You counted layers. Count the entries of their biases.", {N: "1"})
mistake("You counted the weights too.", {N: N + " + layer.weight.numel()"})
mistake("You counted the weights. Count the entries of the biases.", {N: "layer.weight.numel()"})
own = "Did you count batch norm's own bias or weight (both are needed), or one bias twice?"
mistake(own, {N: N + " + following.bias.numel()"})
mistake(own, {N: "2 * layer.bias.numel()"})
mistake("You counted the entries of batch norm's bias, which it may lack: count those of the linear layer's.", {N: "following.bias.numel()"})
mistake("Did you count the output layer's bias, which is needed? Count the entries of the biases directly before batch norm.",
        {"zip(layers, layers[1:])": "zip(layers, layers[1:] + [None])", NEXT: "and following is None"})
zero = ("Nothing was found: count an nn.Linear whose next layer is an nn.BatchNorm1d. Are all neighbours compared, from the first on, in this order? Or did "
        "you ask for your own class of task 2?")
mistake(zero, {"nn.BatchNorm1d)": "BatchNorm1d)"})
mistake(zero, {"zip(layers, layers[1:])": "zip(layers[1:], layers)"})
mistake("tanh is not linear: a bias before it does something. Count those directly before batch norm.",
        {"layers = list(network)": "layers = [one for one in network if not isinstance(one, (nn.Tanh, nn.ReLU))]"})
mistake("You counted the features of every batch norm. Count the biases of linear layers directly before one.",
        of="redundant_biases", returns="sum(layer.num_features for layer in network if isinstance(layer, nn.BatchNorm1d))")
mistake("Dropout stands between there. Count the biases directly before batch norm.",
        {"layers = list(network)": "layers = [one for one in network if not isinstance(one, nn.Dropout)]"})
mistake("Layer norm subtracts the mean over the features. A bias with different entries survives that.", {"following, nn.BatchNorm1d": "following, (nn.BatchNorm1d, nn.LayerNorm)"})
mistake("Group norm subtracts means over features, not over the examples. A bias survives that.", {"following, nn.BatchNorm1d": "following, (nn.BatchNorm1d, nn.GroupNorm)"})
mistake("Only nn.BatchNorm1d is asked for, no other batch norm.", {"following, nn.BatchNorm1d": "following, nn.modules.batchnorm._BatchNorm"})
mistake("That layer was made with bias=False.", {N: "layer.out_features", HAS: ""})
mistake("Made with bias=False, a linear layer has no bias: it is None.", {HAS: ""})
mistake("Only biases of nn.Linear layers count.", {LINEAR: "if getattr(layer, 'bias', None) is not None\n", HAS: ""})
mistake("Layers of equal width count each: you made a set of their widths.", {"sum(\n": "sum(set(\n", NEXT: NEXT + ")"})
mistake("A bias of 0 can be dropped as well: count entries, whatever they are.", {N: "int(layer.bias.count_nonzero())"})
mistake("The last layer does not stand before the first one.", {"zip(layers, layers[1:])": "zip(layers, layers[1:] + layers[:1])"})
mistake("is there a `return`? redundant_biases gives None.", of="redundant_biases", returns="None")

# %% right: ARENA
from torch import Tensor


def bias_gradient_share(linear: nn.Linear, norm, x: Tensor, dy: Tensor) -> float:
    assert linear.bias is not None
    out = norm(linear(x))
    loss = torch.einsum("nc,nc->", out, dy)
    dW, db = torch.autograd.grad(loss, [linear.weight, linear.bias])
    return (torch.linalg.norm(db) / torch.linalg.norm(dW)).item()


def redundant_biases(network: nn.Sequential) -> int:
    total = 0
    for i in range(len(network) - 1):
        layer, nxt = network[i], network[i + 1]
        if isinstance(layer, nn.Linear) and isinstance(nxt, nn.BatchNorm1d):
            if layer.bias is not None:
                total += layer.out_features
    return total

# %% right: CS231n
def bias_gradient_share(linear, norm, x, dy):
    linear.zero_grad()
    out = norm(linear(x))
    out.backward(dy)
    dW, db = linear.weight.grad, linear.bias.grad
    return float(torch.sqrt(torch.sum(db**2)) / torch.sqrt(torch.sum(dW**2)))


def redundant_biases(network):
    count = 0
    prev = None
    for layer in network:
        if type(layer) is nn.BatchNorm1d and type(prev) is nn.Linear:
            if prev.bias is not None:
                count += prev.bias.shape[0]
        prev = layer
    return count

# %% right: makemore
def bias_gradient_share(linear, norm, x, dy):
    linear.weight.grad = None
    linear.bias.grad = None
    loss = (norm(linear(x)) * dy).sum()
    loss.backward()
    return ((linear.bias.grad**2).sum()**0.5 / (linear.weight.grad**2).sum()**0.5).item()


def redundant_biases(network):
    return sum(l.bias.nelement() for l, bn in zip(network[:-1], network[1:])
               if isinstance(l, nn.Linear) and isinstance(bn, nn.BatchNorm1d) and l.bias is not None)

# %% right: torch source
def bias_gradient_share(linear, norm, x, dy):
    with torch.enable_grad():
        output = norm(linear(x))
        grad_weight, grad_bias = torch.autograd.grad(
            outputs=(output,), inputs=(linear.weight, linear.bias), grad_outputs=(dy,)
        )
    return torch.linalg.vector_norm(grad_bias) / torch.linalg.matrix_norm(grad_weight)


def redundant_biases(network):
    modules = list(network.children())
    count = 0
    for first_module, second_module in zip(modules[:-1], modules[1:]):
        if not isinstance(first_module, nn.Linear):
            continue
        if isinstance(second_module, nn.BatchNorm1d) and first_module.bias is not None:
            count += first_module.bias.numel()
    return count

# %% right: numpy first
import numpy as np


def bias_gradient_share(linear, norm, x, dy):
    z = linear(x).detach().requires_grad_()
    dz = torch.autograd.grad(norm(z), z, dy)[0].numpy()
    dW = dz.T @ x.detach().numpy()
    db = dz.sum(axis=0)
    return float(np.linalg.norm(db) / np.linalg.norm(dW))


def redundant_biases(network):
    kinds = np.array([type(layer).__name__ for layer in network])
    hits = np.flatnonzero((kinds[:-1] == "Linear") & (kinds[1:] == "BatchNorm1d"))
    return int(sum(len(network[int(i)].bias) for i in hits if network[int(i)].bias is not None))

# %% right: plain loops
def bias_gradient_share(linear, norm, x, dy):
    linear.weight.grad = None
    linear.bias.grad = None
    y = norm(linear(x))
    loss = 0
    for i in range(len(y)):
        loss = loss + (dy[i] * y[i]).sum()
    loss.backward()
    weight_size = 0
    for row in linear.weight.grad:
        for number in row:
            weight_size += number.item() ** 2
    bias_size = 0
    for number in linear.bias.grad:
        bias_size += number.item() ** 2
    return bias_size**0.5 / weight_size**0.5


def redundant_biases(network):
    count = 0
    for i in range(len(network)):
        if i + 1 == len(network):
            break
        if isinstance(network[i], nn.Linear):
            if isinstance(network[i + 1], nn.BatchNorm1d):
                if network[i].bias is not None:
                    for entry in network[i].bias:
                        count = count + 1
    return count

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
