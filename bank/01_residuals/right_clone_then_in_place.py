# right: adds in place, but to copies of its own

# %% residual
def residual(x, branch):
    y = x.clone()
    y += branch(x)
    return y

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        y = self.linear(x).tanh().clone()
        y += x
        return y

# %% stream_std
def stream_std(depth, branch_scale):
    return (1 + branch_scale**2) ** (depth / 2)


def measured_std(x, branches, branch_scale):
    h = x.clone()
    stds = [h.std(correction=0)]
    for branch in branches:
        h += branch_scale * branch(h)
        stds.append(h.std(correction=0))
    return torch.stack(stds)

# %% run_stream
def run_stream(x, branches):
    states = [x.clone()]
    for branch in branches:
        new = states[-1].clone()
        new += branch(states[-1])
        states.append(new)
    return states
