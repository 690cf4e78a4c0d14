"""gradient_norms, 2 points: how a network transports a gradient to each of its matrices."""
import torch
from torch import nn

task = Task("gradient_norms")
BEFORE = [[1., 2.], [3., 4.]]


def small():
    network = nn.Sequential(nn.Linear(2, 2), nn.PReLU(), nn.Linear(2, 2))
    state = {"0.weight": [[3., 0.], [0., 4.]], "0.bias": [1., 1.], "1.weight": [0.25], "2.weight": [[1., 0.], [1., 2.]], "2.bias": [0., 0.]}
    network.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    # the output misses the target by (3, 0), (0, 6) and (6, 3): the loss is 15, and its gradient by the output a third of these numbers
    return network, torch.tensor([[1., 0.], [0., 1.], [1., 1.]]), torch.tensor([[1., 6.], [1., 5.], [-2., 11.]])


SMALL = ("gradient_norms(network, x, target), where x = [[1, 0], [0, 1], [1, 1]], target = [[1, 6], [1, 5], [-2, 11]], and the network is a linear layer "
         "(weight [[3, 0], [0, 4]], bias [1, 1]), a PReLU (0.25) and a linear layer (weight [[1, 0], [1, 2]], bias [0, 0])")


def probe(label, shown=SMALL, **more):
    return task.probe(label, shown=shown, **more)


@probe("two matrices, first layer first")
def _(gradient_norms):
    return gradient_norms(*small())


@probe("the second call gives the same", "gradient_norms(network, x, target), called twice")
def _(gradient_norms):
    given = small()
    gradient_norms(*given)
    return gradient_norms(*given)


@probe("no .grad is left behind", "the .grad of the parameters after gradient_norms(network, x, target)")
def _(gradient_norms):
    network, x, target = small()
    gradient_norms(network, x, target)
    return {name: parameter.grad for name, parameter in network.named_parameters()}


@probe("a .grad that was there is left as it was", f"network[0].weight.grad after gradient_norms(network, x, target); before, it was {BEFORE}")
def _(gradient_norms):
    network, x, target = small()
    network[0].weight.grad = torch.tensor(BEFORE)  # of a training that is under way
    norms = gradient_norms(network, x, target)
    return {"network[0].weight.grad": network[0].weight.grad, "result": norms}


@probe("the network keeps its mode", "network.training after gradient_norms(network, x, target)")
def _(gradient_norms):
    modes = []
    for mode in (True, False):
        network, x, target = small()
        gradient_norms(network.train(mode), x, target)
        modes.append(network.training)
    return modes


class Mixed(nn.Module):
    """Matrices that are not called weight, and weights that are no matrices."""

    def __init__(self):
        super().__init__()
        self.mix, self.cube, self.size = (nn.Parameter(torch.empty(shape)) for shape in [(6, 4), (2, 6, 4), ()])
        self.norm = nn.LayerNorm(6)
        self.last, self.first = nn.Linear(4, 3), nn.Linear(5, 6)

    def forward(self, x):
        hidden = torch.tanh(self.norm(self.first(x)))
        return (1 + self.size.square()) * self.last(hidden @ (self.mix + self.cube.sum(0)))


def tower():
    return fill_(nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 6), nn.ReLU(), nn.Linear(6, 3)), seed=53)


def drawn(label, make, rows, scale, shown):
    @probe(label, shown, drawn=True, tolerance=1e-3)
    def _(gradient_norms):
        network = make()
        for held in network.parameters():
            held.grad = torch.full_like(held, 2)
        norms = gradient_norms(network, sample(rows, 5, seed=51), scale * sample(rows, 3, seed=52))
        return {"result": norms, "parameters whose .grad has changed": [k for k, p in network.named_parameters() if p.grad is None or (p.grad != 2).any()]}


drawn("three matrices, first layer first", tower, 8, 1, "Linear(5, 7), Tanh, Linear(7, 6), ReLU, Linear(6, 3)")
drawn("a single example", tower, 1, 3, "Linear(5, 7), Tanh, Linear(7, 6), ReLU, Linear(6, 3)")
drawn("matrices by any name, in the order of parameters(), and nothing else", lambda: fill_(Mixed(), seed=54), 8, 1,
      "a network with the parameters mix (6, 4), cube (2, 6, 4), size (), norm.weight (6,), norm.bias (6,), last.weight (3, 4), last.bias (3,), "
      "first.weight (6, 5) and first.bias (6,), of which last is used last, and first first")

# %% mistakes
LIST, NORMS, GRAD = "if parameter.dim() == 2", "torch.stack([gradient.norm() for gradient in at_weights])", "at_output, *at_weights = "


def by(norm, divisor=None):
    return f"torch.stack([{norm.format('g')} for g in at_weights])" + (f" / {divisor.format('at_output')}" if divisor else "")


mistake("You did not divide by the norm of the gradient at the output.", returns=NORMS)
mistake("You divided by the loss. Divide by the norm of its gradient at the output.", returns=f"{NORMS} / F.mse_loss(y, target)")
factor = "Twice as large: the derivative of (y - t)² is 2 (y - t). Or is something counted twice?"
mistake(factor, returns=f"{NORMS} / ((y - target) / y.numel()).norm()")
last = "The last layer comes first in your answer (turned round, or sorted?)."
mistake(last, returns=f"{NORMS}.flip(0) / at_output.norm()")
mistake("Biases do not count: take the parameters with two dimensions.", {LIST: ""})
mistake("Not every parameter called weight is a matrix (PReLU's is one number): take those with two dimensions.",
        weights="[p for name, p in network.named_parameters() if name.endswith('weight')]")
named = "Not every matrix is called weight, or belongs to an nn.Linear: take the parameters with two dimensions."
mistake(named, weights="[m.weight for m in network.modules() if isinstance(m, nn.Linear)]")
mistake(named, weights="[p for name, p in network.named_parameters() if name.endswith('weight') and p.dim() == 2]")
mistake("Parameters with three dimensions or more are no matrices: take those with two.", {LIST: "if parameter.dim() > 1"})
mistake("A learned number of shape () is no matrix: take the parameters with two dimensions.", {LIST: "if parameter.dim() in (0, 2)"})
mistake("Parameters with no dimension or three are no matrices: take those with two.", {LIST: "if parameter.dim() != 1"})
mistake("Keep the order of network.parameters(), not that in which the layers are used.", """
def gradient_norms(network, x, target):
    used, hooks = [], []
    def note(module, *given):
        used.extend(p for p in module.parameters(recurse=False) if p.dim() == 2 and not any(p is one for one in used))
    for m in network.modules():
        hooks.append(m.register_forward_pre_hook(note))
    y = network(x)
    for hook in hooks:
        hook.remove()
    at_output, *at_weights = torch.autograd.grad(F.mse_loss(y, target), [y, *used])
    return torch.stack([g.norm() for g in at_weights]) / at_output.norm()
""")
mistake("These are the squares: a norm is the root of the sum of squares.", returns=by("{}.square().sum()", "{}.square().sum()"))
mistake("You took no root of the gradient's squares: a norm is the root of their sum.", returns=by("{}.square().sum()", "{}.norm()"))
mistake("You summed the absolute values. This norm is the root of the sum of squares.", returns=by("{}.abs().sum()", "{}.abs().sum()"))
average = "You averaged the absolute values (and divided by their mean at the output, or not at all). The norm is the root of the sum of squares."
mistake(average, returns=by("{}.abs().mean()", "{}.abs().mean()"))
mistake(average, returns=by("{}.abs().mean()"))
mistake("You averaged the absolute values of the weights' gradients. The norm is the root of the sum of squares.", returns=by("{}.abs().mean()", "{}.norm()"))
mistake("You took the root of the mean square. Take the sum.", returns=by("{}.square().mean().sqrt()", "{}.square().mean().sqrt()"))
mistake("This is the spectral norm. The Frobenius norm is the root of the sum of squares.", returns=by("torch.linalg.norm({}, 2)", "{}.norm()"))
mistake("This is the spectral norm, of all three. The Frobenius norm is the root of the sum of squares.", returns=by("torch.linalg.norm({}, 2)", "torch.linalg.norm({}, 2)"))
two = "The two gradients are not of the same loss: {} Take both of F.mse_loss, a mean."
mistake(two.format("is the one at the output that of a sum, or the one at the weights divided by the number of outputs once more?"),
        returns=f"{NORMS} / (2 * (y - target)).norm()")
mistake(two.format("is the one at the weights that of a sum, or the one at the output divided by the number of outputs once more?"),
        returns=f"{NORMS} * y.numel() / at_output.norm()")
