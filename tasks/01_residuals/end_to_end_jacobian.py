"""end_to_end_jacobian, 2 points: what a whole network does to a small change."""
import torch
from torch import nn

task = Task("end_to_end_jacobian")
f = task.function(gradient=False, network=[code("lambda x: torch.cat([x * x.flip(0), x.sum(0, keepdim=True)])"), code("lambda x: torch.tanh(x[1:] * x[0])")], x="D",
                  skip=["double", "effects"])
f.look("outputs x0 x1 and -3 x0, at (2, 5)", network=code("lambda x: torch.stack([x[0] * x[1], -3 * x[0]])"), x=[2., 5.])
f.look("one output, two inputs", network=code("lambda x: (x * x).sum(0, keepdim=True)"), x=[2., 5.])
f.look("three outputs, two inputs", network=code("lambda x: torch.stack([x[0], x[0] * x[1], x[1]])"), x=[2., 5.])
f.look("one input, three outputs, of which one does not move", network=code("lambda x: torch.cat([x, x * x, 0 * x])"), x=[0.5])
differences = "Differences of outputs are not exact enough: take the gradient of each output."
f.look("large outputs, where differences are not exact enough", network=code("lambda x: 10000 + torch.sin(20 * x)"), x=[0.125, 0.25, -0.5], otherwise=differences)


def drawn(label, scale):
    @task.probe(label, drawn=True, tolerance=1e-3, shown="network = fill_(nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 4)), seed=82)")
    def _(end_to_end_jacobian):
        network = fill_(nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 4)), seed=82)
        return end_to_end_jacobian(network, scale * sample(6, seed=81))


drawn("a network with six inputs and four outputs", 1)
drawn("the same network at another x", 0.5)

# %% mistakes
differences = "Differences of outputs are not exact enough: take the gradient of each output."
J, GRAD = "torch.autograd.functional.jacobian(network, x)", "torch.autograd.grad({}, x)[0]"
mistake("Your matrix is transposed: rows are outputs, columns are inputs.", returns=f"{J}.T")
for sentence, out in [("sum of the outputs", "y.sum()"), ("outputs' mean", "y.mean()"), ("last output alone", "y[-1]"), ("first output alone", "y[0]")]:
    mistake(f"This is the gradient of the {sentence}. Every output has a row of its own.",
            {f"return {J}": "x = x.clone().requires_grad_()\n    y = network(x)\n    return " + GRAD.format(out)})
mistake("Only the diagonal is here: row i holds the slopes of output i by every input.", returns=f"{J}.diagonal()")
mistake("These are the outputs. Differentiate them.", returns="network(x)")
mistake("All numbers stand in one dimension: every output has a row of its own.", returns=f"{J}.flatten()")
mistake("The answer has one dimension: it has two, also if there is only one output or one input.", returns=f"{J}.squeeze()")
mistake("A row of zeros is missing: an output that does not move has one, too.", returns=f"(J := {J})[J.abs().sum(1) > 0]")
mistake("The signs are lost: slopes may be negative.", returns=f"{J}.abs()")
mistake("These are the squares of the slopes.", returns=f"{J}.square()")
mistake("This is the product of J with its transpose, or J with other rows and columns: return J itself.", returns=f"(J := {J}) @ J.T")
mistake("The Jacobian is that at another point: take the x that you are given.", returns=J.replace("x)", "torch.zeros_like(x))"))
mistake("The Jacobian is that at another point: take the x that you are given.", returns=J.replace("x)", "torch.ones_like(x))"))
steps = "torch.stack([(network(x + {0} * e) - network({1})) / {2} for e in torch.eye(len(x))], dim=1)"
for h in ("1e-2", "1e-3", "1e-4"):
    mistake(differences, returns=steps.format(h, "x", h))
    mistake(differences, returns=steps.format(h, f"x - {h} * e", f"(2 * {h})"))

# %% right: one forward-mode product per input
def end_to_end_jacobian(network, x):
    columns = [torch.autograd.functional.jvp(network, x, e)[1] for e in torch.eye(len(x))]
    return torch.stack(columns, dim=1)

# %% right: central differences in double precision, where they are exact enough, for a module
def end_to_end_jacobian(network, x):
    import copy
    if isinstance(network, nn.Module) and x.dtype == torch.float32:
        network = copy.deepcopy(network).double()
    else:
        return torch.autograd.functional.jacobian(network, x)
    x, h = x.double(), 1e-6
    columns = [(network(x + h * e) - network(x - h * e)) / (2 * h) for e in torch.eye(len(x)).double()]
    return torch.stack(columns, dim=1).float().detach()

# %% right: vmap over vjp
def end_to_end_jacobian(network, x):
    y, vjp = torch.func.vjp(network, x)
    return torch.stack([vjp(e)[0] for e in torch.eye(len(y), dtype=y.dtype)])

# %% right: requires_grad on x itself
def end_to_end_jacobian(network, x):
    x.requires_grad_()
    y = network(x)
    return torch.stack([torch.autograd.grad(out, x, retain_graph=True)[0] for out in y])

# %% right: backward into one leaf alone, rows written into an empty matrix
def end_to_end_jacobian(network, x):
    leaf = nn.Parameter(x.detach().clone())
    y = network(leaf)
    jacobian = y.new_zeros(y.numel(), leaf.numel())
    for i in range(y.numel()):
        leaf.grad = None
        y[i].backward(inputs=[leaf], retain_graph=True)
        jacobian[i] = leaf.grad
    return jacobian

# %% right: forward mode, all columns at once
def end_to_end_jacobian(network, x):
    jacobian = torch.autograd.functional.jacobian
    return jacobian(network, x, strategy="forward-mode", vectorize=True)

# %% right: jacfwd
def end_to_end_jacobian(network, x):
    return torch.func.jacfwd(network)(x)

# %% right: ARENA
from typing import Callable

from torch import Tensor


def end_to_end_jacobian(network: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    assert x.ndim == 1
    jacobian = torch.autograd.functional.jacobian(network, x)
    assert jacobian.shape[1] == x.shape[0]
    return jacobian

# %% right: CS231n
def end_to_end_jacobian(network, x):
    x = x.detach().clone()
    x.requires_grad = True
    out = network(x)
    D_out, D_in = out.shape[0], x.shape[0]
    J = torch.zeros(D_out, D_in)
    for i in range(D_out):
        J[i] = torch.autograd.grad(out[i], x, retain_graph=True)[0]
    return J

# %% right: makemore
def end_to_end_jacobian(network, x):
    x = x.detach().clone().requires_grad_()
    y = network(x)
    return torch.stack([torch.autograd.grad(yi, x, retain_graph=True)[0] for yi in y])

# %% right: torch source
def end_to_end_jacobian(network, x):
    return torch.func.jacrev(network)(x)

# %% right: numpy first
def end_to_end_jacobian(network, x):
    J = torch.autograd.functional.jacobian(network, x).detach().numpy()
    return torch.from_numpy(J)

# %% right: plain loops
def end_to_end_jacobian(network, x):
    x = x.clone().detach().requires_grad_(True)
    rows = []
    for i in range(len(network(x))):
        y = network(x)
        rows.append(torch.autograd.grad(y[i], x)[0])
    return torch.stack(rows)
