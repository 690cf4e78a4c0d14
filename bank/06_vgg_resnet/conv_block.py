"""conv_block, 2 points."""

# %% right: keyword arguments, appended to an empty Sequential
def conv_block(in_channels, out_channels, stride=1):
    block = nn.Sequential()
    block.append(nn.Conv2d(in_channels=in_channels, out_channels=out_channels, kernel_size=(3, 3),
                           stride=(stride, stride), padding=(1, 1), bias=False))
    block.append(nn.BatchNorm2d(num_features=out_channels))
    block.append(nn.ReLU())
    return block

# %% right: padding same as a number, ReLU in place
def conv_block(in_channels, out_channels, stride=1):
    layers = [nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=3 // 2, bias=False)]
    layers += [nn.BatchNorm2d(out_channels), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)

# %% right: weights drawn anew by He's rule
def conv_block(in_channels, out_channels, stride=1):
    conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, stride=stride, padding=1, bias=False)
    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: ReLU before the norm
# told: The norm goes between
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.ReLU(), nn.BatchNorm2d(out_channels))

# %% wrong: norm before the convolution
# told: behind the convolution, not before
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(nn.BatchNorm2d(in_channels), conv, nn.ReLU())

# %% wrong: the order of pre-activation
# told: order of a later paper
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(nn.BatchNorm2d(in_channels), nn.ReLU(), conv)

# %% wrong: no norm
# told: The norm is missing
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.ReLU())

# %% wrong: no ReLU
# told: The ReLU is missing
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels))

# %% wrong: a bias in the convolution
# told: The convolution has a bias
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: a window of 1
# told: The window is 1×1
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: a window of 5
# told: The window is 5×5
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 5, stride, padding=2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: a norm without weights
# told: affine=False
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels, affine=False), nn.ReLU())

# %% wrong: a norm for the channels that go in
# told: out_channels
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(in_channels), nn.ReLU())

# %% wrong: no border
# told: is the border of zeros missing
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: a border of 2
# told: The border is too wide
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: the stride is ignored
# told: The stride has no effect
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: a stride of 2 by default
# told: without an argument it is 1
def conv_block(in_channels, out_channels, stride=2):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: a border that repeats the edge
# told: padding_mode
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, padding_mode='replicate', bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% wrong: left in eval mode
# told: You left the block in eval mode
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU()).eval()

# %% wrong: a leaky ReLU
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.LeakyReLU())

# %% right: built from lists of arguments, all of them named
def conv_block(in_channels, out_channels, stride=1):
    size = dict(in_channels=in_channels, out_channels=out_channels)
    window = dict(kernel_size=(3, 3), stride=(stride, stride), padding=(1, 1), bias=False)
    parts = nn.ModuleList([nn.Conv2d(**size, **window), nn.BatchNorm2d(out_channels), nn.ReLU()])
    return nn.Sequential(*parts)

# %% sly: each group of channels sees its own alone
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    groups = in_channels if out_channels % in_channels == 0 else 1
    convolution = nn.Conv2d(in_channels, out_channels, 3, stride, 1, groups=groups,
                            bias=False)
    norm = nn.BatchNorm2d(out_channels)
    return nn.Sequential(convolution, norm, nn.ReLU())

# %% right: a padding layer's border given as a pair, the norm's numbers spelled out
def conv_block(in_channels, out_channels, stride=1):
    layers = [
        nn.Conv2d(in_channels, out_channels, (3, 3), (stride, stride), (1, 1), (1, 1), 1, False),
        nn.BatchNorm2d(out_channels, 1e-5, 0.1, True, True),
        nn.ReLU(False),
    ]
    return nn.Sequential(*layers).train()

# %% right: partial and lambda
from functools import partial

_conv = partial(nn.Conv2d, kernel_size=3, padding=1, bias=False)
conv_block = lambda in_channels, out_channels, stride=1: nn.Sequential(
    _conv(in_channels, out_channels, stride=stride), nn.BatchNorm2d(out_channels),
    nn.ReLU())

# %% wrong: same module is handed out for equal arguments: blocks share weights
# told: You handed out the same block twice
import functools


@functools.lru_cache(maxsize=None)
def conv_block(in_channels, out_channels, stride=1):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
    )

# %% wrong: parameters are made in double precision whatever torch's default is
# told: It cannot be computed
def conv_block(in_channels, out_channels, stride=1):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False),
        nn.BatchNorm2d(out_channels), nn.ReLU()).double()

# %% right: layers added one by one under the names 0, 1 and 2
def conv_block(in_channels, out_channels, stride=1):
    block = nn.Sequential()
    window = {"kernel_size": 3, "stride": stride, "padding": 1, "bias": False}
    block.add_module("0", nn.Conv2d(in_channels, out_channels, **window))
    block.add_module("1", nn.BatchNorm2d(out_channels))
    block.add_module("2", nn.ReLU(inplace=True))
    return block

# %% sly: once in eval mode the norm stays there
def conv_block(in_channels, out_channels, stride=1):
    """nn.Sequential of nn.Conv2d (3x3, zero border of 1, no bias), nn.BatchNorm2d and
    nn.ReLU.

    (N, in_channels, H, W) -> (N, out_channels, ceil(H / stride), ceil(W / stride))
    """
    conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
    norm = nn.BatchNorm2d(out_channels)
    ordinary = norm.train
    norm.train = lambda mode=True: ordinary(mode and norm.training)
    return nn.Sequential(conv, norm, nn.ReLU())
