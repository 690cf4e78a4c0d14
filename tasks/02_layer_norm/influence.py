"""influence, 2 points: who can influence whom, and a reading of the picture."""
import torch
from torch import nn
from torch.nn import functional as F

task = Task("influence")
NAMES, WORDS = {f"{norm} norm, {mode}" for norm in ("layer", "batch") for mode in ("training", "evaluation")}, {"own", "all"}


def look(label, norm, text):
    @task.probe(label, shown=f"influence({text}, tensor([[1., 2., 3., 4.], [0., 1., 0., 2.]]))")
    def _(influence):
        return influence(norm, torch.tensor([[1., 2., 3., 4.], [0., 1., 0., 2.]]))


def case(label, make):
    @task.probe(label, drawn=True)
    def _(influence):
        return influence(*make())


def mixed():
    mix = sample(5, 5, seed=81)
    return lambda x: F.layer_norm(mix @ x, (7,)), sample(5, 7, seed=82)


look("tripling: each output follows its own input", lambda x: 3 * x, "lambda x: 3 * x")
look("subtracting the batch mean: everyone moves everyone", lambda x: x - x.mean(0), "lambda x: x - x.mean(0)")
look("rows are outputs, columns are inputs", lambda x: torch.stack([x[0] + 3 * x[1], x[1]]), "lambda x: torch.stack([x[0] + 3 * x[1], x[1]])")
look("a function that mixes features counts all pairs of them", lambda x: x.sum(1, keepdim=True).expand(2, 4), "lambda x: x.sum(1, keepdim=True).expand(2, 4)")
case("layer norm, of mixed examples", mixed)
case("batch norm in training", lambda: (lambda x: F.batch_norm(x, None, None, training=True), sample(6, 4, seed=83)))
case("as many examples as features, large influences", lambda: (lambda x: x * x.sum(0), 100 * sample(4, 4, seed=84)))
case("small influences", lambda: (lambda x: 0.001 * x * x.sum(), sample(3, 2, seed=85)))
case("a single example", lambda: (lambda x: x * x.sum(), sample(1, 7, seed=86)))


@task.probe("a module, which it leaves as it is", drawn=True)
def _(influence):
    layer = fill_(nn.Linear(4, 4), seed=87)
    return {"result": influence(layer, sample(3, 4, seed=88)), "gradients that it left in the module": [layer.weight.grad, layer.bias.grad]}


def is_answer(answer):
    return isinstance(answer, dict) and set(answer) == NAMES and set(answer.values()) <= WORDS


@task.probe("an answer for each of the four cases", where("a dict: each of the four names with one of the two words", is_answer),
            otherwise="Return a dict: each of the four names of the docstring with one of the words own and all.", shown="reading()")
def _(reading):
    return reading()


@task.probe("your reading of the picture", hidden=True, shown="reading()")
def _(reading):
    return reading()


@task.probe("x, the norm and torch's settings stay as they are", [], core=False,
            otherwise="the call leaves something changed: x, a gradient, the norm or one of torch's settings")
def _(influence):
    return changes(influence, torch.tanh, sample(3, 4, seed=89)) + changes(influence, fill_(nn.Linear(4, 4), seed=87), sample(3, 4, seed=88).requires_grad_())


# %% mistakes
sets = "02#which-numbers-share-a-mean"
J = "jacobian.{}"
mistake("These are the sums of the squares: you took no root, or squared again.", of="influence", returns=J.format("square().sum(dim=(1, 3))"))
summed = ("You summed entries, their sizes, norms of rows or columns, or singular values. Take one root, of the sum of all squares.")
mistake(summed, of="influence", returns=J.format("abs().sum(dim=(1, 3))"))
mistake(summed, of="influence", returns=J.format("square().sum(3).sqrt().sum(1)"))
mistake(summed, of="influence", returns=J.format("square().sum(1).sqrt().sum(-1)"))
mistake(summed, of="influence", returns="torch.linalg.matrix_norm(jacobian.transpose(1, 2), ord='nuc')")
mistake("You averaged over the features, or divided by D. Sum the squares over both feature dimensions, then take the root.",
        of="influence", returns=J.format("square().mean(dim=(1, 3)).sqrt()"))
ones = "Ones and zeros: did you divide the norms by their sum or by the largest, or ask only which are not zero? Leave them as they are."
mistake(ones, of="influence", returns="(s := jacobian.square().sum(dim=(1, 3)).sqrt()) / s.sum(1, keepdim=True)")
mistake(ones, of="influence", returns="(s := jacobian.square().sum(dim=(1, 3)).sqrt()) / s.max()")
mistake(ones, of="influence", returns="(jacobian.square().sum(dim=(1, 3)).sqrt() > 0).float()")
largest = ("This is the largest entry or singular value, one feature's part, a mean over features, or the gradient of an output's length. The "
           "Frobenius norm sums over the squares of all entries.")
mistake(largest, of="influence", returns=J.format("abs().amax((1, 3))"))
mistake(largest, of="influence", returns="torch.linalg.matrix_norm(jacobian.transpose(1, 2), ord=2)")
mistake("You squared the sums of squares. Take their root.", of="influence", returns=J.format("square().sum(dim=(1, 3)).square()"))
mistake("Sum over the features of both examples: one number for each pair is left.", of="influence", returns=J.format("square().sum(dim=3).sqrt()"))
mistake("This is one number for all pairs. Sum over the features alone.", of="influence", returns=J.format("square().sum().sqrt()"))
mistake("The influences of other examples are missing: is each output differentiated by every input, and every pair kept, not the diagonal "
        "alone, and nothing set to 0 because it is negative?", of="influence", returns="torch.diag(jacobian.square().sum(dim=(1, 3)).sqrt().diag())")
mistake("Signed entries cancelled or stayed negative: square before you sum.", of="influence", returns=J.format("sum(dim=(1, 3))"))
mistake("Your matrix is transposed: entry [i, j] is output i and input j.", of="influence", returns=J.format("square().sum(dim=(1, 3)).sqrt().T"))
mistake("You looked at feature a of the output and feature a of the input alone: sum over all pairs.", of="influence",
        returns="torch.einsum('iaja->ija', jacobian).square().sum(-1).sqrt()")
mistake("Entries were added up before they were squared: did you differentiate the sum of an output's features, add up their gradients, or "
        "move all features of an input at once? Square each entry, then sum.", of="influence", returns=J.format("sum(1).square().sum(-1).sqrt()"))
mistake("You left gradients in the module: clear them, or take torch.autograd.grad, which leaves none.",
        {"jacobian = ": "norm(x.detach().clone().requires_grad_()).sum().backward()\n    jacobian = "})
both, B = "In evaluation mode batch norm uses stored statistics: no other example of the batch can change an output.", '"batch norm, {}": "{}"'
T, E = B.format("training", "all"), B.format("evaluation", "own")
mistake(both, {E: E.replace("own", "all")})
mistake("You have layer norm and batch norm the wrong way round: layer norm's statistics belong to one example.",
        {T: T.replace("all", "own"), '"layer norm, training": "own"': '"layer norm, training": "all"'}, see=sets)
mistake("Layer norm's statistics belong to one example, in both modes.", {'"layer norm, training": "own"': '"layer norm, training": "all"',
        '"layer norm, evaluation": "own"': '"layer norm, evaluation": "all"'}, see=sets)
mistake("In training batch norm takes its mean and variance over the batch: every example moves every output.", {T: T.replace("all", "own")}, see=sets)
mistake("These are not the four names of the docstring: return a dict with one word for each of them.", {"layer norm, training": "layer norm"})
mistake("Each answer is one of the words own and all.", {'"own"': "True", '"all"': "False"})

