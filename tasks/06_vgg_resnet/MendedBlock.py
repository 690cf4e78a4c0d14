"""MendedBlock, 3 points: a residual block without its three bugs."""
import torch

task = Task("MendedBlock")
m = task.module(starts=False, leads=((3,), (1,)))
m.build(3, 3, takes=(3, 5, 4))
m.build(3, 5, stride=3, takes=(3, 5, 4))
m.build(3, 3, stride=2, takes=(3, 5, 4))
m.build(3, 4, takes=(3, 5, 4))
X = [[[[0.5, -2.], [3., 4.]]]]


def one_channel(block):
    """Convolutions that look at the middle alone: the branch is 1.5 relu(-2x) - 1, so -1 where x is positive and 5 where it is -2."""
    block = block(1, 1).eval()
    with torch.no_grad():
        for conv, value in ((block.conv1, 2.), (block.conv2, -1.)):
            conv.weight.zero_()
            conv.weight[0, 0, 1, 1] = value
        for name, value in {"norm1.weight": -1., "norm2.weight": -1.5, "norm2.bias": -1.}.items():
            block.get_parameter(name).fill_(value)
    return block


@task.probe("relu(x + branch), the branch being -1, 5, -1, -1", tolerance=1e-3, shown=f"MendedBlock(1, 1).eval()(tensor({X}))")
def _(MendedBlock):
    return one_channel(MendedBlock)(torch.tensor(X))


@task.probe("x is left as it was", shown=f"MendedBlock(1, 1).eval()(x), x = tensor({X})", otherwise="You changed x in place: work on a new tensor.")
def _(MendedBlock):
    x = torch.tensor(X)
    one_channel(MendedBlock)(x)
    return x


@task.probe("a branch of zeros where the size changes: the shortcut, 3 and 4 times the pixel", tolerance=1e-3, shown="MendedBlock(1, 2, 2).eval()(torch.ones(1, 1, 2, 2)).flatten()")
def _(MendedBlock):
    block = MendedBlock(1, 2, 2).eval()
    with torch.no_grad():
        block.conv2.weight.zero_()
        block.shortcut.weight.copy_(torch.tensor([3., 4.]).view(2, 1, 1, 1))
    return block(torch.ones(1, 1, 2, 2)).flatten()


# %% mistakes
Z1, Z2, OUT = "F.relu(self.norm1(self.conv1(x)))", "self.norm2(self.conv2(z))", "F.relu(self.shortcut(x) + z)"
two = "Are two bugs still there, the ReLU behind conv2 and norm2 behind the addition? (And what about a block that changes the size?)"
mistake(two, {Z2: "F.relu(self.conv2(z))"}, returns="F.relu(self.norm2(z + x if z.shape == x.shape else z))")
mistake(two, {Z2: "F.relu(self.conv2(z))"}, returns="F.relu(self.norm2(self.shortcut(x) + z))")
mistake("norm2 still stands on the stream, behind the addition. Normalise the branch, and leave the stream alone.",
        {Z2: "self.conv2(z)"}, returns="F.relu(self.norm2(self.shortcut(x) + z))")
mistake("norm2 stands on the branch and once more behind the addition. Leave the stream alone.", returns="F.relu(self.norm2(self.shortcut(x) + z))")
mistake("norm1 stands behind the addition. Leave the stream alone.", returns="F.relu(self.norm1(self.shortcut(x) + z))")
mistake("The branch only adds to the stream, its -1 is lost: does it still end with a ReLU?", {Z2: f"F.relu({Z2})"})
many = "At -2 the branch should be 5. Is there a ReLU too many (before conv1, on x in place, or still behind conv2), or has conv2 no effect?"
mistake(many, {Z2: "self.norm2(F.relu(self.conv2(z)))"})
mistake(many, {Z1: "F.relu(self.norm1(self.conv1(F.relu(x))))"})
mistake(many, {Z2: "self.norm2(z)"})
mistake(many, {Z1: "F.relu(self.norm1(self.conv1(x.relu_())))"})
mistake("The ReLU behind the addition is missing, or its result is not used.", returns="self.shortcut(x) + z")
mistake("The ReLU between the two convolutions is missing, or its result is not used. That one was right.", {Z1: "self.norm1(self.conv1(x))"})
mistake("The skip is missing here: add self.shortcut(x).", returns="F.relu(z)")
mistake("Is the shortcut subtracted, or does a layer of the branch stand on it as well? Add self.shortcut(x), as it is, to the branch.",
        returns="F.relu(z - self.shortcut(x))")
mistake("Is the shortcut subtracted, or does a layer of the branch stand on it as well? Add self.shortcut(x), as it is, to the branch.",
        returns="F.relu(self.norm2(self.shortcut(x)) + z)")
mistake("norm1 has no effect here, or a sign is wrong before the ReLU.", {Z1: "F.relu(self.conv1(x))"})
mistake("norm1 has no effect here, or a sign is wrong before the ReLU.", {Z1: "F.relu(-self.norm1(self.conv1(x)))"})
nothing = "Nothing of the branch shows here: is it or norm2 left out, or is there a ReLU on both sides of norm2?"
mistake(nothing, {Z2: "self.conv2(z)"})
mistake(nothing, {Z2: "F.relu(self.norm2(F.relu(self.conv2(z))))"})
mistake(nothing, returns="F.relu(self.shortcut(x))")
change = "Where the size changes nothing of x arrives (or it is subtracted): add self.shortcut(x)."
mistake(change, returns="F.relu(z + x if z.shape == x.shape else z)")
mistake(change, returns="F.relu(z + (x if z.shape == x.shape else -self.shortcut(x)))")
mistake("Where the stride is larger than 2 nothing of x arrives: add self.shortcut(x) in every block.", returns="F.relu(z + self.shortcut(x) if self.conv1.stride[0] < 3 else z)")
mistake("No gradient flows through the shortcut: is it cut off (detach, data or no_grad)?", returns="F.relu(self.shortcut(x).detach() + z)")

# %% right: in one expression
class MendedBlock(nn.Module):
    """The block above without its bugs."""

    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        options = dict(padding=1, bias=False)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, **options)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, **options)
        self.norm2 = nn.BatchNorm2d(out_channels)
        same = stride == 1 and in_channels == out_channels
        change = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else change

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        return (self.norm2(self.conv2(self.norm1(self.conv1(x)).clamp(min=0))) + self.shortcut(x)).relu()

# %% right: constructor written anew with the same names, and a branch method
class MendedBlock(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        conv = lambda ins, step: nn.Conv2d(ins, out_channels, 3, step, 1, bias=False)
        self.conv1, self.conv2 = conv(in_channels, stride), conv(out_channels, 1)
        self.norm1, self.norm2 = nn.BatchNorm2d(out_channels), nn.BatchNorm2d(out_channels)
        if stride == 1 and in_channels == out_channels:
            self.shortcut = nn.Identity()
        else:
            self.shortcut = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)

    def forward(self, x):
        return F.relu(self._branch(x).add(self.shortcut(x)))

    def _branch(self, x):
        hidden = F.relu(self.norm1(self.conv1(x)))
        return self.norm2(self.conv2(hidden))

# %% right: ARENA
class MendedBlock(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, stride: int = 1):
        super().__init__()
        options = dict(padding=1, bias=False)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, **options)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, **options)
        self.norm2 = nn.BatchNorm2d(out_channels)
        same = stride == 1 and in_channels == out_channels
        change = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else change

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        left = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        right = self.shortcut(x)
        assert left.shape == right.shape
        return (left + right).relu()

# %% right: CS231n
class MendedBlock(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        options = dict(padding=1, bias=False)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, **options)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, **options)
        self.norm2 = nn.BatchNorm2d(out_channels)
        same = stride == 1 and in_channels == out_channels
        change = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else change

    def forward(self, x):
        out = F.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        out = out + self.shortcut(x)
        return F.relu(out)

# %% right: makemore
class MendedBlock(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        options = dict(padding=1, bias=False)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, **options)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, **options)
        self.norm2 = nn.BatchNorm2d(out_channels)
        same = stride == 1 and in_channels == out_channels
        change = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else change

    def forward(self, x):
        h = F.relu(self.norm1(self.conv1(x)))
        hpreact = self.norm2(self.conv2(h))
        return F.relu(self.shortcut(x) + hpreact)

# %% right: torch source
class MendedBlock(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        options = dict(padding=1, bias=False)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, **options)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, **options)
        self.norm2 = nn.BatchNorm2d(out_channels)
        same = stride == 1 and in_channels == out_channels
        change = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else change

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        identity = self.shortcut(x)
        out = self.conv1(x)
        out = self.norm1(out)
        out = F.relu(out, inplace=True)
        out = self.conv2(out)
        out = self.norm2(out)
        out += identity
        return F.relu(out, inplace=True)

# %% right: numpy first
class MendedBlock(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        options = dict(padding=1, bias=False)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, **options)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, **options)
        self.norm2 = nn.BatchNorm2d(out_channels)
        same = stride == 1 and in_channels == out_channels
        change = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else change

    def forward(self, x):
        z = torch.clip(self.norm1(self.conv1(x)), min=0)
        z = self.norm2(self.conv2(z))
        return torch.clip(self.shortcut(x) + z, min=0)

# %% right: plain loops
class MendedBlock(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        options = dict(padding=1, bias=False)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, **options)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, **options)
        self.norm2 = nn.BatchNorm2d(out_channels)
        same = stride == 1 and in_channels == out_channels
        change = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else change

    def forward(self, x):
        z = self.conv1(x)
        z = self.norm1(z)
        z = F.relu(z)
        z = self.conv2(z)
        z = self.norm2(z)
        z = z + self.shortcut(x)
        z = F.relu(z)
        return z
