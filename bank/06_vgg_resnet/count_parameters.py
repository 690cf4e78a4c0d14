"""count_parameters, 2 points."""

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

# %% right: by the formula
import math


def count_parameters(net):
    return sum(math.prod(p.shape) for _, p in net.named_parameters() if p.requires_grad)


def multiply_adds(conv, height, width):
    kh, kw = conv.kernel_size
    h = (height + 2 * conv.padding[0] - kh) // conv.stride[0] + 1
    w = (width + 2 * conv.padding[1] - kw) // conv.stride[1] + 1
    return h * w * conv.out_channels * conv.in_channels // conv.groups * kh * kw

# %% right: floor of a division
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= int(free / conv.stride[i]) + 1
    return positions * conv.weight.numel()

# %% wrong: counts buffers
# told: You counted the buffers
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.state_dict().values())


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: counts tensors
# told: the number of parameter tensors
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(1 for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: counts layers
# told: the number of layers
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return len(list(net.children()))


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: leaves the biases out
# told: The biases are parameters
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for name, value in net.named_parameters() if 'bias' not in name)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: counts matrices alone
# told: Only matrices and windows are counted
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.dim() > 1)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: counts a shared layer twice
# told: You counted the same layer twice
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for _, value in net.named_parameters(remove_duplicate=False) if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: counts frozen weights
# told: You counted the frozen weight
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters())


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: counts the additions of the bias
# told: The bias was counted
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    bias = 0 if conv.bias is None else conv.bias.numel()
    return positions * (conv.weight.numel() + bias)

# %% wrong: counts weights
# told: That is the number of weights
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return conv.weight.numel()

# %% wrong: counts positions
# told: That is the number of positions
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions

# %% wrong: counts two for each
# told: did you count each multiplication and each addition
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return 2 * positions * conv.weight.numel()

# %% wrong: forgets the channels that come out
# told: the channels that come out (each
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight[0].numel()

# %% wrong: forgets the channels that go in
# told: the channels that go in?
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight[:, 0].numel()

# %% wrong: forgets the window
# told: the window? Nine weights
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight[:, :, 0, 0].numel()

# %% wrong: forgets the border
# told: as without a border
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: takes the image's size
# told: The window cannot stand at the edge
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        positions *= length
    return positions * conv.weight.numel()

# %% wrong: ignores the stride
# told: The stride has no effect here
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free + 1
    return positions * conv.weight.numel()

# %% wrong: does not add 1 after dividing
# told: round
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= (free + 1) // conv.stride[i]
    return positions * conv.weight.numel()

# %% wrong: rounds up
# told: Four rows leave two
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= -(-free // conv.stride[i]) + 1
    return positions * conv.weight.numel()

# %% wrong: divides without rounding
# told: Positions come in whole numbers
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free / conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: ignores the groups
# told: Each group sees half
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel() * conv.groups

# %% wrong: divides by the groups twice
# told: did you divide by the groups twice
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel() // conv.groups

# %% wrong: a square window of the first size
# told: The window is not square
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight[..., 0].numel() * conv.kernel_size[0]

# %% wrong: one stride for both directions
# told: Each direction has its own stride
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[0] + 1
    return positions * conv.weight.numel()

# %% wrong: height and width swapped
# told: swapped
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    positions = 1
    for i, length in enumerate((width, height)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

# %% wrong: weight and bias alone
def count_parameters(net):
    total = 0
    for module in net.modules():
        for name in ("weight", "bias"):
            p = getattr(module, name, None)
            if p is not None and p.requires_grad:
                total += p.numel()
    return total


def multiply_adds(conv, height, width):
    H = (height + 2 * conv.padding[0] - conv.kernel_size[0]) // conv.stride[0] + 1
    W = (width + 2 * conv.padding[1] - conv.kernel_size[1]) // conv.stride[1] + 1
    return H * W * conv.weight.numel()

# %% wrong: the layers of the first level
def count_parameters(net):
    parts = list(net.children())
    if not parts:
        return sum(p.numel() for p in net.parameters() if p.requires_grad)
    own = sum(p.numel() for p in net.parameters(recurse=False) if p.requires_grad)
    return own + sum(count_parameters(part) for part in parts)


def multiply_adds(conv, height, width):
    H = (height + 2 * conv.padding[0] - conv.kernel_size[0]) // conv.stride[0] + 1
    W = (width + 2 * conv.padding[1] - conv.kernel_size[1]) // conv.stride[1] + 1
    return H * W * conv.weight.numel()

# %% right: places counted one by one
def count_parameters(net):
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    def places(length, i):
        last = length + conv.padding[i] - conv.kernel_size[i]
        return len(range(-conv.padding[i], last + 1, conv.stride[i]))

    return places(height, 0) * places(width, 1) * conv.out_channels * conv.in_channels // conv.groups * (
        conv.kernel_size[0] * conv.kernel_size[1])

# %% wrong: equal weights count once
def count_parameters(net):
    return sum({(tuple(value.shape), float(value.sum())): value.numel()
                for value in net.parameters() if value.requires_grad}.values())


def multiply_adds(conv, height, width):
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[i] - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()

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

# %% right: shapes that come out, on torch's device without numbers
import copy
import math


def count_parameters(net):
    return sum(math.prod(p.size()) for p in set(net.parameters()) if p.requires_grad)


def multiply_adds(conv, height, width):
    shadow = copy.deepcopy(conv).to("meta")
    image = torch.empty(conv.in_channels, height, width, device="meta", dtype=conv.weight.dtype)
    return shadow(image)[0].numel() * conv.weight.numel()

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

# %% sly: a stride above 2 counts as 2
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(p.numel() for p in net.parameters() if p.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d (dilation 1) for one image -> int.

    height, width: of the image
    """
    (ph, pw), (kh, kw), (sh, sw) = conv.padding, conv.kernel_size, conv.stride
    down = (height + 2 * ph - kh) // min(sh, 2) + 1
    across = (width + 2 * pw - kw) // min(sw, 2) + 1
    return down * across * conv.weight.numel()

# %% right: a zero-size walk over a set of parameters; ceiling form of the same number
def count_parameters(net):
    return sum(p.numel() for p in set(net.parameters()) if p.requires_grad is True)


def multiply_adds(conv, height, width):
    ceil_div = lambda a, b: -(-a // b)
    windows_down = height + 2 * conv.padding[0] - conv.kernel_size[0] + 1
    windows_across = width + 2 * conv.padding[1] - conv.kernel_size[1] + 1
    positions = (ceil_div(windows_down, conv.stride[0])
                 * ceil_div(windows_across, conv.stride[1]))
    products = conv.in_channels * conv.out_channels // conv.groups
    return positions * products * conv.kernel_size[0] * conv.kernel_size[1]

# %% wrong: unfreezes what it counts
# told: leave that as it was
def count_parameters(net):
    net.requires_grad_(True)
    return sum(p.numel() for p in net.parameters())


def multiply_adds(conv, height, width):
    (kh, kw), (sh, sw), (ph, pw) = conv.kernel_size, conv.stride, conv.padding
    rows = (height + 2 * ph - kh) // sh + 1
    columns = (width + 2 * pw - kw) // sw + 1
    return conv.out_channels * conv.in_channels // conv.groups * kh * kw * rows * columns

# %% right: numbers by the product of the shape, windows counted by len of ranges
import math


def count_parameters(net):
    seen = {}
    for part in net.modules():
        for value in part.parameters(recurse=False):
            seen[id(value)] = math.prod(value.shape) * int(value.requires_grad)
    return sum(seen.values())


def multiply_adds(conv, height, width):
    (ph, pw), (kh, kw), (sh, sw) = conv.padding, conv.kernel_size, conv.stride
    rows = len(range(0, height + 2 * ph - kh + 1, sh))
    columns = len(range(0, width + 2 * pw - kw + 1, sw))
    return rows * columns * conv.out_channels * (conv.in_channels // conv.groups) * kh * kw

# %% wrong: the border at top and bottom alone
# told: leave out the border at the sides
def count_parameters(net):
    """Number of trainable numbers of a module -> int."""
    return sum(value.numel() for value in net.parameters() if value.requires_grad)


def multiply_adds(conv, height, width):
    """Multiply-adds of an nn.Conv2d for one image -> int.

    conv: dilation 1, single precision; height, width: of the image
    """
    positions = 1
    for i, length in enumerate((height, width)):
        free = length + 2 * conv.padding[0] * (i == 0) - conv.kernel_size[i]
        positions *= free // conv.stride[i] + 1
    return positions * conv.weight.numel()
