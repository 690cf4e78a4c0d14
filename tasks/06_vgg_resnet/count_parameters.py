"""count_parameters and multiply_adds, 2 points: what a network costs."""
import torch
from torch import nn

task = Task("count_parameters")


def net(label, text, drawn=False):
    @task.probe(label, shown=f"count_parameters({text})", drawn=drawn)
    def _(count_parameters):
        return count_parameters(eval(text))


net("54 + 3 + 3 + 6 + 2 parameters", "nn.Sequential(nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), nn.Flatten(), nn.Linear(3, 2))")
net("a layer used twice counts once", "nn.Sequential(tied := nn.Linear(2, 2), nn.ReLU(), tied)")
net("parameters of other names", "nn.MultiheadAttention(4, 2)")
net("two layers with equal numbers", "nn.Sequential(nn.LayerNorm(3), nn.LayerNorm(3))")


@task.probe("a frozen weight does not count, and stays frozen", shown="count_parameters(nn.Linear(2, 2)), whose weight is frozen")
def _(count_parameters):
    layer = nn.Linear(2, 2)
    layer.weight.requires_grad_(False)
    return {"count": count_parameters(layer), "frozen": not layer.weight.requires_grad}


@task.probe("a network of drawn widths, with a frozen bias and a shared layer", drawn=True)
def _(count_parameters):
    a, b, c = (3 + int(number) for number in sample_ids(9, 3, seed=152))
    shared, frozen = nn.Linear(a, a, bias=False), nn.Conv2d(a, b, 3)
    frozen.bias.requires_grad_(False)
    inner = nn.Sequential(nn.Linear(b, c), nn.LayerNorm(c))
    return count_parameters(nn.Sequential(frozen, nn.BatchNorm2d(b), inner, nn.Sequential(shared), shared))


def conv(label, text, height, width):
    @task.probe(label, shown=f"multiply_adds(nn.Conv2d({text}), {height}, {width})")
    def _(multiply_adds):
        return multiply_adds(eval(f"nn.Conv2d({text})"), height, width)


conv("2 channels to 3, a 3×3 window, 5×7 positions", "2, 3, 3, padding=1", 5, 7)
conv("without a border the window has 3×5 places", "2, 3, 3", 5, 7)
conv("with a stride of 2", "2, 3, 3, stride=2, padding=1", 4, 5)
conv("with two groups", "2, 4, 3, padding=1, groups=2", 4, 5)
conv("a window of 1×3, bordered at the sides alone", "2, 3, (1, 3), padding=(0, 1)", 4, 5)
conv("a stride of 1 down and 2 across", "1, 1, 1, stride=(1, 2)", 6, 5)


def drawn(number, groups, bias):
    @task.probe(f"a drawn convolution, {groups} groups", drawn=True)
    def _(multiply_adds):
        d = [int(one) for one in sample_ids(4, 9, seed=151 + number)]
        kernel, stride, padding = (1 + d[0], 2 + d[1]), (1 + d[2], 3 + d[3]), (d[4], d[5])
        return multiply_adds(nn.Conv2d(6, 6 * (1 + d[6]), kernel, stride, padding, groups=groups, bias=bias), 11 + d[7], 17 + d[8])


drawn(0, 1, False)
drawn(1, 2, True)
drawn(2, 3, False)
drawn(3, 6, True)

# %% mistakes
P, M = dict(of="count_parameters"), dict(of="multiply_adds")
mistake("You counted the buffers too: running statistics are not trained.", **P,
        returns="sum(v.numel() for v in net.parameters() if v.requires_grad) + sum(v.numel() for v in net.buffers())")
tensors = "This is the number of parameter tensors, or of modules. Count the numbers in them."
mistake(tensors, **P, returns="len(list(net.parameters()))")
mistake(tensors, **P, returns="len(list(net.modules()))")
mistake("This is the number of layers. Count the numbers in their parameters.", **P, returns="len(list(net.children()))")
mistake("The biases are parameters too.", **P, returns="sum(v.numel() for n, v in net.named_parameters() if v.requires_grad and 'bias' not in n)")
mistake("Only matrices and windows are counted, or nn.Linear is left out: norms, biases and all layers count.", **P,
        returns="sum(v.numel() for v in net.parameters() if v.requires_grad and v.dim() > 1)")
mistake("Parameters have other names than weight and bias, too: ask net.parameters() for all of them.", **P,
        returns="sum({v: v.numel() for n, v in net.named_parameters() if v.requires_grad and n.split('.')[-1] in ('weight', 'bias')}.values())")
mistake("Two layers with equal numbers are two layers: count both.", **P,
        returns="sum({(v.shape, float(v.sum())): v.numel() for v in net.parameters() if v.requires_grad}.values())")
twice = "You counted the same layer twice."
mistake(twice, **P, returns="sum(v.numel() for n, v in net.named_parameters(remove_duplicate=False) if v.requires_grad)")
mistake(twice, {"    return sum(": "    if list(net.children()):\n        return sum(map(count_parameters, net.children()))\n    return sum("})
frozen = "You counted the frozen weight: ask each parameter for its requires_grad, and leave that as it was."
mistake(frozen, **P, returns="sum(v.numel() for v in net.parameters())")
mistake(frozen, **P, returns="sum(v.numel() for v in net.requires_grad_(True).parameters())")
N = "conv.weight.numel()"
mistake("The bias was counted: its addition is none of ours.", **M, returns="positions * (conv.weight.numel() + (0 if conv.bias is None else conv.bias.numel()))")
mistake("That is the number of weights. Each is used at every position.", **M, returns=N)
mistake("That is the number of positions.", **M, returns="positions")
double = ("Twice too many: did you count each multiplication and each addition (a multiply-add is both), or the channels that go in twice (conv.weight has "
          "them already)?")
mistake(double, **M, returns="2 * positions * conv.weight.numel()")
mistake(double, **M, returns="conv.in_channels * positions * conv.weight.numel()")
three = "A factor of 3 is missing: the channels that come out (each needs its own products), or one side of the window?"
mistake(three, **M, returns="positions * conv.weight[0].numel()")
mistake(three, **M, returns="positions * conv.weight[..., 0].numel()")
mistake("A factor of 2 is missing: the channels that go in?", **M, returns="positions * conv.weight[:, 0].numel()")
mistake("A factor of 9 is missing: the window? Nine weights look at each channel.", **M, returns="positions * conv.weight[..., 0, 0].numel()")
mistake("That is 3×5 positions, as without a border. With it the window can stand at 5×7.", **M, free="length - conv.kernel_size[i]")
once = "That is 4×6 positions: is padding added once only (the border is on both sides), or the 1 at the end left out?"
mistake(once, **M, free="length + conv.padding[i] - conv.kernel_size[i]")
mistake(once, {"conv.stride[i] + 1": "conv.stride[i]"})
tall = "That is 5×5 positions. Did you take the height twice, or leave out the border at the sides? The width is 7."
mistake(tall, {"(height, width)": "(height, height)"})
mistake(tall, **M, free="length + 2 * conv.padding[i] * (i == 0) - conv.kernel_size[i]")
third = "A third is missing: the window has 3 · 3 places, not 3 + 3, and 3 channels come out, not 2."
mistake(third, **M, returns="positions * conv.weight[..., 0, 0].numel() * sum(conv.kernel_size)")
mistake(third, **M, returns="positions * conv.weight[0].numel() * conv.in_channels")
mistake("That is 7×7 positions. Did you take the width twice? The height is 5.", {"(height, width)": "(width, width)"})
mistake("Multiply positions down by positions across.", {"positions = 1": "positions = 0", "positions *=": "positions +="})
mistake("Multiply positions down by positions across.", {"positions *=": "positions +="})
mistake("The window cannot stand at the edge here: padding is 0.", {"free // conv.stride[i] + 1": "-(-length // conv.stride[i])"})
mistake("The stride has no effect here: fewer positions come out.", {"free // conv.stride[i]": "free"})
mistake("Of 5 columns 3 come out: add the border twice, divide rounding down, and only then add 1.", {"free // conv.stride[i] + 1": "(free + 1) // conv.stride[i]"})
mistake("Four rows leave two, five columns three: round down, then add 1.", {"free // conv.stride[i]": "-(-free // conv.stride[i])"})
mistake("Positions come in whole numbers: round down after dividing.", {"free // conv.stride[i]": "free / conv.stride[i]"})
mistake("Halve both height and width.", {"conv.stride[i] + 1": "(conv.stride[i] if i else 1) + 1"})
mistake("A stride may be larger than 2: divide by the stride itself.", {"conv.stride[i] + 1": "min(2, conv.stride[i]) + 1"})
mistake("Each group sees half of the input channels only.", **M, returns="positions * conv.weight.numel() * conv.groups")
half = ("Half of what it should be: did you divide by the groups twice (the shape of conv.weight counts them already), or count the channels that go in instead "
        "of those that come out?")
mistake(half, **M, returns="positions * conv.weight.numel() // conv.groups")
mistake("The window is not square: take kernel_size[0] and kernel_size[1].", **M, returns="positions * conv.weight[..., 0].numel() * conv.kernel_size[0]")
mistake("The window is not square: it has 1 · 3 weights a channel.", **M, returns="positions * conv.weight[..., 0, :].numel() * conv.kernel_size[1]")
mistake("Height and width have been swapped: the window is 1 high and 3 wide, as image and border are (height, width).", {"conv.kernel_size[i]": "conv.kernel_size[1 - i]"})
mistake("Height and width of the border have been swapped: it is (0, 1).", {"conv.padding[i]": "conv.padding[1 - i]"})
mistake("Each direction has its own stride: stride[0] and stride[1].", {"conv.stride[i]": "conv.stride[0]"})
mistake("Each direction has its own stride: stride[0] and stride[1].", {"conv.stride[i]": "conv.stride[1]"})
mistake("Height and width, or the two strides, have been swapped.", {"conv.stride[i]": "conv.stride[1 - i]"})
mistake("Height and width, or the two strides, have been swapped.", {"(height, width)": "(width, height)"})

# %% right: by the shape that comes out
def count_parameters(net):
    total = 0
    for parameter in net.parameters():
        if parameter.requires_grad:
            total += parameter.nelement()
    return total


def multiply_adds(conv, height, width):
    with torch.no_grad():
        out = F.conv2d(torch.zeros(1, conv.in_channels, height, width), conv.weight, None, conv.stride,
                       conv.padding, conv.dilation, conv.groups)
    k = conv.kernel_size[0] * conv.kernel_size[1]
    return out.numel() * (conv.in_channels // conv.groups) * k

# %% right: places counted one by one
def count_parameters(net):
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    def places(length, i):
        last = length + conv.padding[i] - conv.kernel_size[i]
        return len(range(-conv.padding[i], last + 1, conv.stride[i]))

    return places(height, 0) * places(width, 1) * conv.out_channels * conv.in_channels // conv.groups * (
        conv.kernel_size[0] * conv.kernel_size[1])

# %% right: module by module, each parameter once; torch's own counter of flops
def count_parameters(net):
    seen, total = set(), 0
    for module in net.modules():
        for p in module._parameters.values():
            if p is not None and p.requires_grad and id(p) not in seen:
                seen.add(id(p))
                total += len(p.flatten())
    return total


def multiply_adds(conv, height, width):
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter, torch.no_grad():
        conv(torch.zeros(1, conv.in_channels, height, width).to(conv.weight))
    return counter.get_total_flops() // 2

# %% right: the number of windows by unfold, numbers by torch's prod
def count_parameters(net):
    total = 0
    for _, p in net.named_parameters():
        total += int(p.requires_grad) * int(torch.tensor(p.shape).prod())
    return total


def multiply_adds(conv, height, width):
    windows = F.unfold(torch.zeros(1, 1, height, width), conv.kernel_size,
                       padding=conv.padding, stride=conv.stride)
    return windows.shape[2] * conv.weight.shape.numel()

# %% right: ARENA
def count_parameters(net: nn.Module) -> int:
    return sum(p.numel() for p in net.parameters() if p.requires_grad)


def multiply_adds(conv: nn.Conv2d, height: int, width: int) -> int:
    (kh, kw), (sh, sw), (ph, pw) = conv.kernel_size, conv.stride, conv.padding
    h_out = (height + 2 * ph - kh) // sh + 1
    w_out = (width + 2 * pw - kw) // sw + 1
    per_output = conv.in_channels // conv.groups * kh * kw
    return h_out * w_out * conv.out_channels * per_output

# %% right: CS231n
def count_parameters(net):
    num_params = 0
    for param in net.parameters():
        if param.requires_grad:
            num_params += param.numel()
    return num_params


def multiply_adds(conv, height, width):
    H, W = height, width
    K, C, HH, WW = conv.weight.shape
    H_out = 1 + (H + 2 * conv.padding[0] - HH) // conv.stride[0]
    W_out = 1 + (W + 2 * conv.padding[1] - WW) // conv.stride[1]
    return H_out * W_out * K * C * HH * WW

# %% right: makemore
def count_parameters(net):
    return sum(p.nelement() for p in net.parameters() if p.requires_grad)


def multiply_adds(conv, height, width):
    kh, kw = conv.kernel_size
    h = (height + 2 * conv.padding[0] - kh) // conv.stride[0] + 1
    w = (width + 2 * conv.padding[1] - kw) // conv.stride[1] + 1
    return conv.weight.nelement() * h * w

# %% right: torch source
def count_parameters(net: nn.Module) -> int:
    return sum(p.numel() for p in net.parameters() if p.requires_grad)


def multiply_adds(conv: nn.Conv2d, height: int, width: int) -> int:
    out = F.conv2d(
        torch.zeros(1, conv.in_channels, height, width), conv.weight, None, conv.stride,
        conv.padding, conv.dilation, conv.groups,
    )
    return out.numel() * conv.weight[0].numel()

# %% right: numpy first
import numpy as np


def count_parameters(net):
    sizes = [np.prod(p.shape) for p in net.parameters() if p.requires_grad]
    return int(np.sum(sizes))


def multiply_adds(conv, height, width):
    size = np.array([height, width])
    padding, window, stride = map(np.array, (conv.padding, conv.kernel_size, conv.stride))
    out = (size + 2 * padding - window) // stride + 1
    products = conv.in_channels // conv.groups * np.prod(window)
    return int(np.prod(out) * conv.out_channels * products)

# %% right: plain loops
def count_parameters(net):
    total = 0
    for p in net.parameters():
        if p.requires_grad == True:
            n = 1
            for size in p.shape:
                n = n * size
            total = total + n
    return total


def multiply_adds(conv, height, width):
    kh, kw = conv.kernel_size
    total = 0
    top = -conv.padding[0]
    while top + kh <= height + conv.padding[0]:
        left = -conv.padding[1]
        while left + kw <= width + conv.padding[1]:
            total += conv.out_channels * (conv.in_channels // conv.groups) * kh * kw
            left += conv.stride[1]
        top += conv.stride[0]
    return total
