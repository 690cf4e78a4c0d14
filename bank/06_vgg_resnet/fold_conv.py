"""fold_conv, 2 points."""

# %% right: a copy of the convolution, changed
import copy


def fold_conv(conv, bn):
    folded = copy.deepcopy(conv)
    inverse = torch.rsqrt(bn.running_var + bn.eps)
    if folded.bias is None:
        folded.bias = nn.Parameter(torch.zeros(conv.out_channels))
    folded.weight = nn.Parameter(conv.weight.detach() * (bn.weight * inverse).detach().view(-1, 1, 1, 1))
    folded.bias = nn.Parameter(((folded.bias - bn.running_mean) * inverse * bn.weight + bn.bias).detach())
    return folded

# %% right: einsum, data, all options by keyword
def fold_conv(conv, bn):
    s = bn.weight.data / (bn.running_var + bn.eps) ** 0.5
    new = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, stride=conv.stride,
                    padding=conv.padding, dilation=conv.dilation, groups=conv.groups, bias=True)
    new.weight.data = torch.einsum("k,kcij->kcij", s, conv.weight.data)
    b = 0 if conv.bias is None else conv.bias.data
    new.bias.data = bn.bias.data + s * (b - bn.running_mean)
    return new

# %% right: measured with zeros: what the two layers make of nothing
def fold_conv(conv, bn):
    def eval_norm(z):
        return F.batch_norm(z, bn.running_mean, bn.running_var, bn.weight, bn.bias, False, 0.0, bn.eps)

    with torch.no_grad():
        start = torch.zeros(1, conv.out_channels, dtype=conv.weight.dtype)
        bias = start if conv.bias is None else conv.bias[None]
        offset = eval_norm(bias)[0]
        scale = eval_norm(start + 1)[0] - eval_norm(start)[0]
        folded = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding,
                           conv.dilation, conv.groups, dtype=conv.weight.dtype)
        folded.weight.copy_(conv.weight * scale.reshape(-1, 1, 1, 1))
        folded.bias.copy_(offset)
    return folded

# %% wrong: eps left out
# told: bn.eps has no effect here
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: eps fixed
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + 1e-5)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: no root
# told: The root is missing
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / (bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: gamma left out
# told: gamma (bn.weight) has no effect
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = 1 / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the convolution's weight left out
# told: own weight has no effect
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] + 0 * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: eps outside the root
# told: eps belongs inside
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / (torch.sqrt(bn.running_var) + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the weight stays
# told: The weight is still
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the convolution's bias left out
# told: own bias has no effect
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(bn.bias - scale * bn.running_mean)
    return folded

# %% wrong: the convolution's bias not scaled
# told: has to be scaled too
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(bias - scale * bn.running_mean + bn.bias)
    return folded

# %% wrong: the running mean left out
# told: running_mean has no effect
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * bias + bn.bias)
    return folded

# %% wrong: the running mean not scaled
# told: running_mean has to be scaled
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * bias - bn.running_mean + bn.bias)
    return folded

# %% wrong: beta left out
# told: beta (bn.bias) has no effect
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean))
    return folded

# %% wrong: the running mean added
# told: running_mean has the wrong sign
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias + bn.running_mean) + bn.bias)
    return folded

# %% wrong: beta alone
# told: This is batch norm's bias alone
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(bn.bias)
    return folded

# %% wrong: channels that go in are scaled
# told: You scaled the channels that go in
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_((scale[None, :, None, None] if conv.weight.shape[1] == len(scale) else scale[:, None, None, None]) * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: no thought of a missing bias
# told: has no bias
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the convolution itself is changed
# told: The given convolution's weight was changed
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = conv
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    if conv.bias is None:
        conv.bias = nn.Parameter(torch.zeros_like(bn.bias))
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the stride lost
# told: The stride got lost
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, 1,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the border lost
# told: The border got lost
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        0, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the groups lost
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: the dilation lost
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, 1, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: batch norm left in eval mode
# told: You left batch norm in eval mode
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    bn.eval()
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% wrong: nothing returned
# told: Is there a `return`
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias
    """
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation, conv.groups, dtype=conv.weight.dtype,
    )
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_(scale[:, None, None, None] * conv.weight)
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    pass

# %% right: a copy of the convolution with other parameters
from copy import deepcopy


@torch.no_grad()
def fold_conv(conv, bn):
    scale = bn.weight * (bn.running_var + bn.eps).pow(-0.5)
    folded = deepcopy(conv)
    folded.weight = nn.Parameter(torch.einsum("kcij,k->kcij", conv.weight, scale))
    start = -bn.running_mean if conv.bias is None else conv.bias - bn.running_mean
    folded.bias = nn.Parameter(torch.addcmul(bn.bias, start, scale))
    return folded.train(True)

# %% right: a view of the scaled weight
def fold_conv(conv, bn):
    folded = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
                       conv.padding, conv.dilation, conv.groups).to(conv.weight)
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    with torch.no_grad():
        folded.weight.copy_((scale[:, None, None, None] * conv.weight).view(-1).view(conv.weight.shape))
        folded.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% right: torch's own fusing of copies in eval mode
import copy

from torch.nn.utils import fuse_conv_bn_eval


def fold_conv(conv, bn):
    return fuse_conv_bn_eval(copy.deepcopy(conv).eval(), copy.deepcopy(bn).eval())

# %% right: yolov5's fuse_conv_and_bn with a diagonal matrix
def fold_conv(conv, bn):
    fusedconv = nn.Conv2d(conv.in_channels,
                          conv.out_channels,
                          kernel_size=conv.kernel_size,
                          stride=conv.stride,
                          padding=conv.padding,
                          dilation=conv.dilation,
                          groups=conv.groups,
                          bias=True).to(device=conv.weight.device, dtype=conv.weight.dtype)
    with torch.no_grad():
        w_conv = conv.weight.clone().view(conv.out_channels, -1)
        w_bn = torch.diag(bn.weight.div(torch.sqrt(bn.eps + bn.running_var)))
        fusedconv.weight.copy_(torch.mm(w_bn, w_conv).view(fusedconv.weight.shape))
        b_conv = torch.zeros_like(bn.running_mean) if conv.bias is None else conv.bias
        b_bn = bn.bias - bn.weight.mul(bn.running_mean).div(torch.sqrt(bn.running_var + bn.eps))
        fusedconv.bias.copy_(torch.mm(w_bn, b_conv.reshape(-1, 1)).reshape(-1) + b_bn)
    return fusedconv

# %% sly: one dilation for both directions
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode.

    conv: nn.Conv2d (zero border), with or without bias; bn: nn.BatchNorm2d, in whatever
        mode
    returns: a new nn.Conv2d with a bias, whose parameters can be trained
    """
    scale = bn.weight / (bn.running_var + bn.eps).sqrt()
    shift = -bn.running_mean if conv.bias is None else conv.bias - bn.running_mean
    folded = nn.Conv2d(
        conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
        conv.padding, conv.dilation[0], conv.groups, bias=True,
        device=conv.weight.device, dtype=conv.weight.dtype)
    with torch.no_grad():
        folded.weight.copy_(conv.weight * scale[:, None, None, None])
        folded.bias.copy_(scale * shift + bn.bias)
    return folded

# %% right: the same arguments by name, numbers loaded as a state
def fold_conv(conv, bn):
    names = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups")
    new = nn.Conv2d(**{name: getattr(conv, name) for name in names}, bias=True).to(conv.weight)
    s = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    b = bn.bias - s * bn.running_mean
    if conv.bias is not None:
        b = b + s * conv.bias
    new.load_state_dict({"weight": s.reshape(-1, 1, 1, 1) * conv.weight, "bias": b})
    return new

# %% right: torch's fuse_conv_bn_weights, and a double convolution made by .double()
from torch.nn.utils.fusion import fuse_conv_bn_weights


def fold_conv(conv, bn):
    weight, bias = fuse_conv_bn_weights(conv.weight, conv.bias, bn.running_mean, bn.running_var,
                                        bn.eps, bn.weight, bn.bias)
    new = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
                    conv.padding, conv.dilation, conv.groups)
    if weight.dtype == torch.float64:
        new = new.double()
    new.weight.data.copy_(weight.detach())
    new.bias.data.copy_(bias.detach())
    return new

# %% right: channel by channel in a loop
import copy


def fold_conv(conv, bn):
    new = copy.deepcopy(conv).train()
    new.weight.grad = None
    new.bias = nn.Parameter(conv.weight.new_zeros(conv.out_channels))
    with torch.no_grad():
        for k in range(conv.out_channels):
            s = bn.weight[k] / (bn.running_var[k] + bn.eps).sqrt()
            new.weight[k] *= s
            b = 0.0 if conv.bias is None else conv.bias[k]
            new.bias[k] = s * (b - bn.running_mean[k]) + bn.bias[k]
    return new

# %% right: in double inside, cast at the end, parameters set anew
def fold_conv(conv, bn):
    wide = torch.float64
    s = bn.weight.detach().to(wide) / (bn.running_var.to(wide) + bn.eps).sqrt()
    b = -bn.running_mean.to(wide)
    if conv.bias is not None:
        b = b + conv.bias.detach().to(wide)
    new = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
                    conv.padding, conv.dilation, conv.groups)
    kind = conv.weight.dtype
    weight = (conv.weight.detach().to(wide).transpose(0, -1) * s).transpose(0, -1)
    new.weight = nn.Parameter(weight.contiguous().to(kind))
    new.bias = nn.Parameter((s * b + bn.bias.detach().to(wide)).to(kind))
    return new

# %% wrong: the given convolution's weight is scaled in place
# told: The given convolution's weight was changed
def fold_conv(conv, bn):
    """One convolution that computes what bn(conv(x)) computes in eval mode."""
    folded = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride,
                       conv.padding, conv.dilation, conv.groups, bias=True,
                       device=conv.weight.device, dtype=conv.weight.dtype)
    with torch.no_grad():
        scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
        bias = torch.zeros_like(bn.running_mean) if conv.bias is None else conv.bias
        folded.weight.copy_(conv.weight.mul_(scale[:, None, None, None]))
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded
