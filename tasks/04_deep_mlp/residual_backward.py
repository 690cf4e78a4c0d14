"""residual_backward, 2 points: dx, dW and db of a residual layer, by hand."""
import torch

HALF = 0.549306  # tanh(HALF) is 0.5; below z is (HALF, 0), (0, -HALF), (HALF, 0)

task = Task("residual_backward", by_hand="autograd")
f = task.function(gradient=False, dy="N D", x="N D", W="D D", b="D", s=[0.7, 1.5])
f.look("three examples, two features, s = 0.25", dy=[[4., 8.], [1., 2.], [0., 4.]], x=[[0., 2.], [-HALF, 1.], [0., -1.]],
       W=[[1., 1.], [0., 0.]], b=[HALF, 0.], s=0.25)
f.look("one example, one feature, s = 2", dy=[[3.]], x=[[1.]], W=[[2.]], b=[-2.], s=2.)
f.case("two examples, six features", lambda: (sample(2, 6, seed=45), sample(2, 6, seed=46), sample(6, 6, seed=47) / 2, sample(6, seed=48), 1.5))
f.case("s = 0", lambda: (sample(2, 3, seed=45), sample(2, 3, seed=46), sample(3, 3, seed=47), sample(3, seed=48), 0))


@task.probe("what it is given is left as it was", [], shown="residual_backward(dy, x, W, b, 0.7), then dy, x, W and b",
            otherwise="You changed what you were given in place (dy += ..., or dx = dy, then dx += ...): make new tensors.")
def _(residual_backward):
    shapes = {"dy": (5, 4), "x": (5, 4), "W": (4, 4), "b": (4,)}
    given = {name: sample(*shape, seed=41) for name, shape in shapes.items()}
    residual_backward(*given.values(), 0.7)
    return [name for name, shape in shapes.items() if not torch.equal(given[name], sample(*shape, seed=41))]


