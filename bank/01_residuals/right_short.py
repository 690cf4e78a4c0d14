# right: one line each, with torch.add, F.linear and clamp

# %% residual
def residual(x, branch):
    return torch.add(branch(x), x)

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.add(x, F.linear(x, self.linear.weight, self.linear.bias).tanh())

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.fc2(self.fc1(x).clamp(min=0)) + self.shortcut(x)

# %% SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return torch.add(x, self.fc2(F.relu(self.fc1(x))) * self.alpha)

# %% condition_number
def condition_number(jacobian):
    return torch.linalg.cond(jacobian)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% run_stream
def run_stream(x, branches):
    from itertools import accumulate
    return list(accumulate(branches, lambda h, branch: h + branch(h), initial=x))
