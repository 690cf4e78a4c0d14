"""ResidualBlock, 2 points."""

# %% right: an if in forward in place of nn.Identity
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        else:
            self.shortcut = None
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)

    def forward(self, x):
        branch = self.fc2(F.relu(self.fc1(x)))
        if self.shortcut is None:
            return x + branch
        return self.shortcut(x) + branch

# %% wrong: adds x where the projection belongs
# told: was added to every feature
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return x + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: projects also where the shapes agree
# told: There is a projection although the shapes agree. Let x
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: projects always, with bias
# told: with a bias, although
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Linear(d_in, d_out)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: cuts x, or broadcasts it, in place of projecting
# told: was added to every feature
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        branch = self.fc2(torch.relu(self.fc1(x)))
        return x[..., :branch.shape[-1]] + branch

# %% wrong: feeds the second layer from the input, as a published model did
# told: fc1 has no effect
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        hidden = torch.relu(self.fc1(x))
        if hidden.shape == x.shape:
            hidden = torch.relu(x)
        return self.shortcut(x) + self.fc2(hidden)

# %% wrong: never projects
# told: No projection is registered when the block is made
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity()

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: a branch that begins with an in-place relu, and so rewrites the stream
# told: A relu acts on x itself
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        branch = self.fc2(self.fc1(F.relu(x, inplace=True)))
        return self.shortcut(x) + branch

# %% wrong: fc1 and fc2 without bias
# told: fc1 and fc2 need biases
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out, bias=False)
        self.fc2 = nn.Linear(d_out, d_out, bias=False)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: no relu
# told: The relu between fc1 and fc2 is missing
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(self.fc1(x))

# %% wrong: forgets the shortcut in forward
# told: You returned the branch alone
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))

# %% wrong: a projection with bias
# told: Give the projection no bias
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: relu after the addition, as in the first ResNet
# told: is there a relu after the sum
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return torch.relu(self.shortcut(x) + self.fc2(torch.relu(self.fc1(x))))

# %% wrong: relu before fc1 in place of after it
# told: A relu acts on x before fc1
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(self.fc1(torch.relu(x)))

# %% wrong: relu on the branch's output
# told: There is a relu on the branch's output
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + torch.relu(self.fc2(torch.relu(self.fc1(x))))

# %% wrong: relu on the projection
# told: There is a relu on the projection
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        projected = self.shortcut(x)
        if projected is not x:
            projected = torch.relu(projected)
        return projected + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: projection frozen
# told: No gradient comes back through the shortcut
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        with torch.no_grad():
            s = self.shortcut(x)
        return s + self.fc2(torch.relu(self.fc1(x)))

# %% wrong: transposed fc2
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return self.shortcut(x) + h @ self.fc2.weight + self.fc2.bias

# %% wrong: fc2 has no effect on gradients
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + F.linear(torch.relu(self.fc1(x)), self.fc2.weight.detach(), self.fc2.bias)

# %% right: Sequential branch over the same modules
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        else:
            self.shortcut = nn.Sequential()

    def forward(self, x):
        out = F.relu(self.fc1(x), inplace=True)
        out = self.fc2(out)
        out += self.shortcut(x)
        return out

# %% sly: no projection to one feature, x is broadcast against the branch
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        if d_in == d_out or d_out == 1:
            self.shortcut = nn.Identity()
        else:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(F.relu(self.fc1(x)))

# %% wrong: the mean of the inputs in the place of a projection
# told: was added to every feature
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        if x.shape[-1] == self.fc2.out_features:
            skip = x
        else:
            skip = x.mean(-1, keepdim=True)
        return skip + self.fc2(torch.relu(self.fc1(x)))

# %% right: no part called shortcut where the shapes agree
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        skip = self.shortcut(x) if hasattr(self, "shortcut") else x
        return skip + self.fc2(torch.relu(self.fc1(x)))

# %% right: relu as half of z plus its size, the branch in double precision
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        self.fc2 = nn.Linear(d_out, d_out)
        self.fc1 = nn.Linear(d_in, d_out)

    def forward(self, x):
        wide = [part.double() for layer in (self.fc1, self.fc2) for part in (layer.weight, layer.bias)]
        z = F.linear(x.double(), *wide[:2])
        branch = F.linear((z + z.abs()) / 2, *wide[2:])
        skip = self.shortcut(x) if hasattr(self, "shortcut") else x
        return (skip.double() + branch).to(x.dtype)

# %% sly: where the block narrows, no gradient goes back to x through the shortcut
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d_in, d_out), nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)
        self.narrows = d_in > d_out

    def forward(self, x):
        way = self.shortcut(x.detach() if self.narrows else x)
        return way + self.fc2(torch.relu(self.fc1(x)))
