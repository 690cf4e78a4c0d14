"""conv_block, 2 points: convolution, norm, ReLU."""
task = Task("conv_block")
m = task.module(starts=False, gradient=False, leads=((3,), (1,)), skip=("effects", "double", "copies"))
m.build(3, 4, takes=(3, 5, 4))
m.build(2, 6, stride=2, takes=(2, 5, 4))
m.build(4, 4, stride=3, takes=(4, 7, 5))


@task.probe("three layers, in this order", shown="[type(layer).__name__ for layer in conv_block(2, 5)]")
def _(conv_block):
    return [type(layer).__name__ for layer in conv_block(2, 5)]


m.state("names and shapes of what is saved, and what learns", 2, 5)


def size(label, *given):
    @task.probe(label, shown=f"conv_block({', '.join(map(str, given))})(torch.ones(2, 2, 7, 6)).shape")
    def _(conv_block):
        return list(conv_block(*given)(sample(2, 2, 7, 6, seed=10)).shape)


size("a stride of 1 keeps 7×6", 2, 5)
size("a stride of 2 makes it 4×3", 2, 5, 2)
norm = {"1.weight": [1.], "1.bias": [-5.], "1.running_mean": [0.], "1.running_var": [1.], "1.num_batches_tracked": 1}
# on an image of ones the nine weights meet 4 ones in a corner, 6 at an edge, 9 inside
m.look("in eval mode: 4, 6 or 9 ones, minus 5, and a ReLU", 1, 1, state={"0.weight": [[[[1.] * 3] * 3]], **norm}, x=[[[[1.] * 3] * 3]], evaluate=True)


@task.probe("each call makes a new block, in training mode", shown="(block := conv_block(1, 1)) is conv_block(1, 1), block.training")
def _(conv_block):
    block = conv_block(1, 1)
    return {"the same block": block is conv_block(1, 1), "training": block.training}


# %% mistakes
C, N = "nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)", "nn.BatchNorm2d(out_channels)"
mistake("The norm goes between convolution and ReLU.", returns=f"nn.Sequential(conv, nn.ReLU(), {N})")
mistake("The norm comes behind the convolution, not before it.", returns="nn.Sequential(nn.BatchNorm2d(in_channels), conv, nn.ReLU())")
mistake("That is the order of a later paper (norm, ReLU, convolution). The convolution comes first here.",
        returns="nn.Sequential(nn.BatchNorm2d(in_channels), nn.ReLU(), conv)")
mistake("The norm is missing.", returns="nn.Sequential(conv, nn.ReLU())")
mistake("The ReLU is missing.", returns=f"nn.Sequential(conv, {N})")
mistake("This is another function than ReLU.", returns=f"nn.Sequential(conv, {N}, nn.LeakyReLU())")
fits = ("It cannot be computed. Is it an nn.Sequential? Do the sizes fit: the convolution makes out_channels of in_channels, and the norm sees what "
        "comes out of it? Are the weights float32?")
mistake(fits, returns="nn.Sequential(conv, nn.BatchNorm2d(in_channels), nn.ReLU())")
mistake(fits, conv="nn.Conv2d(out_channels, in_channels, 3, stride, padding=1, bias=False)")
mistake(fits, returns=f"nn.Sequential(conv, {N}, nn.ReLU()).double()")
mistake(fits, returns=f"[conv, {N}, nn.ReLU()]")
mistake("The convolution has a bias. Batch norm subtracts it again: say bias=False.", {", bias=False": ""})
mistake("The window is 1×1. It has to be 3×3.", conv="nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)")
mistake("The window is 5×5. It has to be 3×3.", conv="nn.Conv2d(in_channels, out_channels, 5, stride, padding=2, bias=False)")
mistake("The norm has no weight and bias (affine=False). Leave them in.", {N: "nn.BatchNorm2d(out_channels, affine=False)"})
mistake("Each channel sees its own alone: leave groups as it is.", {"bias=False": "bias=False, groups=in_channels if out_channels % in_channels == 0 else 1"})
few = "Too few positions: is the border of zeros missing (padding=1, whatever the stride), the window dilated, or the stride too large?"
mistake(few, {", padding=1": ""})
mistake(few, {"padding=1": "padding=1, dilation=2"})
mistake("The border is too wide: padding=1.", {"padding=1": "padding=2"})
mistake("The stride has no effect: hand it to the convolution.", {"3, stride": "3"})
mistake("A stride of 2 was used: without an argument it is 1.", {"stride=1": "stride=2"})
mistake("The border does not hold zeros: leave padding_mode as it is.", {"padding=1": "padding=1, padding_mode='replicate'"})
mistake("You handed out the same block twice: make a new one in each call.", f"""
import functools


@functools.lru_cache(maxsize=None)
def conv_block(in_channels, out_channels, stride=1):
    return nn.Sequential({C}, {N}, nn.ReLU())
""")
mistake("You left the block in eval mode.", returns=f"nn.Sequential(conv, {N}, nn.ReLU()).eval()")