# %% mistakes
A, DZ, BACK = "torch.tanh(x @ W + b)", "s * dy * (1 - a * a)", "dy + dz @ W.T, x.T @ dz, dz.sum(0)"
mistake("The direct way is missing: x also reaches y past the branch, so add dy.", returns="dz @ W.T, x.T @ dz, dz.sum(0)")
mistake("This is dy alone, the direct way: x reaches y through the branch too.", returns="dy, x.T @ dz, dz.sum(0)")
mistake("s has no effect in the branch: multiply by it.", dz="dy * (1 - a * a)")
mistake("s has no effect in dW and db: multiply by it.", returns="dy + dz @ W.T, x.T @ (dy * (1 - a * a)), (dy * (1 - a * a)).sum(0)")
mistake("s scales the branch alone, not the direct way. (Is there an s before dy there, or does mul_ or *= change dy itself?)", returns="s * dy + dz @ W.T, x.T @ dz, dz.sum(0)")
mistake("s scales the branch alone, not the direct way. (Is there an s before dy there, or does mul_ or *= change dy itself?)", dz="dy.mul_(s) * (1 - a * a)")
mistake("s acts twice in the branch: multiply by it once.", dz="s * s * dy * (1 - a * a)")
mistake("The slope of tanh has no effect here, or is 1 near 0: multiply by 1 - tanh(z)².", dz="s * dy")
mistake("The slope is 1 - tanh(z)²: you squared z.", dz="s * dy * (1 - (x @ W + b) ** 2)")
mistake("The slope of tanh is 1 - a², not 1 - a.", dz="s * dy * (1 - a)")
mistake("Forward multiplies by W, backward by its transpose.", returns="dy + dz @ W, x.T @ dz, dz.sum(0)")
mistake("Here W stands as in x @ W: it is transposed where you recompute z. (F.linear does that.)", a="torch.tanh(x @ W.T + b)")
mistake("The bias has no effect where you recompute z: z is x W + b.", a="torch.tanh(x @ W)")
mistake("The slope acts on the direct way too. It belongs to the branch.", returns="dy * (1 - a * a) + dz @ W.T, x.T @ dz, dz.sum(0)")
mistake("This is what tanh(z)² gives: the derivative of tanh is 1 - tanh(z)².", dz="s * dy * a * a")
mistake("This is what -tanh(z)² gives: the derivative of tanh is 1 - tanh(z)², with the 1.", dz="-s * dy * a * a")
mistake("The derivative of tanh is 1 - tanh(z)², with a minus between the two.", dz="s * dy * (1 + a * a)")
mistake("The gradient through the branch has the wrong sign: it is added, and the derivative of tanh is 1 - tanh(z)².", dz="s * dy * (a * a - 1)")
mistake("This is what dividing by the derivative of tanh gives (or cosh(z)² as a factor). The chain rule multiplies by the derivative.", dz="s * dy / (1 - a * a)")
mistake("You added the derivative of tanh. The chain rule multiplies by it.", dz="s * dy + (1 - a * a)")
mistake("You added s to dy. Multiply by it.", dz="(s + dy) * (1 - a * a)")
mistake("What you send back through W lacks the gradient that arrives: multiply by dy.", dz="s * (1 - a * a)")
mistake("What you send back through W lacks s and the gradient that arrives: multiply by both.", dz="1 - a * a")
mistake("dz is s times dy times the derivative of tanh: you took x in place of dy.", dz="s * x * (1 - a * a)")
mistake("dz is s times dy times the derivative of tanh: you took b in place of s.", dz="b * dy * (1 - a * a)")
mistake("tanh(z)² is tanh(z) times itself. You doubled it.", dz="s * dy * (1 - 2 * a)")
mistake("This is what 1 - tanh(z)³ gives: the derivative of tanh is 1 - tanh(z)².", dz="s * dy * (1 - a**3)")
mistake("The branch is a tanh: you recomputed a relu.", a="torch.relu(x @ W + b)", dz="s * dy * (a > 0)")
mistake("This is what z = b gives: x W belongs to z, too.", a="torch.tanh(b).expand_as(x)")
mistake("This is what z = x + b gives: z is x W + b.", a="torch.tanh(x + b)")
mistake("z is x W + b: you added s in place of b.", a="torch.tanh(x @ W + s)")
mistake("z is x W + b: you subtracted one of the two from the other.", a="torch.tanh(x @ W - b)")
mistake("The two gradients of x add up. You multiplied them.", returns="dy * (dz @ W.T), x.T @ dz, dz.sum(0)")
mistake("The direct way brings dy. You added x.", returns="x + dz @ W.T, x.T @ dz, dz.sum(0)")
mistake("W is left out on the way back: dz goes through its transpose.", returns="dy + dz, x.T @ dz, dz.sum(0)")
mistake("You sent tanh(z) back through W. What goes back is the gradient that arrives at z.", returns="dy + a @ W.T, x.T @ dz, dz.sum(0)")
mistake("You mixed up the order: it is dx, dW, db.", returns="x.T @ dz, dy + dz @ W.T, dz.sum(0)")
mistake("You mixed up the order: it is dx, dW, db.", returns="dy + dz @ W.T, dz.sum(0), x.T @ dz")
mistake("You averaged over the examples. They add up.", returns="dy + dz @ W.T, x.T @ dz / len(x), dz.mean(0)")
mistake("You averaged dW over the examples. They add up.", returns="dy + dz @ W.T, x.T @ dz / len(x), dz.sum(0)")
mistake("You averaged db over the examples. They add up.", returns="dy + dz @ W.T, x.T @ dz, dz.mean(0)")
mistake("dW is transposed.", returns="dy + dz @ W.T, dz.T @ x, dz.sum(0)")
mistake("You used a in place of x in dW.", returns="dy + dz @ W.T, a.T @ dz, dz.sum(0)")
mistake("You used y in place of x in dW.", returns="dy + dz @ W.T, (x + s * a).T @ dz, dz.sum(0)")
mistake("z is made of x, so x meets dz in dW: you took dy in place of x.", returns="dy + dz @ W.T, dy.T @ dz, dz.sum(0)")
mistake("What arrives at z is dz: you took tanh(z) in its place in dW.", returns="dy + dz @ W.T, x.T @ a, dz.sum(0)")
mistake("This is what dx in place of dy gives. Is dy changed in place (dy += ..., or dx = dy, then dx += ...)? Make a new tensor.",
        {"    return": "    dy += dz @ W.T\n    dz = s * dy * (1 - a * a)\n    return"}, returns="dy, x.T @ dz, dz.sum(0)")
