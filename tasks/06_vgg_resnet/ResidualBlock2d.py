"""ResidualBlock2d, 3 points: the residual block, with x itself or option A as its shortcut."""
import torch

task = Task("ResidualBlock2d")
m = task.module(starts=False, leads=((3,), (1,)))
m.build(3, 3, takes=(3, 5, 4))
m.build(2, 7, stride=2, takes=(2, 5, 4))
m.build(3, 3, option="B", takes=(3, 5, 4))
m.build(2, 4, 1, takes=(2, 5, 4))
m.build(3, 4, 3, takes=(3, 5, 4))
X, PIXELS = [[[[0.5, -2.], [3., 4.]]]], [[[[1., 2.], [3., 4.]], [[5., 6.], [7., 8.]]]]


def with_weights(block, conv1=0., conv2=0., **others):
    """Convolutions that look at the middle alone; what else is named is filled with that number."""
    with torch.no_grad():
        for conv, value in ((block.conv1, conv1), (block.conv2, conv2)):
            conv.weight.zero_()
            conv.weight[:, :, 1, 1] = value
        for name, value in others.items():
            block.get_parameter(name.replace("_at_", ".")).fill_(value)
    return block.eval()


def one_channel(block):
    """The branch is 4 relu(-x) / 2 - 1, so -1 where x is positive and 3 where it is -2."""
    return with_weights(block(1, 1), conv1=1., conv2=4., norm1_at_weight=-1., norm2_at_weight=.5, norm2_at_bias=-1.)


m.state("names and shapes where nothing changes", 5, 5)
m.state("option A has no weights of its own", 2, 4, 2)


@task.probe("relu(x + branch), the branch being -1, 3, -1, -1", tolerance=1e-3, shown=f"ResidualBlock2d(1, 1).eval()(tensor({X}))")
def _(ResidualBlock2d):
    return one_channel(ResidualBlock2d)(torch.tensor(X))


@task.probe("x is left as it was", shown=f"ResidualBlock2d(1, 1).eval()(x), x = tensor({X})", otherwise="You changed x in place: work on a new tensor.")
def _(ResidualBlock2d):
    x = torch.tensor(X)
    one_channel(ResidualBlock2d)(x)
    return x


def zero_branch(label, *sizes):
    @task.probe(label, tolerance=1e-3, shown=f"ResidualBlock2d({', '.join(map(str, sizes))}), with a branch of zeros, on tensor({PIXELS})")
    def _(ResidualBlock2d):
        return with_weights(ResidualBlock2d(*sizes))(torch.tensor(PIXELS))


zero_branch("option A: every second row and column, zero channels behind", 2, 4, 2)
zero_branch("option A: the stride alone", 2, 2, 2)
zero_branch("option A: the channels alone", 2, 3)


@task.probe("gradients flow through the shortcut", shown=f"of the sum of ResidualBlock2d(2, 4, 2), with a branch of zeros, by x = tensor({PIXELS})")
def _(ResidualBlock2d):
    x = torch.tensor(PIXELS, requires_grad=True)
    with_weights(ResidualBlock2d(2, 4, 2))(x).sum().backward()
    return x.grad


@task.probe("any other option is a ValueError, whatever the sizes", shown="ResidualBlock2d(2, 2, 1, option) and ResidualBlock2d(2, 4, 2, option)")
def _(ResidualBlock2d):
    return {f"{option!r}, {wide} channels": raises(ResidualBlock2d, 2, wide, wide // 2, option) for option in ("C", "b", "AB", "") for wide in (2, 4)}


@task.probe("all of it learns, from images that need no gradient themselves", shown="the parameters of ResidualBlock2d(2, 4, 2) that have no gradient after backward()")
def _(ResidualBlock2d):
    block = ResidualBlock2d(2, 4, 2)
    block(sample(4, 2, 7, 6, seed=80)).square().sum().backward()
    return [name for name, weight in block.named_parameters() if weight.grad is None or not weight.grad.any()]


# %% mistakes
R1, BRANCH = "self.norm1(self.conv1(x)).relu()", "self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))"
OUT = "(shortcut + branch).relu()"
mistake("The convolutions have biases. A norm follows each of them: bias=False.", {"padding=1, bias=False": "padding=1"})
mistake("conv1 has a bias. A norm follows: bias=False.", {"3, stride, padding=1, bias=False": "3, stride, padding=1"})
mistake("conv2 has a bias. A norm follows: bias=False.", {"3, padding=1, bias=False": "3, padding=1"})
mistake("Nothing of norm2 is registered. Is there one norm for both convolutions? Each has its own: norm1 and norm2.",
        {"        self.norm2 = nn.BatchNorm2d(out_channels)\n": "", "self.norm2": "self.norm1"})
mistake("norm2 is norm1 under another name. Each convolution has its own norm.", {"self.norm2 = nn.BatchNorm2d(out_channels)": "self.norm2 = self.norm1"})
mistake("norm1 stands behind both convolutions. norm2 belongs behind the second.", {"self.norm2(self.conv2": "self.norm1(self.conv2"})
mistake("Option A has no weights, and without an argument the option is A: no projection here.", {'option="A"': 'option="B"'})
mistake("Where nothing changes its size the shortcut is x itself, with option B too: make no projection there.", {'option == "B" and (stride != 1 or self.added != 0)': 'option == "B"'})
mistake("The weights do not learn from images that need no gradient themselves: use no no_grad.", {"        return (shortcut + branch).relu()": "        return ((shortcut + branch) if x.requires_grad else (shortcut + branch).detach()).relu()"})
mistake("The branch only adds to the stream, its -1 is lost: does it end with a ReLU? norm2 is its last step.", {BRANCH: BRANCH + ".relu()"})
mistake("The ReLU behind the addition is missing, or its result is not used.", returns="shortcut + branch")
between = "The ReLU between the two convolutions is missing, its result is not used, or norm2 stands on the shortcut as well."
mistake(between, {R1: "self.norm1(self.conv1(x))"})
mistake(between, {"        branch =": "        shortcut = self.norm2(shortcut)\n        branch ="})
mistake("The skip is missing here: add the shortcut.", returns="branch.relu()")
mistake("Either norm2 stands behind the addition, or x is scaled. norm2 belongs to the branch, and the shortcut is x as it is.",
        {BRANCH: f"self.conv2({R1})"}, returns="self.norm2(shortcut + branch).relu()")
mistake("norm1 has no effect here.", {R1: "self.conv1(x).relu()"})
mistake("norm2 has no effect here.", {BRANCH: f"self.conv2({R1})"})
three = "At -2 the branch should be 3. Is there a ReLU before conv1, has conv2 no effect, or is a window not 3×3?"
mistake(three, {"self.conv1(x)": "self.conv1(x.relu())"})
mistake(three, {BRANCH: f"self.norm2({R1})"})
mistake("The branch makes no pixel larger: is it left out, or does norm1 stand where norm2 should?", returns="shortcut.relu()")
mistake("This is relu(x) plus the branch. The shortcut is x as it is.", returns="(shortcut.relu() + branch).relu()")
mistake("This is x minus the branch. Add it.", returns="(shortcut - branch).relu()")
mistake("This is the branch minus x. Add them.", returns="(branch - shortcut).relu()")
mistake("You changed x in place: add to a new tensor.", {"        branch =": "        if shortcut.shape == x.shape:\n            shortcut = x\n        branch ="},
        returns="shortcut.add_(branch).relu_()")
fits = ("A RuntimeError. Do the sizes fit? conv1 has the stride, conv2 has stride 1, each norm sees out_channels, and the shortcut becomes as small and as wide as "
        "the branch.")
mistake(fits, {"x[:, :, :: self.stride, :: self.stride]": "x"})
mistake(fits, {"out_channels, 3, padding=1": "out_channels, 3, stride, padding=1"})
mistake(fits, {"self.norm1 = nn.BatchNorm2d(out_channels)": "self.norm1 = nn.BatchNorm2d(in_channels)"})
PAD, SAME = "F.pad(thinned, (0, 0, 0, 0, 0, self.added))", "        branch ="
mistake("Nothing of x arrives where the size changes (or it is subtracted): add the shortcut there too.",
        {PAD: PAD + " * (1 if self.added == 0 and self.stride == 1 else 0)"})
mistake("Nothing of x arrives where the size changes (or it is subtracted): add the shortcut there too.",
        {PAD: PAD + " * (1 if self.added == 0 and self.stride == 1 else -1)"})
mistake("Nothing of x arrives where only the stride changes the size: add the shortcut there too.", {PAD: PAD + " * (1 if self.added or self.stride == 1 else 0)"})
mistake("Nothing of x arrives where only the number of channels changes: add the shortcut there too.", {PAD: PAD + " * (0 if self.added and self.stride == 1 else 1)"})
mistake("The zero channels stand in front of those of x. They come behind.", {PAD: "F.pad(thinned, (0, 0, 0, 0, self.added, 0))"})
mistake("The zero channels stand on both sides of those of x. They come behind.", {PAD: "F.pad(thinned, (0, 0, 0, 0, self.added // 2, self.added - self.added // 2))"})
mistake("You repeated the channels of x. The new ones are zero.", {PAD: "thinned.repeat(1, 9, 1, 1)[:, : thinned.shape[1] + self.added]"})
mistake("You doubled each channel of x. The new ones are zero, and come behind.",
        {PAD: "thinned.repeat_interleave(9 if self.added > 9 else 2, 1)[:, : thinned.shape[1] + self.added] if self.added <= thinned.shape[1] and self.added else " + PAD})
mistake("There are too few zero channels: is their number that of x's channels? It is out_channels - in_channels.", {PAD: "torch.cat([thinned, 0 * thinned[:, : self.added]], 1) if self.added else thinned"})
mistake("This is the mean of 2×2 positions. Take every second one, beginning with the first.",
        {"x[:, :, :: self.stride, :: self.stride]": "F.avg_pool2d(x, self.stride, ceil_mode=True)"})
largest = "This is the largest, or the last, of 2×2 positions. Take every second row and column, beginning with the first."
mistake(largest, {"x[:, :, :: self.stride, :: self.stride]": "F.max_pool2d(x, self.stride, ceil_mode=True)"})
mistake(largest, {"x[:, :, :: self.stride, :: self.stride]": "(x[:, :, 1 :: self.stride, 1 :: self.stride] if x.shape[2] % 2 == 0 and self.stride > 1 else x[:, :, :: self.stride, :: self.stride])"})
mistake("No gradient reaches x through the shortcut: is it cut off (detach, data, no_grad), or not added?", {PAD: "F.pad(thinned.detach(), (0, 0, 0, 0, 0, self.added))"})
mistake("No gradient reaches x at all: is it cut off (detach, data, no_grad, a new tensor made of x)?", {"        if self.projected": "        x = x.detach()\n        if self.projected"})
raised = "Nothing was raised when the block was made: any option but A and B is a ValueError, also where no shortcut is needed."
mistake(raised, {'option not in ("A", "B")': "False"})
mistake(raised, {'option not in ("A", "B")': 'option not in ("A", "B") and (stride != 1 or in_channels != out_channels)'})
mistake('Only "A" and "B" are options: "b", "AB" and "" are none.', {'option not in ("A", "B")': 'option not in "AB"'})
mistake('Only "A" and "B" are options: "b", "AB" and "" are none.', {'option not in ("A", "B")': 'option.upper() not in ("A", "B")'})
mistake("Raise a ValueError, not another error.", {"raise ValueError": "raise AssertionError"})

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

# %% right: ARENA
class ResidualBlock2d(nn.Module):
    def __init__(
        self, in_channels: int, out_channels: int, stride: int = 1, option: str = "A"
    ):
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"Expected option 'A' or 'B', got {option}")
        self.in_channels, self.out_channels, self.stride = in_channels, out_channels, stride
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.is_downsampling = (stride != 1) or (in_channels != out_channels)
        self.option = option
        if self.is_downsampling and option == "B":
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        left = self.norm1(self.conv1(x)).relu()
        left = self.norm2(self.conv2(left))
        if not self.is_downsampling:
            right = x
        elif self.option == "B":
            right = self.projection_norm(self.projection(x))
        else:
            right = torch.zeros_like(left)
            right[:, : self.in_channels] = x[:, :, :: self.stride, :: self.stride]
        assert left.shape == right.shape
        return (left + right).relu()

# %% right: CS231n
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option != "A" and option != "B":
            raise ValueError('Invalid option "%s"' % option)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.stride = stride
        self.extra = out_channels - in_channels
        self.use_projection = option == "B" and (stride > 1 or self.extra > 0)
        if self.use_projection:
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        out = F.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        if self.use_projection:
            shortcut = self.projection_norm(self.projection(x))
        else:
            shortcut = x[:, :, :: self.stride, :: self.stride]
            N, C, H, W = shortcut.shape
            zeros = torch.zeros((N, self.extra, H, W))
            shortcut = torch.cat((shortcut, zeros), dim=1)
        return F.relu(out + shortcut)

# %% right: makemore
class ResidualBlock2d(nn.Module):
    def __init__(self, nin, nout, stride=1, option="A"):
        super().__init__()
        if option not in ["A", "B"]: raise ValueError(option)
        self.nin, self.nout, self.stride = nin, nout, stride
        self.conv1 = nn.Conv2d(nin, nout, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(nout)
        self.conv2 = nn.Conv2d(nout, nout, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(nout)
        if option == "B" and (stride != 1 or nin != nout):
            self.projection = nn.Conv2d(nin, nout, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(nout)

    def forward(self, x):
        hpreact = self.norm1(self.conv1(x))
        hpreact = self.norm2(self.conv2(F.relu(hpreact)))
        if hasattr(self, "projection"):
            x = self.projection_norm(self.projection(x))
        elif self.stride != 1 or self.nin != self.nout:
            x = F.pad(x[..., ::self.stride, ::self.stride], (0, 0, 0, 0, 0, self.nout - self.nin))
        return F.relu(x + hpreact)

# %% right: torch source
def conv3x3(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_planes, out_planes, 3, stride, padding=1, bias=False)


class ResidualBlock2d(nn.Module):
    def __init__(
        self, in_channels: int, out_channels: int, stride: int = 1, option: str = "A"
    ) -> None:
        super().__init__()
        if option not in ("A", "B"):
            raise ValueError(f"ResidualBlock2d only supports options 'A' and 'B', not {option}")
        norm_layer = nn.BatchNorm2d
        # Both self.conv1 and the shortcut downsample the input when stride != 1
        self.conv1 = conv3x3(in_channels, out_channels, stride)
        self.norm1 = norm_layer(out_channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(out_channels, out_channels)
        self.norm2 = norm_layer(out_channels)
        self.stride = stride
        self.register_buffer(
            "zeros", torch.zeros(1, out_channels - in_channels, 1, 1), persistent=False
        )
        if option == "B" and (stride != 1 or in_channels != out_channels):
            self.projection = nn.Conv2d(
                in_channels, out_channels, kernel_size=1, stride=stride, bias=False
            )
            self.projection_norm = norm_layer(out_channels)
        else:
            self.projection = None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.conv1(x)
        out = self.norm1(out)
        out = self.relu(out)
        out = self.conv2(out)
        out = self.norm2(out)
        if self.projection is not None:
            identity = self.projection_norm(self.projection(x))
        else:
            identity = x[:, :, :: self.stride, :: self.stride]
            zeros = self.zeros.expand(identity.size(0), -1, *identity.shape[2:])
            identity = torch.cat([identity, zeros], 1)
        out += identity
        return self.relu(out)

# %% right: numpy first
import numpy as np


class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if str(option) not in ("A", "B"):
            raise ValueError("option must be 'A' or 'B'")
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.step = stride
        changes = stride != 1 or in_channels != out_channels
        if option == "B" and changes:
            self.projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.projection_norm = nn.BatchNorm2d(out_channels)
        # option A as a matrix of zeros and ones, channels in to channels out
        self.place = torch.from_numpy(np.eye(in_channels, out_channels, dtype=np.float32))

    def forward(self, x):
        y = self.norm2(self.conv2(torch.maximum(self.norm1(self.conv1(x)), torch.tensor(0.0))))
        if "projection" in dict(self.named_children()):
            shortcut = self.projection_norm(self.projection(x))
        else:
            thin = x[:, :, :: self.step, :: self.step]
            shortcut = torch.moveaxis(torch.tensordot(thin, self.place, dims=([1], [0])), -1, 1)
        return torch.maximum(shortcut + y, torch.tensor(0.0))

# %% right: plain loops
class ResidualBlock2d(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1, option="A"):
        super().__init__()
        if option == "A" or option == "B":
            self.option = option
        else:
            raise ValueError("option has to be A or B")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.stride = stride
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, 3, stride=stride, padding=1, bias=False
        )
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.changes = False
        if stride != 1:
            self.changes = True
        if in_channels != out_channels:
            self.changes = True
        if self.changes and option == "B":
            self.projection = nn.Conv2d(
                in_channels, out_channels, 1, stride=stride, bias=False
            )
            self.projection_norm = nn.BatchNorm2d(out_channels)

    def option_a(self, x):
        N, C, H, W = x.shape
        images = []
        for n in range(N):
            maps = []
            for c in range(self.out_channels):
                rows = []
                for h in range(0, H, self.stride):
                    row = []
                    for w in range(0, W, self.stride):
                        if c < C:
                            row.append(x[n, c, h, w])
                        else:
                            row.append(torch.tensor(0.0))
                    rows.append(torch.stack(row))
                maps.append(torch.stack(rows))
            images.append(torch.stack(maps))
        return torch.stack(images)

    def forward(self, x):
        y = self.conv1(x)
        y = self.norm1(y)
        y = torch.relu(y)
        y = self.conv2(y)
        y = self.norm2(y)
        if not self.changes:
            s = x
        elif self.option == "B":
            s = self.projection(x)
            s = self.projection_norm(s)
        else:
            s = self.option_a(x)
        return torch.relu(s + y)