# %% right: keyword arguments, appended to an empty Sequential
def conv_block(in_channels, out_channels, stride=1):
    block = nn.Sequential()
    block.append(nn.Conv2d(in_channels=in_channels, out_channels=out_channels, kernel_size=(3, 3),
                           stride=(stride, stride), padding=(1, 1), bias=False))
    block.append(nn.BatchNorm2d(num_features=out_channels))
    block.append(nn.ReLU())
    return block

# %% right: weights drawn anew by He's rule
def conv_block(in_channels, out_channels, stride=1):
    conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, stride=stride, padding=1, bias=False)
    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels), nn.ReLU())

# %% right: partial and lambda
from functools import partial

_conv = partial(nn.Conv2d, kernel_size=3, padding=1, bias=False)
conv_block = lambda in_channels, out_channels, stride=1: nn.Sequential(
    _conv(in_channels, out_channels, stride=stride), nn.BatchNorm2d(out_channels),
    nn.ReLU())

# %% right: layers added one by one under the names 0, 1 and 2
def conv_block(in_channels, out_channels, stride=1):
    block = nn.Sequential()
    window = {"kernel_size": 3, "stride": stride, "padding": 1, "bias": False}
    block.add_module("0", nn.Conv2d(in_channels, out_channels, **window))
    block.add_module("1", nn.BatchNorm2d(out_channels))
    block.add_module("2", nn.ReLU(inplace=True))
    return block

# %% right: ARENA
def conv_block(in_channels: int, out_channels: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(
            in_channels, out_channels, kernel_size=3, stride=stride, padding=1, bias=False
        ),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
    )

# %% right: CS231n
def conv_block(in_channels, out_channels, stride=1):
    layers = []
    layers.append(nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False))
    layers.append(nn.BatchNorm2d(out_channels))
    layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)

# %% right: makemore
def conv_block(nin, nout, stride=1):
    return nn.Sequential(nn.Conv2d(nin, nout, 3, stride, 1, bias=False), nn.BatchNorm2d(nout), nn.ReLU())

# %% right: torch source
def conv3x3(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    """3x3 convolution with padding"""
    return nn.Conv2d(
        in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False
    )


def conv_block(in_channels: int, out_channels: int, stride: int = 1) -> nn.Sequential:
    block = nn.Sequential(
        conv3x3(in_channels, out_channels, stride),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )
    for m in block.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
    return block

# %% right: numpy first
import numpy as np


def conv_block(in_channels, out_channels, stride=1):
    conv = nn.Conv2d(in_channels, out_channels, (3, 3), (stride, stride), (1, 1), bias=False)
    norm, relu = nn.BatchNorm2d(out_channels), nn.ReLU()
    return nn.Sequential(conv, norm, relu)

# %% right: plain loops
def conv_block(in_channels, out_channels, stride=1):
    conv = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
    norm = nn.BatchNorm2d(out_channels)
    relu = nn.ReLU()
    block = nn.Sequential(conv, norm, relu)
    return block
