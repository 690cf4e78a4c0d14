"""residual_layer_backward, 3 points: three gradients by hand."""
import torch

task = Task("residual_layer_backward", by_hand="autograd")
f = task.function(gradient=False, dy="N D", x="N D", weight="D D", bias="D", skip=["drawn numbers", "other drawn numbers"])
half = 0.549306  # its tanh is 0.5
given = dict(dy=[[4., 8.], [1., 2.], [0., 4.]], x=[[0., 2.], [-half, 1.], [0., -1.]], weight=[[1., 0.], [1., 0.]], bias=[half, 0.])


def drawn(N, D):
    return sample(N, D, seed=32), sample(N, D, seed=31), sample(D, D, seed=33) / 2, sample(D, seed=34)


f.look("dx", of=first, **given)
f.look("dweight", of=second, **given)
f.look("dbias", of=lambda gradients: gradients[2], **given)
f.case("a batch", lambda: drawn(7, 5), shown="N = 7, D = 5")
f.case("as many examples as features", lambda: drawn(6, 6), shown="N = 6, D = 6")
f.case("a single example", lambda: drawn(1, 5), shown="N = 1, D = 5")


@task.probe("dy, x, weight and bias are left as they were", shown="dy, x, weight and bias, after the first call")
def _(residual_layer_backward):
    tensors = {name: torch.tensor(value) for name, value in given.items()}
    residual_layer_backward(*tensors.values())
    return tensors


# %% mistakes
A, DZ, DW, DB = "torch.tanh(x @ weight.T + bias)", "dy * (1 - a.square())", "dz.T @ x", "dz.sum(dim=0)"


def returns(sentence, dx="dy + dz @ weight", dweight=DW, dbias=DB, **more):
    mistake(sentence, returns=f"{dx}, {dweight}, {dbias}", **more)


returns("You changed dy in place (dy += ..., dy *= ... or the like): make a new tensor.", "dy.add_(dz @ weight)")
returns("The skip is missing: x also reaches y directly, and both gradients add up.", "dz @ weight")
returns("The weight is transposed on the way back.", "dy + dz @ weight.T")
mistake("nn.Linear computes x @ weight.T: you left out the transpose when you recomputed z.", a="torch.tanh(x @ weight + bias)")
wrong_one = "nn.Linear computes x @ weight.T, and goes back with weight: you transposed the wrong one of the two."
returns(wrong_one, "dy + dz @ weight.T", a="torch.tanh(x @ weight + bias)")
returns(wrong_one, "dy + dz @ weight.T", "x.T @ dz", a="torch.tanh(x @ weight + bias)")
mistake("The bias is left out where you recompute z.", a="torch.tanh(x @ weight.T)")
mistake("The derivative of tanh is missing.", dz="dy")
mistake("The derivative of tanh is 1 - tanh(z)², you left out the square.", dz="dy * (1 - a)")
mistake("The derivative of tanh is 1 - tanh(z)²: square the tanh, not z.", dz="dy * (1 - (x @ weight.T + bias).square())")
stream = "The tanh is not on the skip: its derivative belongs to the branch alone (or dz *= ... changed dy itself)."
returns(stream, "dz + dz @ weight")
mistake(stream, dz="dy.mul_(1 - a.square())")
returns("This is the skip alone. The branch has a gradient too.", "dy")
mistake("The derivative of tanh is 1 - tanh(z)²: you left out the 1.", dz="dy * a.square()")
mistake("The derivative of tanh is 1 - tanh(z)²: you left out the 1, not the minus.", dz="-dy * a.square()")
mistake("The derivative of tanh is 1 - tanh(z)², with a minus between the two.", dz="dy * (1 + a.square())")
sign = "The gradient through the branch has the wrong sign: did you subtract it, or take tanh(z)² - 1 for the derivative 1 - tanh(z)²?"
returns(sign, "dy - dz @ weight")
mistake(sign, dz="dy * (a.square() - 1)")
mistake("You divided by the derivative of tanh. The chain rule multiplies by it.", dz="dy / (1 - a.square())")
mistake("You added the derivative of tanh. The chain rule multiplies by it.", dz="dy + (1 - a.square())")
mistake("dz lacks the gradient that arrives: multiply the derivative of tanh by dy.", dz="1 - a.square()")
mistake("dz is dy times the derivative of tanh: you took x in place of dy.", dz="x * (1 - a.square())")
mistake("The branch is a tanh: you recomputed a relu.", a="torch.relu(x @ weight.T + bias)", dz="dy * (a > 0)")
mistake("The branch is a tanh: you recomputed a relu.", a="torch.relu(x @ weight.T + bias)")
mistake("The weight is left out where you recompute z.", a="torch.tanh(x + bias)")
mistake("x is left out where you recompute z.", a="torch.tanh(bias).expand_as(x)")
mistake("x is left out where you recompute z: it is multiplied by the weight.", a="torch.tanh(weight.sum(1) + bias).expand_as(x)")
returns("The two gradients of x add up. You multiplied them.", "dy * (dz @ weight)")
returns("Through the skip arrives dy. You added x.", "x + dz @ weight")
returns("The weight is left out on the way back: dz goes through it.", "dy + dz")
returns("You sent tanh(z) back through the weight. What goes back is dz.", "dy + a @ weight")
mistake("The order is dx, dweight, dbias: you returned dweight first.", returns=f"{DW}, dy + dz @ weight, {DB}")
mistake("The order is dx, dweight, dbias: you returned dbias first.", returns=f"{DB}, {DW}, dy + dz @ weight")
mistake("The order is dx, dweight, dbias: you returned dbias second.", returns=f"dy + dz @ weight, {DB}, {DW}")
returns("dweight is transposed: row i belongs to output i.", dweight="x.T @ dz")
returns("The derivative of tanh is missing in dweight.", dweight="dy.T @ x")
returns("You averaged over the examples. Gradients of a shared weight add up.", dweight="dz.T @ x / len(x)")
returns("You averaged over the examples. Gradients of shared parameters add up.", dweight="dz.T @ x / len(x)", dbias="dz.mean(dim=0)")
returns("You used dx of the whole layer. What arrives at the weight is the gradient at z.", dweight="(dy + dz @ weight).T @ x")
returns("You took as dweight one matrix for each example. The weight is shared by all of them: sum over them.", dweight="dz[:, :, None] * x[:, None]")
returns("What comes second has not the weight's shape: dweight is dz times x, summed over the examples.", dweight="dz * x")
returns("What comes second has not the weight's shape: dweight is dz times x, summed over the examples.", dweight="dz @ x.T")
returns("Transpose dz for dweight whatever fits: where there are as many examples as features, dz @ x fits too, and is wrong.",
        dweight="(dz @ x if len(x) == x.shape[1] else dz.T @ x)")
