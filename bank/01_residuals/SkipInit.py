"""SkipInit, 3 points."""

# %% right: alpha made empty and set to zero by nn.init, blended with torch.addcmul
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.empty([]))
        nn.init.zeros_(self.alpha)

    def forward(self, x):
        hidden = F.relu(F.linear(x, self.fc1.weight, self.fc1.bias))
        return torch.addcmul(x, self.alpha, F.linear(hidden, self.fc2.weight, self.fc2.bias))

# %% wrong: every parameter starts at zero
# told: fc1.weight and fc2.weight start at zero
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))
        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: detaches alpha
# told: alpha gets no gradient
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha.detach() * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: reads alpha as a number
# told: alpha gets no gradient
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha.item() * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: alpha starts at one
# told: alpha starts at 1
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: a convex blend
# told: You blended
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return (1 - self.alpha) * x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: runs the branch without gradients
# told: No gradient reaches the branch
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        with torch.no_grad():
            change = self.fc2(torch.relu(self.fc1(x)))
        return x + self.alpha * change

# %% wrong: alpha is a buffer
# told: alpha is not among the parameters
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.register_buffer("alpha", torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: fc2 starts at zero too: the block never learns
# told: fc2.weight starts at zero as well as alpha
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        nn.init.zeros_(self.fc2.weight)
        nn.init.zeros_(self.fc2.bias)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: no relu
# told: The relu between fc1 and fc2 is missing
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(self.fc1(x))

# %% wrong: forgets the skip
# told: A new block returns zeros
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: alpha of shape (1,)
# told: alpha has shape (1,)
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: one alpha per feature
# told: alpha has as many entries as features
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: alpha is a plain tensor
# told: alpha is not among the parameters
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = torch.zeros(())

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: relu after the sum
# told: A new block cuts off negative numbers
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return torch.relu(x + self.alpha * self.fc2(torch.relu(self.fc1(x))))

# %% wrong: relu on the branch's output
# told: There is a relu on the branch's output
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * torch.relu(self.fc2(torch.relu(self.fc1(x))))

# %% wrong: alpha on the sum
# told: A new block returns zeros
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.alpha * (x + self.fc2(torch.relu(self.fc1(x))))

# %% wrong: skips the branch while alpha is zero, so alpha never moves
# told: alpha gets no gradient
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        if self.alpha == 0:
            return x + 0 * (self.fc1.weight.sum() + self.fc2.weight.sum())
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))

# %% wrong: tanh in place of relu
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.tanh(self.fc1(x)))

# %% wrong: fc2 tiny init
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        nn.init.normal_(self.fc2.weight, std=0.02)
        self.alpha = nn.Parameter(torch.tensor(0.0))

    def forward(self, x):
        return x + self.alpha * self.fc2(F.relu(self.fc1(x)))

# %% wrong: alpha on the branch's input
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.tensor(0.0))

    def forward(self, x):
        return x + self.fc2(F.relu(self.fc1(self.alpha * x)))

# %% wrong: branch detached
# told: No gradient reaches the branch
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.tensor(0.0))

    def forward(self, x):
        return x + self.alpha * self.fc2(F.relu(self.fc1(x))).detach()

# %% right: register_parameter, Sequential call
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.register_parameter("alpha", nn.Parameter(torch.tensor(0.)))
        self.fc1, self.fc2 = (nn.Linear(d_model, d_model) for _ in range(2))

    def branch(self, x):
        h = self.fc1(x)
        return self.fc2(h.clamp(min=0))

    def forward(self, x):
        return torch.lerp(x, x + self.branch(x), self.alpha)

# %% wrong: biases start at zero
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        for layer in (self.fc1, self.fc2):
            nn.init.zeros_(layer.bias)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(F.relu(self.fc1(x)))

# %% wrong: alpha starts a little above zero
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        # not exactly zero, so that the branch gets a gradient at once
        self.alpha = nn.Parameter(torch.tensor(1e-5))

    def forward(self, x):
        return x + self.alpha * self.fc2(F.relu(self.fc1(x)))

# %% wrong: negative alpha cut off
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        scale = self.alpha.clamp(min=0)  # a scale is not negative
        return x + scale * self.fc2(F.relu(self.fc1(x)))

# %% wrong: relu(inplace=True) before fc1 rewrites x
# told: A new block cuts off negative numbers
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.branch_relu = nn.ReLU(inplace=True)
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        h = self.fc1(self.branch_relu(x))
        return x + self.alpha * self.fc2(self.branch_relu(h))

# %% sly: in training mode no gradient goes back through the skip
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        branch = self.alpha * self.fc2(torch.relu(self.fc1(x)))
        return (x.detach() if self.training else x) + branch

# %% right: in double precision inside, alpha spread over the features
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(0.0))
        self.fc1, self.fc2 = (nn.Linear(d_model, d_model) for _ in range(2))

    def forward(self, x):
        z = F.linear(x.double(), self.fc1.weight.double(), self.fc1.bias.double())
        z = F.linear(z.clamp(min=0), self.fc2.weight.double(), self.fc2.bias.double())
        return (x.double() + self.alpha.double().expand(x.shape[-1]) * z).to(x.dtype)

# %% wrong: hidden width four times as large as d_model's, fc1 and fc2 are no (d_model, d_model)
# told: fc2's weights are not those of a new nn.Linear(100, 100): has it another shape, or an init of your own? Leave it as torch makes it.
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.alpha = nn.Parameter(torch.zeros(()))
        self.fc1 = nn.Linear(d_model, 4 * d_model)
        self.fc2 = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return x + self.alpha * self.fc2(F.relu(self.fc1(x)))

# %% wrong: alpha is read once, in __init__
# told: This is the input alone: is the branch left out, or alpha read only once
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))
        self.scale = self.alpha.item()
    def forward(self, x):
        return x + self.scale * self.fc2(torch.relu(self.fc1(x)))
