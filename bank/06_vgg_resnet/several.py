"""Whole notebooks."""

# %% right: whole notebook in ARENA's style
## conv_block
def conv_block(in_channels: int, out_channels: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(
            in_channels, out_channels, kernel_size=3, stride=stride, padding=1, bias=False
        ),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
    )

## ResidualBlock2d
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

## ConvNet
class AveragePool(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.einsum("nchw->nc", x) / (x.shape[2] * x.shape[3])


class ConvNet(nn.Module):
    def __init__(
        self, block, pairs: int, widths=(8, 16, 32), in_channels: int = 1, classes: int = 10
    ):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks: list[nn.Module] = []
        in_feats = [widths[0], *widths[:-1]]
        strides = [1] + [2] * (len(widths) - 1)
        for width_in, width_out, stride in zip(in_feats, widths, strides):
            blocks.append(block(width_in, width_out, stride))
            blocks.extend(block(width_out, width_out, 1) for _ in range(pairs - 1))
        self.blocks = nn.ModuleList(blocks)
        self.pool = AveragePool()
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            x = block(x)
        return self.head(self.pool(x))

## count_parameters
def count_parameters(net: nn.Module) -> int:
    return sum(p.numel() for p in net.parameters() if p.requires_grad)


def multiply_adds(conv: nn.Conv2d, height: int, width: int) -> int:
    (kh, kw), (sh, sw), (ph, pw) = conv.kernel_size, conv.stride, conv.padding
    h_out = (height + 2 * ph - kh) // sh + 1
    w_out = (width + 2 * pw - kw) // sw + 1
    per_output = conv.in_channels // conv.groups * kh * kw
    return h_out * w_out * conv.out_channels * per_output

## fold_conv
def fold_conv(conv: nn.Conv2d, bn: nn.BatchNorm2d) -> nn.Conv2d:
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, stride=conv.stride,
        padding=conv.padding, dilation=conv.dilation, groups=conv.groups, bias=True,
    )
    s = bn.weight / (bn.running_var + bn.eps).sqrt()
    b = torch.zeros_like(bn.running_mean) if conv.bias is None else conv.bias
    folded.weight.data = torch.einsum("k,kcij->kcij", s, conv.weight).detach()
    folded.bias.data = (s * (b - bn.running_mean) + bn.bias).detach()
    return folded

## conv_gradients
def conv_gradients(
    dy: torch.Tensor, x: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    N, K, H, W = dy.shape
    C = x.shape[1]
    assert x.shape == (N, C, H, W)
    padded = F.pad(x, (1, 1, 1, 1))
    stride_n, stride_c, stride_h, stride_w = padded.stride()
    windows = padded.as_strided(
        (N, C, H, W, 3, 3), (stride_n, stride_c, stride_h, stride_w, stride_h, stride_w)
    )
    dW = torch.einsum("nkhw,nchwij->kcij", dy, windows)
    db = torch.einsum("nkhw->k", dy)
    return dW, db

## MendedBlock
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

## reading
def steps_until(losses: torch.Tensor, bound: float) -> int | None:
    assert losses.ndim == 1
    below = losses <= bound
    return int(below.int().argmax()) if below.any() else None


def reading() -> dict[str, str]:
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for() -> str:
    return "c"

# %% right: whole notebook in CS231n's style
## conv_block
def conv_block(in_channels, out_channels, stride=1):
    layers = []
    layers.append(nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False))
    layers.append(nn.BatchNorm2d(out_channels))
    layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)

## ResidualBlock2d
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

## ConvNet
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList()
        prev_dim = widths[0]
        for stage, dim in enumerate(widths):
            for i in range(pairs):
                downsample = stage > 0 and i == 0
                self.blocks.append(block(prev_dim, dim, 2 if downsample else 1))
                prev_dim = dim
        self.head = nn.Linear(prev_dim, classes)

    def forward(self, x):
        out = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            out = block(out)
        N, C, H, W = out.shape
        out = F.avg_pool2d(out, (H, W)).reshape(N, C)
        scores = self.head(out)
        return scores

## count_parameters
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

## fold_conv
import copy


def fold_conv(conv, bn):
    gamma, beta = bn.weight.detach(), bn.bias.detach()
    mean, var = bn.running_mean, bn.running_var
    b = 0 if conv.bias is None else conv.bias.detach()
    scale = gamma / torch.sqrt(var + bn.eps)
    out = copy.deepcopy(conv)
    out.weight = nn.Parameter(conv.weight.detach() * scale.reshape(-1, 1, 1, 1))
    out.bias = nn.Parameter((b - mean) * scale + beta)
    return out

## conv_gradients
def conv_gradients(dy, x):
    N, C, H, W = x.shape
    K = dy.shape[1]
    dout = dy
    cache = (x, 1)
    x, pad = cache
    x_padded = F.pad(x, (pad, pad, pad, pad))
    dw = torch.zeros((K, C, 3, 3))
    db = dout.sum(dim=(0, 2, 3))
    for i in range(H):
        for j in range(W):
            window = x_padded[:, :, i : i + 3, j : j + 3].reshape(N, -1)
            dw += (dout[:, :, i, j].T @ window).reshape(K, C, 3, 3)
    return dw, db

## MendedBlock
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

## reading
def steps_until(losses, bound):
    num_steps = losses.shape[0]
    for t in range(num_steps):
        if losses[t] <= bound:
            return t
    return None


def reading():
    answers = {}
    for kind, depth, steps, word in [
        ("plain", 8, 100, "learned"),
        ("plain", 32, 100, "behind"),
        ("residual", 32, 100, "learned"),
        ("plain", 20, 400, "learned"),
    ]:
        answers["%s, %d layers, %d steps" % (kind, depth, steps)] = word
    return answers


def what_for():
    return "c"

# %% right: whole notebook in makemore's style
## conv_block
def conv_block(nin, nout, stride=1):
    return nn.Sequential(nn.Conv2d(nin, nout, 3, stride, 1, bias=False), nn.BatchNorm2d(nout), nn.ReLU())

## ResidualBlock2d
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

## ConvNet
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, 1, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        plan = [(widths[max(s - 1, 0)] if i == 0 else w, w, 2 if s and i == 0 else 1) for s, w in enumerate(widths) for i in range(pairs)]
        self.blocks = nn.ModuleList([block(*p) for p in plan])
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        h = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks: h = block(h)
        return self.head(h.mean([2, 3]))

## count_parameters
def count_parameters(net):
    return sum(p.nelement() for p in net.parameters() if p.requires_grad)


def multiply_adds(conv, height, width):
    kh, kw = conv.kernel_size
    h = (height + 2 * conv.padding[0] - kh) // conv.stride[0] + 1
    w = (width + 2 * conv.padding[1] - kw) // conv.stride[1] + 1
    return conv.weight.nelement() * h * w

## fold_conv
@torch.no_grad()
def fold_conv(conv, bn):
    bngain, bnbias = bn.weight, bn.bias
    bnstd = (bn.running_var + bn.eps)**0.5
    out = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding, conv.dilation, conv.groups)
    b = conv.bias if conv.bias is not None else torch.zeros(conv.out_channels)
    out.weight.copy_(conv.weight * (bngain / bnstd).view(-1, 1, 1, 1))
    out.bias.copy_((b - bn.running_mean) * bngain / bnstd + bnbias)
    return out

## conv_gradients
def conv_gradients(dy, x):
    xpad = F.pad(x, (1, 1, 1, 1))
    H, W = x.shape[2:]
    dW = torch.stack([torch.stack([torch.einsum('nkhw,nchw->kc', dy, xpad[:, :, i:i+H, j:j+W]) for j in range(3)], -1) for i in range(3)], -2)
    return dW, dy.sum((0, 2, 3))

## MendedBlock
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

## reading
def steps_until(lossi, bound):
    return next((i for i, l in enumerate(lossi) if l <= bound), None)


def reading():
    return {"plain, 8 layers, 100 steps": "learned", "plain, 32 layers, 100 steps": "behind", "residual, 32 layers, 100 steps": "learned", "plain, 20 layers, 400 steps": "learned"}


def what_for():
    return "c"

# %% right: whole notebook like torch's own source
## conv_block
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

## ResidualBlock2d
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

## ConvNet
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10) -> None:
        super().__init__()
        self.inplanes = widths[0]
        self.stem = conv3x3(in_channels, self.inplanes)
        self.stem_norm = nn.BatchNorm2d(self.inplanes)
        self.relu = nn.ReLU(inplace=True)
        layers: list[nn.Module] = []
        for index, planes in enumerate(widths):
            layers += self._make_layer(block, planes, pairs, stride=1 if index == 0 else 2)
        self.blocks = nn.ModuleList(layers)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.head = nn.Linear(widths[-1], classes)

    def _make_layer(self, block, planes: int, blocks: int, stride: int) -> list[nn.Module]:
        layers = [block(self.inplanes, planes, stride)]
        self.inplanes = planes
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes, stride=1))
        return layers

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.relu(self.stem_norm(self.stem(x)))
        for layer in self.blocks:
            x = layer(x)
        x = torch.flatten(self.avgpool(x), 1)
        return self.head(x)

## count_parameters
def count_parameters(net: nn.Module) -> int:
    return sum(p.numel() for p in net.parameters() if p.requires_grad)


def multiply_adds(conv: nn.Conv2d, height: int, width: int) -> int:
    out = F.conv2d(
        torch.zeros(1, conv.in_channels, height, width), conv.weight, None, conv.stride,
        conv.padding, conv.dilation, conv.groups,
    )
    return out.numel() * conv.weight[0].numel()

## fold_conv
def fold_conv(conv: nn.Conv2d, bn: nn.BatchNorm2d) -> nn.Conv2d:
    fused = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding,
        conv.dilation, conv.groups, bias=True, padding_mode=conv.padding_mode,
    )
    conv_b = torch.zeros_like(bn.running_mean) if conv.bias is None else conv.bias
    bn_var_rsqrt = torch.rsqrt(bn.running_var + bn.eps)
    shape = [-1] + [1] * (conv.weight.dim() - 1)
    fused_w = conv.weight * (bn.weight * bn_var_rsqrt).reshape(shape)
    fused_b = (conv_b - bn.running_mean) * bn_var_rsqrt * bn.weight + bn.bias
    fused.weight = nn.Parameter(fused_w.detach(), conv.weight.requires_grad)
    fused.bias = nn.Parameter(fused_b.detach(), bn.bias.requires_grad)
    return fused

## conv_gradients
def conv_gradients(dy: torch.Tensor, x: torch.Tensor):
    height, width = x.shape[-2:]
    grad_weight = x.new_empty(dy.size(1), x.size(1), 3, 3)
    grad_output = dy.transpose(0, 1).flatten(1)  # (K, N H W)
    input = F.pad(x, (1, 1, 1, 1))
    for i in range(3):
        for j in range(3):
            patch = input.narrow(2, i, height).narrow(3, j, width)
            grad_weight[:, :, i, j] = torch.mm(grad_output, patch.transpose(0, 1).flatten(1).t())
    return grad_weight, grad_output.sum(1)

## MendedBlock
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

## reading
def steps_until(losses: torch.Tensor, bound: float):
    index = torch.nonzero(losses <= bound).flatten()
    return None if index.numel() == 0 else int(index[0].item())


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: whole notebook by numpy first
## conv_block
import numpy as np


def conv_block(in_channels, out_channels, stride=1):
    conv = nn.Conv2d(in_channels, out_channels, (3, 3), (stride, stride), (1, 1), bias=False)
    norm, relu = nn.BatchNorm2d(out_channels), nn.ReLU()
    return nn.Sequential(conv, norm, relu)

## ResidualBlock2d
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

## ConvNet
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        widths = np.asarray(widths).tolist()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        out = np.repeat(widths, pairs)
        into = np.concatenate([[widths[0]], out[:-1]])
        strides = np.ones_like(out)
        strides[pairs::pairs] = 2
        plan = np.stack([into, out, strides], axis=1).tolist()
        self.blocks = nn.ModuleList([block(*row) for row in plan])
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        h = torch.clip(self.stem_norm(self.stem(x)), min=0)
        for block in self.blocks:
            h = block(h)
        return self.head(torch.mean(h, dim=(2, 3)))

## count_parameters
def count_parameters(net):
    sizes = [np.prod(p.shape) for p in net.parameters() if p.requires_grad]
    return int(np.sum(sizes))


def multiply_adds(conv, height, width):
    size = np.array([height, width])
    padding, window, stride = map(np.array, (conv.padding, conv.kernel_size, conv.stride))
    out = (size + 2 * padding - window) // stride + 1
    products = conv.in_channels // conv.groups * np.prod(window)
    return int(np.prod(out) * conv.out_channels * products)

## fold_conv
def fold_conv(conv, bn):
    W = conv.weight.detach().numpy()
    b = np.zeros(len(W)) if conv.bias is None else conv.bias.detach().numpy()
    gamma, beta = bn.weight.detach().numpy(), bn.bias.detach().numpy()
    mean, var = bn.running_mean.numpy(), bn.running_var.numpy()
    s = gamma / np.sqrt(var + bn.eps)
    new = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding,
        conv.dilation, conv.groups, bias=True,
    )
    with torch.no_grad():
        new.weight[...] = torch.from_numpy(s[:, None, None, None] * W)
        new.bias[...] = torch.from_numpy(s * (b - mean) + beta)
    return new

## conv_gradients
def conv_gradients(dy, x):
    dy, x = dy.detach().numpy(), x.detach().numpy()
    height, width = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    dW = np.zeros((dy.shape[1], x.shape[1], 3, 3), dtype=x.dtype)
    for i in range(3):
        for j in range(3):
            moved = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = np.tensordot(dy, moved, axes=([0, 2, 3], [0, 2, 3]))
    return torch.from_numpy(dW), torch.from_numpy(dy.sum(axis=(0, 2, 3)))

## MendedBlock
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

## reading
def steps_until(losses, bound):
    where_below = np.flatnonzero(losses.detach().numpy() <= bound)
    return int(where_below[0]) if where_below.size else None


def reading():
    answer = dict.fromkeys(
        ["plain, 8 layers, 100 steps", "residual, 32 layers, 100 steps",
         "plain, 20 layers, 400 steps"],
        "learned",
    )
    answer["plain, 32 layers, 100 steps"] = "behind"
    return answer


def what_for():
    return "c"

# %% right: whole notebook with a beginner's loops
## conv_block
def conv_block(in_channels, out_channels, stride=1):
    conv = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
    norm = nn.BatchNorm2d(out_channels)
    relu = nn.ReLU()
    block = nn.Sequential(conv, norm, relu)
    return block

## ResidualBlock2d
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

## ConvNet
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList([])
        last = widths[0]
        for stage in range(len(widths)):
            for i in range(pairs):
                if stage > 0 and i == 0:
                    stride = 2
                else:
                    stride = 1
                self.blocks.append(
                    block(in_channels=last, out_channels=widths[stage], stride=stride)
                )
                last = widths[stage]
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        x = self.stem(x)
        x = self.stem_norm(x)
        x = torch.relu(x)
        for block in self.blocks:
            x = block(x)
        answers = []
        for image in x:
            means = []
            for channel in image:
                means.append(channel.mean())
            answers.append(self.head(torch.stack(means)))
        return torch.stack(answers)

## count_parameters
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

## fold_conv
def fold_conv(conv, bn):
    new = nn.Conv2d(
        conv.in_channels,
        conv.out_channels,
        conv.kernel_size,
        stride=conv.stride,
        padding=conv.padding,
        dilation=conv.dilation,
        groups=conv.groups,
    )
    with torch.no_grad():
        for k in range(conv.out_channels):
            s = bn.weight[k] / math.sqrt(bn.running_var[k] + bn.eps)
            new.weight[k] = s * conv.weight[k]
            if conv.bias is None:
                b = 0
            else:
                b = conv.bias[k]
            new.bias[k] = s * (b - bn.running_mean[k]) + bn.bias[k]
    return new


import math

## conv_gradients
def conv_gradients(dy, x):
    N, K, H, W = dy.shape
    C = x.shape[1]
    dW = torch.zeros(K, C, 3, 3)
    db = torch.zeros(K)
    for n in range(N):
        for k in range(K):
            for h in range(H):
                for w in range(W):
                    db[k] += dy[n, k, h, w]
                    for i in range(3):
                        for j in range(3):
                            row = h + i - 1
                            column = w + j - 1
                            if 0 <= row < H and 0 <= column < W:
                                for c in range(C):
                                    dW[k, c, i, j] += dy[n, k, h, w] * x[n, c, row, column]
    return dW, db

## MendedBlock
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

## reading
def steps_until(losses, bound):
    step = 0
    for loss in losses:
        if loss.item() <= bound:
            return step
        step = step + 1
    return None


def reading():
    answer = {}
    answer["plain, 8 layers, 100 steps"] = "learned"
    answer["plain, 32 layers, 100 steps"] = "behind"
    answer["residual, 32 layers, 100 steps"] = "learned"
    answer["plain, 20 layers, 400 steps"] = "learned"
    return answer


def what_for():
    return "c"