# %% right: the Jacobian one output at a time
def influence(norm, x):
    x = x.clone().requires_grad_()
    y = norm(x)
    squares = torch.zeros(len(x), len(x))
    for i in range(len(x)):
        for a in range(y.shape[1]):
            grad, = torch.autograd.grad(y[i, a], x, retain_graph=True)
            squares[i] += (grad ** 2).sum(1)
    return squares ** 0.5


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% right: the Jacobian from torch.func
def influence(norm, x):
    return torch.func.jacrev(norm)(x).norm(dim=(1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% right: jacfwd, linalg norm
def influence(norm, x):
    J = torch.func.jacfwd(norm)(x)
    N, D = x.shape
    return J.permute(0, 2, 1, 3).reshape(N, N, D * D).norm(dim=-1)


def reading():
    layer = {f"layer norm, {mode}": "own" for mode in ("training", "evaluation")}
    return {**layer, "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: vmap of vector-Jacobian products
def influence(norm, x):
    out, pull = torch.func.vjp(norm, x)
    basis = torch.eye(out.numel(), dtype=out.dtype).reshape(-1, *out.shape)
    J = torch.stack([pull(one)[0] for one in basis]).reshape(*out.shape, *x.shape)
    return torch.einsum("iajb,iajb->ij", J, J).sqrt()


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: a vectorised Jacobian, pair by pair
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x, vectorize=True)
    N = len(x)
    return torch.stack([torch.stack([J[i, :, j].norm() for j in range(N)]) for i in range(N)])


def reading():
    own = dict.fromkeys(["layer norm, training", "layer norm, evaluation", "batch norm, evaluation"], "own")
    return own | {"batch norm, training": "all"}

# %% right: one number of the input after the other, forward
def influence(norm, x):
    N, D = x.shape
    squares = x.new_zeros(N, N)
    for j in range(N):
        for b in range(D):
            step = torch.zeros_like(x)
            step[j, b] = 1
            _, moved = torch.func.jvp(norm, (x,), (step,))
            squares[:, j] += moved.detach().square().sum(1)
    return squares.sqrt()


def reading():
    own = dict.fromkeys(["layer norm, training", "layer norm, evaluation", "batch norm, evaluation"], "own")
    return own | {"batch norm, training": "all"}

# %% right: every example in turn is the only input, norm of the whole batch
def influence(norm, x):
    x = x.detach()
    columns = []
    for j in range(x.shape[0]):
        def outputs(row, j=j):
            return norm(torch.cat([x[:j], row[None], x[j + 1:]]))

        jacobian = torch.autograd.functional.jacobian(outputs, x[j])  # (N, D, D)
        columns.append(jacobian.flatten(1).norm(dim=1))
    return torch.stack(columns, dim=1)


def reading():
    def depends(norm, mode):
        return "all" if norm == "batch norm" and mode == "training" else "own"

    return {f"{norm}, {mode}": depends(norm, mode)
            for norm in ("layer norm", "batch norm") for mode in ("training", "evaluation")}

# %% right: jacobian with vectorize
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x, vectorize=True)
    return torch.linalg.norm(J.transpose(1, 2), dim=(2, 3))


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: forward mode, vectorized
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x, vectorize=True, strategy="forward-mode")
    return J.pow(2).sum(3).sum(1).sqrt()


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: backward on a copy of the function and of x
import copy

def influence(norm, x):
    twin = copy.deepcopy(norm)
    N, D = x.shape
    result = torch.zeros(N, N)
    for i in range(N):
        for a in range(D):
            own = x.detach().clone().requires_grad_()
            twin(own)[i, a].backward()
            result[i] += own.grad.square().sum(1)
    return result.sqrt()


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: ARENA
from typing import Callable


def influence(norm: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    jacobian = torch.autograd.functional.jacobian(norm, x)
    assert jacobian.shape == (*x.shape, *x.shape)
    return torch.einsum("iajb,iajb->ij", jacobian, jacobian).sqrt()


def reading() -> dict[str, str]:
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }

# %% right: CS231n
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x)
    N, D = x.shape
    J = J.permute(0, 2, 1, 3).reshape(N, N, D * D)
    return torch.sqrt(torch.sum(J ** 2, axis=2))


def reading():
    answers = {}
    answers["layer norm, training"] = "own"
    answers["layer norm, evaluation"] = "own"
    answers["batch norm, training"] = "all"
    answers["batch norm, evaluation"] = "own"
    return answers

# %% right: makemore
def influence(norm, x):
    x = x.detach().clone().requires_grad_()
    n, d = x.shape
    y = norm(x)
    out = torch.zeros(n, n)
    for i in range(n):
        for a in range(d):
            dx, = torch.autograd.grad(y[i, a], x, retain_graph=True)
            out[i] += (dx**2).sum(1)
    return out**0.5

def reading():
    return {
        'layer norm, training': 'own', 'layer norm, evaluation': 'own',
        'batch norm, training': 'all', 'batch norm, evaluation': 'own',
    }

# %% right: torch source
def influence(norm, x):
    jacobian = torch.func.jacrev(norm)(x)
    return torch.linalg.vector_norm(jacobian, dim=(1, 3))


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }

# %% right: numpy first
import numpy as np


def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x).detach().numpy()
    return torch.from_numpy(np.sqrt((jacobian ** 2).sum(axis=(1, 3))))


def reading():
    names = ["layer norm, training", "layer norm, evaluation", "batch norm, training",
             "batch norm, evaluation"]
    return dict(zip(names, ["own", "own", "all", "own"]))

# %% right: plain loops
def influence(norm, x):
    N, D = x.shape
    x = x.detach().clone()
    x.requires_grad = True
    y = norm(x)
    result = torch.zeros(N, N)
    for i in range(N):
        totals = [0.0] * N
        for a in range(D):
            grad = torch.autograd.grad(y[i, a], x, retain_graph=True)[0]
            for j in range(N):
                totals[j] = totals[j] + (grad[j] ** 2).sum().item()
        for j in range(N):
            result[i, j] = totals[j] ** 0.5
    return result


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }
