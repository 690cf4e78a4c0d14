"""MendedBlock, 3 points."""

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

# %% right: the shortcut first
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
        stream = self.shortcut(x)
        branch = self.conv1(x)
        branch = torch.relu(self.norm1(branch))
        stream = stream + self.norm2(self.conv2(branch))
        return torch.relu(stream)

# %% wrong: all three bugs still there
# told: Are two bugs still there
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = F.relu(self.conv2(z))
        if z.shape == x.shape:
            z = z + x
        return F.relu(self.norm2(z))

# %% wrong: the norm still on the stream
# told: norm2 still stands on the stream
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.conv2(z)
        return F.relu(self.norm2(self.shortcut(x) + z))

# %% wrong: the branch still ends with a ReLU
# told: does it still end with a ReLU
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = F.relu(self.norm2(self.conv2(z)))
        return F.relu(self.shortcut(x) + z)

# %% wrong: a ReLU between conv2 and norm2
# told: Is there a ReLU too many
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(F.relu(self.conv2(z)))
        return F.relu(self.shortcut(x) + z)

# %% wrong: no ReLU at the end
# told: The ReLU behind the addition is missing
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return self.shortcut(x) + z

# %% wrong: all ReLUs thrown out but the last
# told: The ReLU between the two convolutions is missing
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
        z = self.norm1(self.conv1(x))
        z = self.norm2(self.conv2(z))
        return F.relu(self.shortcut(x) + z)

# %% wrong: no skip
# told: The skip is missing
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(z)

# %% wrong: norm1 not used
# told: norm1 has no effect here
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
        z = F.relu(self.conv1(x))
        z = self.norm2(self.conv2(z))
        return F.relu(self.shortcut(x) + z)

# %% wrong: norm2 not used
# told: Nothing of the branch shows here
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.conv2(z)
        return F.relu(self.shortcut(x) + z)

# %% wrong: no skip where the size changes
# told: nothing of x arrives
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(z + x if z.shape == x.shape else z)

# %% wrong: normalised once more behind the addition
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(self.norm1(self.shortcut(x) + z))

# %% right: a maximum with zero, the sum first
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
        inner = torch.clamp_min(self.norm1(self.conv1(x)), 0)
        total = torch.add(self.norm2(self.conv2(inner)), self.shortcut(x))
        return torch.maximum(total, torch.zeros_like(total))

# %% right: the shortcut added in place to the branch
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
        z = self.norm1(self.conv1(x)).relu_()
        z = self.norm2(self.conv2(z))
        z += self.shortcut(x)
        return z.relu_()

# %% wrong: only one bug mended: the skip
# told: Are two bugs still there
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = F.relu(self.conv2(z))
        z = z + self.shortcut(x)
        return F.relu(self.norm2(z))

# %% wrong: x enters the branch after a ReLU
# told: Is there a ReLU too many
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
        z = F.relu(self.norm1(self.conv1(F.relu(x))))
        z = self.norm2(self.conv2(z))
        return F.relu(self.shortcut(x) + z)

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

# %% sly: strides above 2 take no skip
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(self.shortcut(x) + z if self.conv1.stride[0] < 3 else z)

# %% right: sums and ReLUs in place on the branch of its own
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
        z = self.norm1(self.conv1(x)).relu_()
        z = self.norm2(self.conv2(z))
        z += self.shortcut(x)
        return z.relu_()

# %% wrong: the shortcut subtracted
# told: Is the shortcut subtracted
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(z - self.shortcut(x))

# %% wrong: norm2 stands on the shortcut, too
# told: does a layer of the branch stand on it as well
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(self.norm2(self.shortcut(x)) + z)

# %% wrong: a ReLU on both sides of norm2
# told: is there a ReLU on both sides of norm2
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
        z = F.relu(self.norm1(self.conv1(x)))
        z = F.relu(self.norm2(F.relu(self.conv2(z))))
        return F.relu(self.shortcut(x) + z)
