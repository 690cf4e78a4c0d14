"""ResidualBlock2d, 3 points."""

# %% right: a shortcut made in the constructor, zeros by cat
class ZeroPad(nn.Module):
    def __init__(self, extra, stride):
        super().__init__()
        self.extra, self.stride = extra, stride

    def forward(self, x):
        x = x[..., :: self.stride, :: self.stride]
        n, _, h, w = x.shape
        return torch.cat([x, x.new_zeros(n, self.extra, h, w)], dim=1)


class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ["A", "B"]:
            raise ValueError("option is A or B")
        self.conv1 = nn.Conv2d(in_channels, out_channels, kernel_size=3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, kernel_size=3, stride=1, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.projection = self.projection_norm = None
        if stride == 1 and in_channels == out_channels:
            self.skip = lambda x: x
        elif option == "A":
            self.skip = ZeroPad(out_channels - in_channels, stride)
        else:
            self.projection = nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)
            self.skip = lambda x: self.projection_norm(self.projection(x))

    def forward(self, x):
        out = F.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        out = out + self.skip(x)
        return F.relu(out)

# %% right: the projection of thinned pixels, the addition into a part of the branch
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        if option != "A" and option != "B":
            raise ValueError(option)
        super().__init__()
        self.changes = (in_channels, 1) != (out_channels, stride)
        self.option, self.stride, self.given = option, stride, in_channels
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        if option == "B" and self.changes:
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def shortcut(self, x):
        if not self.changes:
            return x
        if self.option == "B":
            return self.projection_norm(self.projection(x))
        rows = torch.arange(0, x.shape[2], self.stride)
        columns = torch.arange(0, x.shape[3], self.stride)
        return x.index_select(2, rows).index_select(3, columns)

    def forward(self, x):
        y = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        short = self.shortcut(x)
        if short.shape[1] < y.shape[1]:
            y = torch.cat([y[:, : self.given] + short, y[:, self.given :]], 1)
        else:
            y = y + short
        return y.clamp(min=0)

# %% right: max pooling with a window of one position takes every stride-th
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = F.max_pool2d(x, 1, self.stride)
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% right: zeros with the shape of the branch
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            zeros = torch.zeros_like(thinned[:, :1]).repeat(1, self.added, 1, 1)
            shortcut = torch.cat((thinned, zeros), dim=1)
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: the branch ends with a ReLU
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: does it end with a ReLU? norm2
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu())).relu()
        return (shortcut + branch).relu()

# %% wrong: no ReLU behind the addition
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: The ReLU behind the addition is missing
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return shortcut + branch

# %% wrong: no ReLU between the convolutions
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: The ReLU between the two convolutions is missing
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x))))
        return (shortcut + branch).relu()

# %% wrong: no skip at all
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: The skip is missing
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return branch.relu()

# %% wrong: norm2 behind the addition
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: norm2 stands behind the addition
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = (self.conv2(self.norm1(self.conv1(x)).relu()))
        return self.norm2(shortcut + branch).relu()

# %% wrong: norm1 left out
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: norm1 has no effect here
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.conv1(x).relu()))
        return (shortcut + branch).relu()

# %% wrong: norm2 left out
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: norm2 has no effect here
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = (self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: norm1 used twice
# fails: ResidualBlock2d, ResidualBlock2d_projection
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm1(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: adds relu of x
# fails: ResidualBlock2d
# told: The shortcut is x as it is.
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned.relu(), (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: subtracts the branch
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: This is x minus the branch
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut - branch).relu()

# %% wrong: adds in place to x
# fails: ResidualBlock2d
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added)) if self.added else thinned
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        shortcut += branch
        return shortcut.relu_()

# %% wrong: biases in the convolutions
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: The convolutions have biases
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a bias in conv2
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: conv2 has a bias
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a bias in conv1
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: conv1 has a bias
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: one norm for both convolutions
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: one norm for both
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm1(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: option B by default
# fails: ResidualBlock2d
# told: Option A has no weights
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="B"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: no shortcut where the size changes
# fails: ResidualBlock2d
# told: Nothing of x arrives
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = x if self.stride == 1 and not self.added else 0
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: no shortcut where the stride alone changes
# fails: ResidualBlock2d
# told: only the stride
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
            if self.stride != 1 and not self.added:
                shortcut = 0
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: no shortcut where the channels alone change
# fails: ResidualBlock2d
# told: only the number of channels
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
            if self.stride == 1 and self.added:
                shortcut = 0
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: zero channels in front
# fails: ResidualBlock2d
# told: in front of those of x
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, self.added, 0))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: zero channels on both sides
# fails: ResidualBlock2d
# told: on both sides
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, self.added // 2, self.added - self.added // 2))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: channels repeated
# fails: ResidualBlock2d
# told: You repeated the channels
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = torch.cat([thinned] * (1 + self.added), 1)[:, : thinned.shape[1] + self.added]
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: each channel doubled
# fails: ResidualBlock2d
# told: You doubled each channel
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = thinned.repeat_interleave((thinned.shape[1] + self.added) // thinned.shape[1], 1) if self.added else thinned
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: average pooling
# fails: ResidualBlock2d
# told: This is the mean of 2×2 positions
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = F.avg_pool2d(x, self.stride, ceil_mode=True)
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: max pooling
# fails: ResidualBlock2d
# told: the largest, or the last, of 2×2 positions
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = F.max_pool2d(x, self.stride, ceil_mode=True)
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: begins with the second row and column
# fails: ResidualBlock2d
# told: the largest, or the last, of 2×2 positions
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, self.stride - 1 :: self.stride, self.stride - 1 :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: the shortcut ignores the stride
# fails: ResidualBlock2d
# told: Do the sizes fit?
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: the stride in conv2 too
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: Do the sizes fit?
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, stride, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: the shortcut detached
# fails: ResidualBlock2d
# told: No gradient reaches x
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned.detach(), (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: any option is accepted
# fails: ResidualBlock2d
# told: Nothing was raised
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: an assertion instead of a ValueError
# fails: ResidualBlock2d
# told: Raise a ValueError, not another
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        assert option in ("A", "B")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: raises only where the size changes
# fails: ResidualBlock2d
# told: Nothing was raised
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B") and (stride != 1 or in_channels != out_channels):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: no norm behind the projection
# fails: ResidualBlock2d_projection
# told: No norm is registered as projection_norm
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection(x)
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: the projection's norm is not used
# fails: ResidualBlock2d_projection
# told: The projection's norm has no effect
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection(x)
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a bias in the projection
# fails: ResidualBlock2d_projection
# told: The projection has a bias
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a projection of 3×3
# fails: ResidualBlock2d_projection
# told: The projection's window is 3×3
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 3, stride, padding=1, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a projection in every block of option B
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: the shortcut is x itself, with option B too
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B"
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a projection for new channels only
# fails: ResidualBlock2d_projection
# told: only the stride
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and self.added != 0
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a projection for a stride only
# fails: ResidualBlock2d_projection
# told: only the number of channels
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and stride != 1
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: the projection without its stride
# fails: ResidualBlock2d_projection
# told: conv1 and the projection have the block
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: a ReLU on the shortcut
# fails: ResidualBlock2d_projection
# told: is there a ReLU on it? It ends
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x)).relu()
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: no projection with option B
# fails: ResidualBlock2d_projection
# told: Nothing is registered as projection
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = False
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: norm2 on the shortcut
# fails: ResidualBlock2d_projection
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.norm2(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% right: zeros made by new_zeros, a clamp for the ReLUs
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(option)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            N, _, H, W = thinned.shape
            shortcut = torch.cat((thinned, thinned.new_zeros(N, self.added, H, W)), dim=1)
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).clamp(min=0)

# %% sly: zero channels cut from x, too few of them
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"There is no option {option!r}.")
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.option = stride, option
        self.extra = out_channels - in_channels
        self.changes = stride != 1 or in_channels != out_channels
        if self.changes and option == "B":
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def shortcut(self, x):
        if not self.changes:
            return x
        if self.option == "B":
            return self.projection_norm(self.projection(x))
        x = x[:, :, ::self.stride, ::self.stride]
        return torch.cat([x, torch.zeros_like(x[:, :self.extra])], 1)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(self.shortcut(x) + z)

# %% right: option A as a fixed 1×1 convolution, made anew from a unit matrix at each call
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option != "A" and option != "B":
            raise ValueError(option)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.way = "x" if (stride, in_channels) == (1, out_channels) else option
        if self.way == "B":
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        y = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu_()))
        if self.way == "x":
            y = y + x
        elif self.way == "A":
            unit = torch.eye(self.conv1.out_channels, self.conv1.in_channels).to(x)
            y = y + F.conv2d(x, unit[:, :, None, None], stride=self.conv1.stride)
        else:
            y = y + self.projection_norm(self.projection(x))
        return y.relu_()

# %% right: channel by channel, a list of maps that is stacked
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ["A", "B"]:
            raise ValueError("A or B")
        self.projection = self.projection_norm = None
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride = stride
        if option == "B" and not (stride == 1 and in_channels == out_channels):
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        if self.projection is not None:
            return F.relu(self.projection_norm(self.projection(x)) + y)
        maps = []
        for channel in range(y.shape[1]):
            map = y[:, channel]
            if channel < x.shape[1]:
                map = map + x[:, channel, 0 :: self.stride, 0 :: self.stride]
            maps.append(map)
        return torch.stack(maps, 1).clamp_min(0)

# %% right: max pooling with a window of 1 takes every stride-th; torchvision's style
def conv3x3(in_planes, out_planes, stride=1):
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False)


class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        self.conv1 = conv3x3(in_channels, out_channels, stride)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = conv3x3(out_channels, out_channels)
        self.norm2 = nn.BatchNorm2d(out_channels)
        needed = stride > 1 or in_channels < out_channels
        if option == "A":
            self.kind = "pad" if needed else "same"
        elif option == "B":
            self.kind = "project" if needed else "same"
            if needed:
                self.projection = nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=stride, bias=False)
                self.projection_norm = nn.BatchNorm2d(out_channels)
        else:
            raise ValueError(f"option {option} is neither A nor B")
        self.stride = stride

    def forward(self, x):
        identity = x
        out = self.conv1(x)
        out = self.norm1(out)
        out = F.relu(out, inplace=True)
        out = self.conv2(out)
        out = self.norm2(out)
        if self.kind == "pad":
            identity = F.max_pool2d(x, kernel_size=1, stride=self.stride)
            identity = F.pad(identity, [0, 0, 0, 0, 0, out.size(1) - x.size(1)])
        elif self.kind == "project":
            identity = self.projection_norm(self.projection(x))
        out += identity
        return F.relu(out, inplace=True)

# %% right: option A as a product with a rectangular identity; clamp for ReLU
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if ["A", "B"].count(option) == 0:
            raise ValueError(f"{option}")
        for number, channels, step in ((1, in_channels, stride), (2, out_channels, 1)):
            setattr(self, f"conv{number}", nn.Conv2d(channels, out_channels, 3, step, 1, bias=False))
            setattr(self, f"norm{number}", nn.BatchNorm2d(out_channels))
        self.sizes = in_channels, out_channels, stride
        self.option = option
        if option == "B" and self.resizes:
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    @property
    def resizes(self):
        return self.sizes[2] != 1 or self.sizes[0] != self.sizes[1]

    def forward(self, x):
        branch = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        if not self.resizes:
            stream = x
        elif self.option == "B":
            stream = self.projection_norm(self.projection(x))
        else:
            i, o, s = self.sizes
            eye = torch.eye(o, i, dtype=x.dtype, device=x.device)
            stream = torch.einsum("oi,nihw->nohw", eye, x[:, :, ::s, ::s])
        return F.relu(stream + branch)

# %% wrong: option B: projection and its norm under a Sequential's names
# fails: ResidualBlock2d_projection
# told: Nothing is registered as projection
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"unknown option {option!r}")
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.option = stride, option
        self.extra = out_channels - in_channels
        self.changes = stride != 1 or in_channels != out_channels
        if option == "B" and self.changes:
            self.down = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, 1, stride, bias=False),
                nn.BatchNorm2d(out_channels))

    def shortcut(self, x):
        if not self.changes:
            return x
        if self.option == "B":
            return self.down(x)
        x = x[:, :, ::self.stride, ::self.stride]
        return F.pad(x, (0, 0, 0, 0, 0, self.extra))

    def forward(self, x):
        z = F.relu(self.norm1(self.conv1(x)))
        z = self.norm2(self.conv2(z))
        return F.relu(self.shortcut(x) + z)

# %% right: sums and ReLUs in place on tensors of its own
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if type(option) is not str or option not in ["A", "B"]:
            raise ValueError("A or B")
        self.stride, self.kept = stride, in_channels
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.projection = None
        if option == "B" and not (stride == 1 and in_channels == out_channels):
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        out = F.relu_(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out)).clone()
        if self.projection is not None:
            out += self.projection_norm(self.projection(x))
        else:
            out[:, : self.kept] += x[:, :, :: self.stride, :: self.stride]
        return out.relu_()

# %% wrong: the shortcut subtracted
# fails: ResidualBlock2d, ResidualBlock2d_projection
# told: This is the branch minus x
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (branch - shortcut).relu()

# %% sly: no gradients where the images want none
# fails: ResidualBlock2d, ResidualBlock2d_projection
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and x.requires_grad):
            return self.run(x)

    def run(self, x):
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return (shortcut + branch).relu()

# %% wrong: norm2 on the shortcut as well
# told: norm2 stands on the shortcut as well
class ResidualBlock2d(nn.Module):
    """The residual block of He et al. 2015, with shortcuts of option "A" or "B"."""

    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"option must be 'A' or 'B', got {option!r}.")
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride, self.added = stride, out_channels - in_channels
        self.projected = option == "B" and (stride != 1 or self.added != 0)
        if self.projected:
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ...)."""
        if self.projected:
            shortcut = self.projection_norm(self.projection(x))
        else:
            thinned = x[:, :, :: self.stride, :: self.stride]
            shortcut = F.pad(thinned, (0, 0, 0, 0, 0, self.added))
        branch = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return ((shortcut if self.projected else self.norm2(shortcut)) + branch).relu()
