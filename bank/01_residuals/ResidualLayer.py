"""ResidualLayer, 2 points."""

# %% wrong: forgets the bias in forward
# told: The bias has no effect
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + torch.tanh(x @ self.linear.weight.T)

# %% wrong: hides the layer in a Python list
# told: Nothing is registered
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.layers = [nn.Linear(d_model, d_model)]

    def forward(self, x):
        return x + torch.tanh(self.layers[0](x))

# %% wrong: adds in place
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        x += torch.tanh(self.linear(x))
        return x

# %% wrong: a linear layer without bias
# told: The bias is missing
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        return x + torch.tanh(self.linear(x))

# %% wrong: no skip
# told: You returned the branch alone
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.tanh(self.linear(x))

# %% wrong: no activation
# told: The branch has no tanh
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + self.linear(x)

# %% wrong: calls the layer fc
# told: Call the layer linear
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + torch.tanh(self.fc(x))

# %% wrong: registers weight and bias on itself
# told: You registered weight and bias on the layer itself
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return x + torch.tanh(F.linear(x, self.weight, self.bias))

# %% wrong: activation after the addition
# told: The tanh stands around the sum
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.tanh(x + self.linear(x))

# %% wrong: squashes the stream as well
# told: You squashed the stream too
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.tanh(x) + torch.tanh(self.linear(x))

# %% wrong: multiplies by the weight without transposing it
# told: The weight is the wrong way round
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + torch.tanh(x @ self.linear.weight + self.linear.bias)

# %% wrong: x + linear(tanh(x))
# told: The tanh comes before the linear layer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + self.linear(torch.tanh(x))

# %% wrong: weight cut from the graph
# told: No gradient reaches the weight
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + torch.tanh(F.linear(x, self.linear.weight.data, self.linear.bias))

# %% wrong: bias after the tanh
# told: The bias is added after the tanh
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + torch.tanh(x @ self.linear.weight.T) + self.linear.bias

# %% wrong: the stream detached
# told: No gradient comes back through the skip
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x.detach() + torch.tanh(self.linear(x))

# %% right: uses residual of task 1
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return residual(x, lambda h: torch.tanh(self.linear(h)))

# %% right: 2 sigmoid(2z) - 1
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model, bias=True)

    def forward(self, x):
        z = x @ self.linear.weight.t() + self.linear.bias
        return x + 2 * torch.sigmoid(2 * z) - 1

# %% wrong: the linear layer is frozen, its gradient never comes
# told: requires_grad=False
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)
        for parameter in self.linear.parameters():
            parameter.requires_grad = False

    def forward(self, x):
        return x + torch.tanh(self.linear(x))

# %% sly: no gradient goes back through the skip of a batch
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return (x if x.dim() == 1 else x.detach()) + torch.tanh(self.linear(x))

# %% right: all of it in double precision, given back in that of the input
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        z = F.linear(x.double(), self.linear.weight.double(), self.linear.bias.double())
        return (x.double() + z.tanh()).to(x.dtype)


# %% sly: weights drawn by Xavier's rule in place of torch's default
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)
        nn.init.xavier_uniform_(self.linear.weight)

    def forward(self, x):
        return x + torch.tanh(self.linear(x))