mistake("The largest entry is another norm. Take the root of the sum of squares.", returns=by("{}.abs().max()", "{}.norm()"))
mistake("The largest entry is another norm. Take the root of the sum of squares.", returns=by("{}.abs().max()", "{}.abs().max()"))
mistake("These are the parameters with one dimension. Take those with two.", {LIST: "if parameter.dim() == 1"})
mistake("You multiplied by the norm of the gradient at the output. Divide by it.", returns=f"{NORMS} * at_output.norm()")
mistake("You divided the wrong way round: the gradient at the output is the divisor.", returns=f"at_output.norm() / {NORMS}")
mistake("This is the norm of the gradient at the output alone.", returns="at_output.norm()")
mistake("The divisor is kept from falling below 1 (clamp, max): divide by the norm as it is.", returns=f"{NORMS} / at_output.norm().clamp(min=1)")
mistake("Each output is divided by its own size: the norm at the output is one number.", returns=f"{NORMS}[:, None] / at_output.norm(dim=1)")
mistake("Return one tensor, not a list: torch.stack makes it of tensors, torch.tensor of plain numbers.", returns=f"list({NORMS} / at_output.norm())")
B, CALL = "torch.autograd.grad(F.mse_loss(y, target), [y, *weights])", "y = network(x)"
BACKWARD = "(y.retain_grad(), F.mse_loss(y, target).backward(), y.grad, *(w.grad for w in weights))[2:]"
mistake("Do gradients of the first call still stand in .grad, and the second call's are added? Use torch.autograd.grad, which stores nothing.", {B: BACKWARD})
left = "You left gradients in .grad, where the next backward() would add to them. Use torch.autograd.grad."
mistake(left, {CALL: "network.zero_grad(); y = network(x)", B: BACKWARD})
mistake("You wiped the gradients that were in .grad. Leave them alone: use torch.autograd.grad.", {CALL: "network.zero_grad(); y = network(x)",
        GRAD + B: f"{GRAD}{BACKWARD}; at_weights = [w.clone() for w in at_weights]; network.zero_grad()"})
mistake("You set the gradients that were in .grad to zero. Leave them alone: use torch.autograd.grad.", {CALL: "network.zero_grad(); y = network(x)",
        GRAD + B: f"{GRAD}{BACKWARD}; at_weights = [w.clone() for w in at_weights]; network.zero_grad(set_to_none=False)"})
KEPT = "kept = [p.grad if p.grad is None else p.grad.clone() for p in network.parameters()]; "
BACK = "; at_weights = [w.clone() for w in at_weights]\n    for p, old in zip(network.parameters(), kept): p.grad = old"
mistake("A .grad that was None holds zeros now: leave it None. Use torch.autograd.grad.",
        {CALL: KEPT.replace("p.grad if", "torch.zeros_like(p) if") + "network.zero_grad(); y = network(x)", GRAD + B: f"{GRAD}{BACKWARD}{BACK}"})
mistake("What stood in .grad before the call enters your norms: backward() adds to it. Use torch.autograd.grad.", {CALL: KEPT + CALL, GRAD + B: f"{GRAD}{BACKWARD}{BACK}"})
mistake("You left the network in evaluation mode.", {CALL: "network.eval(); y = network(x)"})
mistake("You left the network in training mode.", {CALL: "network.train(); y = network(x)"})

# %% right: works on a deep copy of the network, and on the sum of squares: the ratio is the same
def gradient_norms(network, x, target):
    import copy
    twin = copy.deepcopy(network)
    y = twin(x)
    y.retain_grad()
    ((y - target) ** 2).sum().backward()
    return torch.tensor([(p.grad.norm() / y.grad.norm()).item() for n, p in twin.named_parameters() if len(p.shape) == 2])

# %% right: the gradient at the output written down, the rest by a vector-Jacobian product
def gradient_norms(network, x, target):
    y = network(x)
    at_output = 2 * (y - target).detach() / y.numel()
    unit = at_output / torch.linalg.vector_norm(at_output)
    weights = [p for p in network.parameters() if p.dim() == 2]
    return torch.stack([torch.linalg.matrix_norm(g) for g in torch.autograd.grad((unit * y).sum(), weights)])

# %% right: gradients of all parameters, lengths as Python numbers
def gradient_norms(network, x, target):
    output = network(x)
    loss = F.mse_loss(output, target)
    parameters = list(network.parameters())
    at_output, *gradients = torch.autograd.grad(loss, [output] + parameters)

    def length(t):
        return math.sqrt((t.double() ** 2).sum().item())

    ratios = [length(g) / length(at_output) for p, g in zip(parameters, gradients) if p.dim() == 2]
    return torch.tensor(ratios, dtype=output.dtype)

