"""Solutions that fill in several cells."""

# %% right: adds in place, but to copies of its own
## residual
def residual(x, branch):
    y = x.clone()
    y += branch(x)
    return y

## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        y = self.linear(x).tanh().clone()
        y += x
        return y

## stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x.clone()
    stds = [h.std(correction=0)]
    for branch in branches:
        h += branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

## run_stream
def run_stream(x, branches):
    states = [x.clone()]
    for branch in branches:
        new = states[-1].clone()
        new += branch(states[-1])
        states.append(new)
    return states

# %% right: computes in float64 and returns what came in
## residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    kind = x.dtype
    dy, x, weight, bias = (part.double() for part in (dy, x, weight, bias))
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a) * (1 + a)
    return (dy + dz @ weight).to(kind), (dz.T @ x).to(kind), dz.sum(0).to(kind)

## stream_std
def stream_std(depth, branch_scale):
    return torch.tensor(1 + branch_scale**2, dtype=torch.float64).pow(depth).sqrt()


def measured_std(x, branches, branch_scale):
    h, stds = x.double(), []
    for branch in [None, *branches]:
        if branch is not None:
            h = h + branch_scale * branch(h.float()).double()
        stds.append(((h - h.mean()) ** 2).mean().sqrt())
    return torch.stack(stds).float()

## condition_number
def condition_number(jacobian):
    values = torch.linalg.svd(jacobian.double()).S
    return (values.max() / values.min()).item()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: a method for the branch, torch.maximum for the relu
## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def branch(self, x):
        return torch.tanh(self.linear(x))

    def forward(self, x):
        return residual(x, self.branch)

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(0.0))
        self.fc2 = nn.Linear(d_model, d_model)
        self.fc1 = nn.Linear(d_model, d_model)

    def branch(self, x):
        hidden = self.fc1(x)
        return self.fc2(torch.maximum(hidden, torch.zeros_like(hidden)))

    def forward(self, x):
        return self.alpha * self.branch(x) + x

# %% right: forward mode, and the condition number from matrix norms
## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.func.jacfwd(network)(x)

## condition_number
def condition_number(jacobian):
    return torch.linalg.matrix_norm(jacobian, ord=2) / torch.linalg.matrix_norm(jacobian, ord=-2)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: jacrev, and the condition number from the eigenvalues of J J^T
## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.func.jacrev(network)(x)

## condition_number
def condition_number(jacobian):
    wide = (jacobian if jacobian.shape[0] <= jacobian.shape[1] else jacobian.T).double()
    values = torch.linalg.eigvalsh(wide @ wide.T)  # ascending
    return torch.sqrt(values[-1] / values[0])


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: predicts by a loop over the variance, measures by hand
## stream_std
def stream_std(depth, branch_scale):
    variance = 1.0
    for _ in range(depth):
        variance += branch_scale**2 * variance
    return math.sqrt(variance)


def measured_std(x, branches, branch_scale):
    def spread(h):
        return torch.sqrt(((h - h.sum() / h.numel()) ** 2).sum() / h.numel())
    stds = [spread(x)]
    h = x
    for branch in branches:
        h = branch_scale * branch(h) + h
        stds.append(spread(h))
    return torch.tensor(stds)

## run_stream
def run_stream(x, branches):
    if not branches:
        return [x]
    return [x, *run_stream(x + branches[0](x), branches[1:])]

# %% right: one backward pass per output
## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    x = x.clone().requires_grad_()
    y = network(x)
    rows = [torch.autograd.grad(y[i], x, retain_graph=True)[0] for i in range(len(y))]
    return torch.stack(rows)

## condition_number
def condition_number(jacobian):
    values, _ = torch.linalg.svdvals(jacobian).sort()
    return float(values[-1]) / float(values[0])


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: one line each, with torch.add, F.linear and clamp
## residual
def residual(x, branch):
    return torch.add(branch(x), x)

## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.add(x, F.linear(x, self.linear.weight, self.linear.bias).tanh())

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.fc2(self.fc1(x).clamp(min=0)) + self.shortcut(x)

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return torch.add(x, self.fc2(F.relu(self.fc1(x))) * self.alpha)

