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