# %% right: functional_call and torch.func.grad
def gradient_norms(network, x, target):
    params = {n: p.detach() for n, p in network.named_parameters()}
    loss = lambda ps: F.mse_loss(torch.func.functional_call(network, ps, (x,)), target)
    grads = torch.func.grad(loss)(params)
    with torch.no_grad():
        dy = 2 * (network(x) - target) / target.numel()
    return torch.stack([grads[n].norm() for n in params if params[n].dim() == 2]) / dy.norm()

# %% right: saves and restores .grad
def gradient_norms(network, x, target):
    kept = [p.grad for p in network.parameters()]
    for p in network.parameters():
        p.grad = None
    y = network(x)
    y.retain_grad()
    F.mse_loss(y, target).backward()
    out = torch.stack([p.grad.norm() for p in network.parameters() if p.dim() == 2]) / y.grad.norm()
    for p, g in zip(network.parameters(), kept):
        p.grad = g
    return out

# %% right: all of it in double precision, on a deep copy, as Python's numbers
def gradient_norms(network, x, target):
    import copy
    double = copy.deepcopy(network).double()
    double.zero_grad()
    with torch.enable_grad():
        y = double(x.double())
        y.retain_grad()
        F.mse_loss(y, target.double()).backward()
    size = math.sqrt(float(y.grad.square().sum()))
    norms = [math.sqrt(float(p.grad.square().sum())) for p in double.parameters() if p.ndim == 2]
    return torch.tensor([norm / size for norm in norms])

# %% right: ARENA
from torch import Tensor


def gradient_norms(network: nn.Module, x: Tensor, target: Tensor) -> Tensor:
    y = network(x)
    assert y.shape == target.shape
    weights = [p for p in network.parameters() if p.ndim == 2]
    loss = F.mse_loss(y, target)
    dy, *dweights = torch.autograd.grad(loss, [y] + weights)
    return torch.stack([dw.norm() for dw in dweights]) / dy.norm()

# %% right: CS231n
def gradient_norms(network, x, target):
    matrices = []
    for p in network.parameters():
        if len(p.shape) == 2:
            matrices.append(p)
    y = network(x)
    loss = F.mse_loss(y, target)
    grads = torch.autograd.grad(loss, matrices, retain_graph=True)
    dy, = torch.autograd.grad(loss, y)
    norm_y = torch.sqrt(torch.sum(dy ** 2))
    norms = torch.zeros(len(matrices))
    for i, dw in enumerate(grads):
        norms[i] = torch.sqrt(torch.sum(dw ** 2)) / norm_y
    return norms

# %% right: makemore
def gradient_norms(network, x, target):
    ws = [p for p in network.parameters() if p.ndim == 2]
    y = network(x)
    dy, *dws = torch.autograd.grad(F.mse_loss(y, target), [y] + ws)
    return torch.tensor([(dw**2).sum().sqrt().item() for dw in dws]) / (dy**2).sum().sqrt()

# %% right: torch source
def gradient_norms(network, x, target):
    with torch.enable_grad():
        output = network(x)
        loss = F.mse_loss(output, target)
        weights = [p for p in network.parameters() if p.dim() == 2]
        grads = torch.autograd.grad(loss, (output, *weights))
    norms = torch.stack([torch.linalg.vector_norm(g) for g in grads])
    return norms[1:] / norms[0]

# %% right: numpy first
import numpy as np


def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.ndim == 2]
    grads = torch.autograd.grad(((y - target) ** 2).mean(), [y, *weights])
    norms = np.array([np.linalg.norm(g.detach().numpy()) for g in grads])
    return torch.from_numpy(norms[1:] / norms[0])

# %% right: plain loops
def gradient_norms(network, x, target):
    y = network(x)
    loss = F.mse_loss(y, target)
    dy = torch.autograd.grad(loss, y, retain_graph=True)[0]
    dy_norm = (dy ** 2).sum() ** 0.5
    result = []
    for p in network.parameters():
        if p.dim() == 2:
            grad = torch.autograd.grad(loss, p, retain_graph=True)[0]
            total = 0.0
            for row in grad:
                for value in row:
                    total = total + value.item() ** 2
            result.append(total ** 0.5 / dy_norm.item())
    return torch.tensor(result)