## condition_number
def condition_number(jacobian):
    return torch.linalg.cond(jacobian)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

## run_stream
def run_stream(x, branches):
    from itertools import accumulate
    return list(accumulate(branches, lambda h, branch: h + branch(h), initial=x))

# %% wrong: has not yet understood in-place addition
# fails: residual, stream_std, run_stream
# told: in place
## residual
def residual(x, branch):
    x += branch(x)
    return x

## stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x
    stds = [h.std(correction=0)]
    for branch in branches:
        h += branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

## run_stream
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h += branch(h)
        states.append(h)
    return states

# %% wrong: puts the activation after the addition wherever there is one
# fails: ResidualLayer, ResidualBlock, SkipInit
# told: relu after the sum
## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.tanh(x + self.linear(x))

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return torch.relu(self.shortcut(x) + self.fc2(torch.relu(self.fc1(x))))

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return torch.relu(x + self.alpha * self.fc2(torch.relu(self.fc1(x))))

# %% wrong: an empty notebook
# fails: residual, ResidualLayer, residual_layer_backward, ResidualBlock, gradient_norms, stream_std, SkipInit, end_to_end_jacobian, condition_number, run_stream
## residual
def residual(x, branch):
    raise NotImplementedError()

## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        raise NotImplementedError()

## residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    raise NotImplementedError()

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        raise NotImplementedError()

## gradient_norms
def gradient_norms(network, x, target):
    raise NotImplementedError()

## stream_std
def stream_std(depth, branch_scale):
    raise NotImplementedError()


def measured_std(x, branches, branch_scale):
    raise NotImplementedError()

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        raise NotImplementedError()

## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    raise NotImplementedError()

## condition_number
def condition_number(jacobian):
    raise NotImplementedError()


def reading():
    raise NotImplementedError()

## run_stream
def run_stream(x, branches):
    raise NotImplementedError()

# %% right: whole notebook in ARENA's style, type hints, einsum and asserts
## residual
from typing import Callable

from torch import Tensor


def residual(x: Tensor, branch: Callable[[Tensor], Tensor]) -> Tensor:
    out = branch(x)
    assert out.shape == x.shape
    return x + out

## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model: int):
        super().__init__()
        self.d_model = d_model
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[-1] == self.d_model
        return x + torch.tanh(self.linear(x))

## residual_layer_backward
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

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        branch = self.fc2(self.relu(self.fc1(x)))
        return self.shortcut(x) + branch

## gradient_norms
def gradient_norms(network: nn.Module, x: Tensor, target: Tensor) -> Tensor:
    y = network(x)
    assert y.shape == target.shape
    weights = [p for p in network.parameters() if p.ndim == 2]
    loss = F.mse_loss(y, target)
    dy, *dweights = torch.autograd.grad(loss, [y] + weights)
    return torch.stack([dw.norm() for dw in dweights]) / dy.norm()

## stream_std
def stream_std(depth: int, branch_scale: float) -> float:
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x: Tensor, branches: list[Callable], branch_scale: float) -> Tensor:
    stds = [x.std(unbiased=False)]
    for branch in branches:
        x = x + branch_scale * branch(x)
        stds.append(x.std(unbiased=False))
    out = torch.stack(stds)
    assert out.shape == (len(branches) + 1,)
    return out

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model: int):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.tensor(0.0))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.alpha * self.fc2(self.relu(self.fc1(x)))

## end_to_end_jacobian
def end_to_end_jacobian(network: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    assert x.ndim == 1
    jacobian = torch.autograd.functional.jacobian(network, x)
    assert jacobian.shape[1] == x.shape[0]
    return jacobian

## condition_number
def condition_number(jacobian: Tensor) -> Tensor:
    singular_values = torch.linalg.svdvals(jacobian)
    return singular_values.max() / singular_values.min()


def reading() -> dict[str, str]:
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

## run_stream
def run_stream(x: Tensor, branches: list[Callable]) -> list[Tensor]:
    states = [x]
    for branch in branches:
        x = x + branch(x)
        states.append(x)
    assert len(states) == len(branches) + 1
    return states

# %% right: whole notebook in CS231n's style, forward passes with a cache
## residual
def residual(x, branch):
    out = branch(x)
    return out + x

## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        W, b = self.linear.weight, self.linear.bias
        scores = torch.matmul(x, W.T) + b
        out = x + torch.tanh(scores)
        return out

## residual_layer_backward
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

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = None
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        h1 = self.fc1(x)
        a1 = torch.maximum(h1, torch.zeros_like(h1))
        out = self.fc2(a1)
        skip = x if self.shortcut is None else self.shortcut(x)
        return skip + out

## gradient_norms
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

## stream_std
def stream_std(depth, branch_scale):
    var = 1.0
    for l in range(depth):
        var = var + branch_scale ** 2 * var
    return math.sqrt(var)


def measured_std(x, branches, branch_scale):
    std = torch.zeros(len(branches) + 1)
    h = x
    std[0] = torch.std(h, correction=0)
    for l, branch in enumerate(branches):
        out = branch(h)
        h = h + branch_scale * out
        std[l + 1] = torch.std(h, correction=0)
    return std

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros([]))

    def forward(self, x):
        h1 = self.fc1(x)
        a1 = F.relu(h1)
        out = self.fc2(a1)
        return x + self.alpha * out

## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    x = x.detach().clone()
    x.requires_grad = True
    out = network(x)
    D_out, D_in = out.shape[0], x.shape[0]
    J = torch.zeros(D_out, D_in)
    for i in range(D_out):
        J[i] = torch.autograd.grad(out[i], x, retain_graph=True)[0]
    return J

## condition_number
def condition_number(jacobian):
    U, S, Vt = torch.linalg.svd(jacobian)
    return S[0] / S[-1]


def reading():
    answers = {}
    answers["plain"] = "lost"
    answers["residual, s = 1"] = "uneven"
    answers["SkipInit, alpha = 0"] = "kept"
    answers["SkipInit, alpha = 1/√L"] = "kept"
    return answers

## run_stream
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        out = branch(h)
        h = h + out
        states.append(h)
    return states

# %% right: whole notebook in makemore's style, terse
## residual
def residual(x, branch): return x + branch(x)

## ResidualLayer
class ResidualLayer(nn.Module):

  def __init__(self, d_model):
    super().__init__()
    self.linear = nn.Linear(d_model, d_model)

  def forward(self, x):
    hpreact = self.linear(x)
    self.out = x + torch.tanh(hpreact)
    return self.out

## residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    hpreact = x @ weight.T + bias
    h = torch.tanh(hpreact)
    dhpreact = (1.0 - h**2) * dy
    dx = dy + dhpreact @ weight
    dW = (x.T @ dhpreact).T
    db = dhpreact.sum(0)
    return dx, dW, db

## ResidualBlock
class ResidualBlock(nn.Module):

  def __init__(self, d_in, d_out):
    super().__init__()
    self.fc1 = nn.Linear(d_in, d_out)
    self.fc2 = nn.Linear(d_out, d_out)
    if d_in != d_out: self.shortcut = nn.Linear(d_in, d_out, bias=False)

  def forward(self, x):
    h = self.fc2(self.fc1(x).relu())
    return h + (self.shortcut(x) if hasattr(self, 'shortcut') else x)

## gradient_norms
def gradient_norms(network, x, target):
    ws = [p for p in network.parameters() if p.ndim == 2]
    y = network(x)
    dy, *dws = torch.autograd.grad(F.mse_loss(y, target), [y] + ws)
    return torch.tensor([(dw**2).sum().sqrt().item() for dw in dws]) / (dy**2).sum().sqrt()

## stream_std
def stream_std(depth, branch_scale): return (1 + branch_scale**2)**(depth/2)

def measured_std(x, branches, branch_scale):
    h, stds = x, [x.std(unbiased=False).item()]
    for f in branches:
        h = h + branch_scale * f(h)
        stds.append(h.std(unbiased=False).item())
    return torch.tensor(stds)

## SkipInit
class SkipInit(nn.Module):

  def __init__(self, d_model):
    super().__init__()
    self.fc1 = nn.Linear(d_model, d_model)
    self.fc2 = nn.Linear(d_model, d_model)
    self.alpha = nn.Parameter(torch.tensor(0.))

  def forward(self, x):
    self.out = x + self.alpha * self.fc2(self.fc1(x).relu())
    return self.out

## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    x = x.detach().clone().requires_grad_()
    y = network(x)
    return torch.stack([torch.autograd.grad(yi, x, retain_graph=True)[0] for yi in y])

## condition_number
def condition_number(jacobian):
    s = torch.linalg.svdvals(jacobian)
    return (s[0] / s[-1]).item()

def reading():
    return {'plain': 'lost', 'residual, s = 1': 'uneven', 'SkipInit, alpha = 0': 'kept', 'SkipInit, alpha = 1/√L': 'kept'}

## run_stream
def run_stream(x, branches):
    states = [x.clone()]
    for f in branches: states.append(states[-1] + f(states[-1]))
    return states

# %% right: whole notebook in the style of torch's own source
## residual
def residual(x, branch):
    r"""Adds the input to what ``branch`` makes of it."""
    return torch.add(x, branch(x))

## ResidualLayer
class ResidualLayer(nn.Module):
    __constants__ = ["d_model"]

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.linear = nn.Linear(d_model, d_model)

    def reset_parameters(self) -> None:
        self.linear.reset_parameters()

    def forward(self, input):
        return input + torch.tanh(F.linear(input, self.linear.weight, self.linear.bias))

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}"

## residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    with torch.no_grad():
        out = torch.addmm(bias, x, weight.t()).tanh()
        grad_z = dy * (1 - out.pow(2))
        grad_input = torch.addmm(dy, grad_z, weight)
        grad_weight = grad_z.t().mm(x)
        grad_bias = grad_z.sum(0)
    return grad_input, grad_weight, grad_bias

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_in = d_in
        self.d_out = d_out
        self.fc1 = nn.Linear(d_in, d_out)
        self.relu = nn.ReLU(inplace=True)
        self.fc2 = nn.Linear(d_out, d_out)
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        else:
            self.register_module("shortcut", None)

    def forward(self, x):
        identity = x
        out = self.fc1(x)
        out = self.relu(out)
        out = self.fc2(out)
        if self.shortcut is not None:
            identity = self.shortcut(x)
        out += identity
        return out

    def extra_repr(self) -> str:
        return f"{self.d_in}, {self.d_out}"

## gradient_norms
def gradient_norms(network, x, target):
    with torch.enable_grad():
        output = network(x)
        loss = F.mse_loss(output, target)
        weights = [p for p in network.parameters() if p.dim() == 2]
        grads = torch.autograd.grad(loss, (output, *weights))
    norms = torch.stack([torch.linalg.vector_norm(g) for g in grads])
    return norms[1:] / norms[0]

## stream_std
def stream_std(depth, branch_scale):
    return math.exp(0.5 * depth * math.log1p(branch_scale**2))


def measured_std(x, branches, branch_scale):
    with torch.no_grad():
        stds = x.new_empty(len(branches) + 1)
        stds[0] = torch.std(x, correction=0)
        for i, branch in enumerate(branches, start=1):
            x = torch.add(x, branch(x), alpha=branch_scale)
            stds[i] = torch.std(x, correction=0)
    return stds

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.empty(()))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.fc1.reset_parameters()
        self.fc2.reset_parameters()
        nn.init.zeros_(self.alpha)

    def forward(self, x):
        out = self.fc2(F.relu(self.fc1(x)))
        return torch.addcmul(x, self.alpha, out)

## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.func.jacrev(network)(x)

## condition_number
def condition_number(jacobian):
    return torch.linalg.cond(jacobian)


def reading():
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

## run_stream
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        states.append(torch.add(states[-1], branch(states[-1])))
    return states

# %% right: whole notebook written numpy first
## residual
import numpy as np


def residual(x, branch):
    y = branch(x)
    return x + y

## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        z = x @ self.linear.weight.T + self.linear.bias
        return x + torch.tanh(z)

## residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    dy, x, weight, bias = (part.detach().numpy() for part in (dy, x, weight, bias))
    t = np.tanh(x @ weight.T + bias[None, :])
    dz = dy * (1 - t ** 2)
    dx = dy + dz @ weight
    dweight = dz.T @ x
    dbias = dz.sum(axis=0)
    return torch.from_numpy(dx), torch.from_numpy(dweight), torch.from_numpy(dbias)

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity()
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        z = self.fc1(x)
        h = torch.where(z > 0, z, 0.)
        return self.shortcut(x) + self.fc2(h)

## gradient_norms
def gradient_norms(network, x, target):
    y = network(x)
    weights = [p for p in network.parameters() if p.ndim == 2]
    grads = torch.autograd.grad(((y - target) ** 2).mean(), [y, *weights])
    norms = np.array([np.linalg.norm(g.detach().numpy()) for g in grads])
    return torch.from_numpy(norms[1:] / norms[0])

## stream_std
def stream_std(depth, branch_scale):
    return np.sqrt((1 + branch_scale ** 2) ** depth)


def measured_std(x, branches, branch_scale):
    h, stds = x, [np.std(x.detach().numpy())]
    for branch in branches:
        h = h + branch_scale * branch(h)
        stds.append(np.std(h.detach().numpy()))
    return torch.from_numpy(np.array(stds))

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        hidden = torch.clip(self.fc1(x), min=0)
        return x + self.alpha * self.fc2(hidden)

## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    J = torch.autograd.functional.jacobian(network, x).detach().numpy()
    return torch.from_numpy(J)

## condition_number
def condition_number(jacobian):
    s = np.linalg.svd(jacobian.detach().numpy(), compute_uv=False)
    return float(s[0] / s[-1])


def reading():
    names = ["plain", "residual, s = 1", "SkipInit, alpha = 0", "SkipInit, alpha = 1/√L"]
    return dict(zip(names, ["lost", "uneven", "kept", "kept"]))

## run_stream
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        h = states[-1]
        states.append(h + branch(h))
    return states

# %% right: whole notebook in a beginner's loops
## residual
def residual(x, branch):
    change = branch(x)
    result = x + change
    return result

## ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, self.d_model):
            new_row = []
            for i in range(self.d_model):
                z = (row * self.linear.weight[i]).sum() + self.linear.bias[i]
                new_row.append(row[i] + torch.tanh(z))
            rows.append(torch.stack(new_row))
        return torch.stack(rows).reshape(x.shape)

## residual_layer_backward
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

## ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.same = d_in == d_out
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        if not self.same:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        hidden = self.fc1(x)
        hidden = torch.relu(hidden)
        out = self.fc2(hidden)
        if self.same:
            return x + out
        else:
            return self.shortcut(x) + out

## gradient_norms
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

## stream_std
def stream_std(depth, branch_scale):
    variance = 1
    for i in range(depth):
        variance = variance * (1 + branch_scale ** 2)
    return variance ** 0.5


def one_std(h):
    values = h.detach().flatten().tolist()
    mean = sum(values) / len(values)
    total = 0
    for value in values:
        total = total + (value - mean) ** 2
    return (total / len(values)) ** 0.5


def measured_std(x, branches, branch_scale):
    h = x.clone()
    result = [one_std(h)]
    for branch in branches:
        h = h + branch_scale * branch(h)
        result.append(one_std(h))
    return torch.tensor(result)

## SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.tensor(0.0))

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, self.d_model):
            hidden = torch.relu(self.fc1(row))
            rows.append(row + self.alpha * self.fc2(hidden))
        return torch.stack(rows).reshape(x.shape)

## end_to_end_jacobian
def end_to_end_jacobian(network, x):
    x = x.clone().detach().requires_grad_(True)
    rows = []
    for i in range(len(network(x))):
        y = network(x)
        rows.append(torch.autograd.grad(y[i], x)[0])
    return torch.stack(rows)

## condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    largest = values[0]
    smallest = values[0]
    for value in values:
        if value > largest:
            largest = value
        if value < smallest:
            smallest = value
    return largest / smallest


def reading():
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

## run_stream
def run_stream(x, branches):
    states = [x.clone()]
    for i in range(len(branches)):
        h = states[i]
        states.append(h + branches[i](h))
    return states