mistake("dW has the shape of W: x and dz are multiplied and summed over the examples.", returns="dy + dz @ W.T, x[:, :, None] * dz[:, None], dz.sum(0)")
mistake("db has shape (D,): sum over the examples.", returns="dy + dz @ W.T, x.T @ dz, dz")
mistake("db has shape (D,). Is there a keepdim, or a product with a row of ones?", returns="dy + dz @ W.T, x.T @ dz, dz.sum(0, keepdim=True)")
mistake("You summed over the features for db. Sum over the examples.", returns="dy + dz @ W.T, x.T @ dz, dz.sum(1)")
mistake("b enters through the tanh, whose slope has no effect in db: multiply by 1 - tanh(z)².", returns="dy + dz @ W.T, x.T @ dz, (s * dy).sum(0)")
mistake("b does not reach y directly: its gradient comes from the branch alone.", returns="dy + dz @ W.T, x.T @ dz, (dy + dz).sum(0)")
mistake("What arrives at z is dz: you took tanh(z) in its place in db.", returns="dy + dz @ W.T, x.T @ dz, a.sum(0)")
mistake("s = 0 is a scale, too: then the branch brings nothing back.", dz="(s or 1) * dy * (1 - a * a)")
mistake("s is any number: you cut it to a whole one.", dz="(int(s) if s >= 1 else s) * dy * (1 - a * a)")

# %% right: the gradient with einsum, the slope as 1 / cosh^2
def residual_backward(dy, x, W, b, s):
    z = torch.einsum("nd,de->ne", x, W) + b
    dz = s * dy / torch.cosh(z) ** 2
    return dy + torch.einsum("ne,de->nd", dz, W), torch.einsum("nd,ne->de", x, dz), torch.einsum("ne->e", dz)

# %% right: the gradient summed up example by example, in double precision
def residual_backward(dy, x, W, b, s):
    dx, dW, db = torch.zeros_like(x), torch.zeros_like(W), torch.zeros_like(b)
    for n in range(len(x)):
        a = torch.tanh(x[n].double() @ W.double() + b.double())
        dz = (s * dy[n].double() * (1 - a) * (1 + a)).to(dy)
        dx[n] = dy[n] + W @ dz
        dW += torch.outer(x[n], dz)
        db += dz
    return [dx, dW, db]

# %% right: one over the square of cosh
def residual_backward(dy, x, W, b, s):
    slope = torch.cosh(torch.addmm(b, x, W).clamp(-300, 300).double()).pow(-2).to(dy)
    dz = dy.mul(slope).mul(s)
    return torch.addmm(dy, dz, W.mT), torch.einsum("ni,nj->ij", x, dz), torch.einsum("nj->j", dz)

# %% right: tanh by exp
def residual_backward(dy, x, W, b, s):
    a = ((x @ W + b).exp() - (-x @ W - b).exp()) / ((x @ W + b).exp() + (-x @ W - b).exp())
    dz = s * dy * (1 - a * a)
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)

# %% right: the slope from two sigmoids, outer products
def residual_backward(dy, x, W, b, s):
    z = b + x.mm(W)
    slope = 4 * torch.sigmoid(2 * z) * torch.sigmoid(-2 * z)
    dz = slope * (dy * s)
    dW = (x[:, :, None] * dz[:, None, :]).sum(0)
    dx = dy.clone()
    dx += (W[None] * dz[:, None, :]).sum(-1)
    return [dx, dW, torch.ones(len(x), dtype=x.dtype) @ dz]

# %% right: the bias as one more row of W, x with a column of ones
def residual_backward(dy, x, W, b, s):
    ones = torch.ones_like(x[:, :1])
    x1, W1 = torch.cat([x, ones], dim=1), torch.cat([W, b[None]], dim=0)
    dz = (1 - (x1 @ W1).tanh() ** 2).mul(dy).mul(s)
    dW1 = x1.T @ dz
    dx1 = dz @ W1.T
    return dy + dx1[:, :-1], dW1[:-1], dW1[-1]

# %% right: ARENA
from torch import Tensor


def residual_backward(
    dy: Tensor, x: Tensor, W: Tensor, b: Tensor, s: float
) -> tuple[Tensor, Tensor, Tensor]:
    z = torch.einsum("ni,io->no", x, W) + b
    dz = dy * s * (1 - torch.tanh(z) ** 2)
    dx = dy + torch.einsum("no,io->ni", dz, W)
    dW = torch.einsum("ni,no->io", x, dz)
    db = torch.einsum("no->o", dz)
    return dx, dW, db

# %% right: CS231n
def residual_forward(x, W, b, s):
    z = x.mm(W) + b
    a = torch.tanh(z)
    out = x + s * a
    cache = (x, W, a, s)
    return out, cache


def residual_backward(dy, x, W, b, s):
    _, cache = residual_forward(x, W, b, s)
    x, W, a, s = cache
    da = s * dy
    dz = (1 - a**2) * da
    dW = x.t().mm(dz)
    db = torch.sum(dz, axis=0)
    dx = dz.mm(W.t())
    dx = dx + dy
    return dx, dW, db

# %% right: makemore
def residual_backward(dy, x, W, b, s):
  h = torch.tanh(x @ W + b)
  dh = s * dy
  dhpreact = (1.0 - h**2) * dh
  dx = dhpreact @ W.T
  dW = x.T @ dhpreact
  db = dhpreact.sum(0)
  return dx + dy, dW, db

# %% right: torch source
def tanh_backward(grad_output, result):
    return grad_output * (1 - result * result)


def residual_backward(grad_output, input, weight, bias, scale):
    result = torch.tanh(torch.addmm(bias, input, weight))
    grad_preactivation = tanh_backward(grad_output * scale, result)
    grad_input = grad_output + torch.mm(grad_preactivation, weight.t())
    grad_weight = torch.mm(input.t(), grad_preactivation)
    grad_bias = grad_preactivation.sum(dim=0)
    return grad_input, grad_weight, grad_bias

# %% right: numpy first
import numpy as np


def residual_backward(dy, x, W, b, s):
    dy, x, W, b = (value.detach().numpy() for value in (dy, x, W, b))
    a = np.tanh(x @ W + b)
    dz = s * dy * (1 - a**2)
    dx, dW, db = dy + dz @ W.T, x.T @ dz, dz.sum(axis=0)
    return torch.from_numpy(dx), torch.from_numpy(dW), torch.from_numpy(db)

# %% right: plain loops
def residual_backward(dy, x, W, b, s):
    N = len(x)
    D = len(b)
    dx = torch.zeros(N, D)
    dW = torch.zeros(D, D)
    db = torch.zeros(D)
    for n in range(N):
        for j in range(D):
            z = b[j].item()
            for i in range(D):
                z += x[n, i].item() * W[i, j].item()
            dz = s * dy[n, j].item() * (1 - math.tanh(z) ** 2)
            db[j] += dz
            for i in range(D):
                dx[n, i] += dz * W[i, j].item()
                dW[i, j] += dz * x[n, i].item()
        for i in range(D):
            dx[n, i] += dy[n, i].item()
    return dx, dW, db