returns("z is made of x, so dz meets x here: you took dy in place of x.", dweight="dz.T @ dy")
returns("In dweight the gradient that arrives at z is dz: you took tanh(z) in its place.", dweight="a.T @ x")
returns("You averaged over the examples. Gradients of a shared bias add up.", dbias="dz.mean(dim=0)")
returns("The derivative of tanh is missing in dbias.", dbias="dy.sum(dim=0)")
returns("The bias is shared by all examples: sum over them.", dbias="dz")
returns("You summed over the features. Sum over the examples.", dbias="dz.sum(dim=1)")
returns("dbias has shape (D,), without a dimension of 1 in front (keepdim?).", dbias="dz.sum(dim=0, keepdim=True)")
returns("You summed over everything. Sum over the examples alone.", dbias="dz.sum()")
returns("In dbias the gradient that arrives at z is dz: you took tanh(z) in its place.", dbias="a.sum(dim=0)")

# %% right: a loop over examples, the slope by cosh
def residual_layer_backward(dy, x, weight, bias):
    dx, dweight, dbias = [], torch.zeros_like(weight), torch.zeros_like(bias)
    for row, upstream in zip(x, dy):
        slope = 1 / torch.cosh(weight @ row + bias) ** 2
        dz = upstream * slope
        dx.append(upstream + weight.T @ dz)
        dweight = dweight + torch.outer(dz, row)
        dbias = dbias + dz
    return torch.stack(dx), dweight, dbias

# %% right: the bias as one more column of the weight
def residual_layer_backward(dy, x, weight, bias):
    ones = torch.ones_like(x[:, :1])
    inputs = torch.cat([x, ones], dim=1)  # (N, D + 1)
    both = torch.cat([weight, bias[:, None]], dim=1)  # (D, D + 1)
    a = (inputs @ both.T).tanh()
    dz = (1 + a) * (1 - a) * dy
    dboth = dz.T @ inputs
    return dy + (dz @ both)[:, :-1], dboth[:, :-1], dboth[:, -1]

# %% right: the slope of tanh as a product of two sigmoids, sums by einsum
def residual_layer_backward(dy, x, weight, bias):
    z = torch.einsum("nj,ij->ni", x, weight) + bias
    dz = 4 * torch.sigmoid(2 * z) * torch.sigmoid(-2 * z) * dy
    return torch.addmm(dy, dz, weight), torch.einsum("ni,nj->ij", dz, x), dz.T.sum(1)

# %% right: rows written into empty matrices like the arguments
def residual_layer_backward(dy, x, weight, bias):
    dx, dweight, dbias = (torch.zeros_like(part) for part in (x, weight, bias))
    with torch.no_grad():
        for n in range(len(x)):
            dz = dy[n] / torch.cosh(weight @ x[n] + bias) ** 2
            dx[n] = dy[n] + dz @ weight
            dweight += dz[:, None] * x[n]
            dbias += dz
    return dx, dweight, dbias

# %% right: computes in double precision and returns what came in
def residual_layer_backward(dy, x, weight, bias):
    kind = x.dtype
    dy, x, weight, bias = (part.double() for part in (dy, x, weight, bias))
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a) * (1 + a)
    return (dy + dz @ weight).to(kind), (dz.T @ x).to(kind), dz.sum(0).to(kind)

# %% right: ARENA
from torch import Tensor


def residual_layer_backward(
    dy: Tensor, x: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    z = torch.einsum("ni,oi->no", x, weight) + bias
    dz = dy * (1 - torch.tanh(z) ** 2)
    dx = dy + torch.einsum("no,oi->ni", dz, weight)
    dweight = torch.einsum("no,ni->oi", dz, x)
    dbias = torch.einsum("no->o", dz)
    assert dx.shape == x.shape and dweight.shape == weight.shape and dbias.shape == bias.shape
    return dx, dweight, dbias

# %% right: CS231n
def residual_layer_forward(x, w, b):
    a = x.matmul(w.T) + b
    t = torch.tanh(a)
    out = x + t
    cache = (x, w, t)
    return out, cache


def residual_layer_backward(dy, x, weight, bias):
    _, cache = residual_layer_forward(x, weight, bias)
    x, w, t = cache
    dout = dy
    dt = dout
    da = dt * (1 - t * t)
    dx = da.matmul(w)
    dx = dx + dout
    dw = da.T.matmul(x)
    db = torch.sum(da, axis=0)
    return dx, dw, db

# %% right: makemore
def residual_layer_backward(dy, x, weight, bias):
    hpreact = x @ weight.T + bias
    h = torch.tanh(hpreact)
    dhpreact = (1.0 - h**2) * dy
    dx = dy + dhpreact @ weight
    dW = (x.T @ dhpreact).T
    db = dhpreact.sum(0)
    return dx, dW, db

# %% right: torch source
def residual_layer_backward(dy, x, weight, bias):
    with torch.no_grad():
        out = torch.addmm(bias, x, weight.t()).tanh()
        grad_z = dy * (1 - out.pow(2))
        grad_input = torch.addmm(dy, grad_z, weight)
        grad_weight = grad_z.t().mm(x)
        grad_bias = grad_z.sum(0)
    return grad_input, grad_weight, grad_bias

# %% right: numpy first
import numpy as np


def residual_layer_backward(dy, x, weight, bias):
    dy, x, weight, bias = (part.detach().numpy() for part in (dy, x, weight, bias))
    t = np.tanh(x @ weight.T + bias[None, :])
    dz = dy * (1 - t ** 2)
    dx = dy + dz @ weight
    dweight = dz.T @ x
    dbias = dz.sum(axis=0)
    return torch.from_numpy(dx), torch.from_numpy(dweight), torch.from_numpy(dbias)

# %% right: plain loops
def residual_layer_backward(dy, x, weight, bias):
    N, D = x.shape
    dx = []
    dweight = torch.zeros(D, D)
    dbias = torch.zeros(D)
    for n in range(N):
        dz = []
        for i in range(D):
            z = bias[i]
            for j in range(D):
                z = z + weight[i, j] * x[n, j]
            dz.append(dy[n, i] * (1 - torch.tanh(z) ** 2))
        row = []
        for j in range(D):
            total = dy[n, j]
            for i in range(D):
                total = total + dz[i] * weight[i, j]
            row.append(total)
        dx.append(torch.stack(row))
        for i in range(D):
            dweight[i] = dweight[i] + dz[i] * x[n]
            dbias[i] = dbias[i] + dz[i]
    return torch.stack(dx), dweight, dbias
