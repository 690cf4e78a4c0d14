"""fold_conv, 2 points: one convolution in the place of a convolution and its norm."""
import torch
from torch import nn

task = Task("fold_conv")
GIVEN = "fold_conv(conv, bn): weight 2, bias 5; gamma 6, beta 14, running_mean 7, running_var 9, eps 7"


def layers():
    """A convolution and a norm of one channel, with round numbers."""
    conv, bn = nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1, eps=7.)
    conv.load_state_dict({"weight": torch.full((1, 1, 1, 1), 2.), "bias": torch.tensor([5.])})
    numbers = {"weight": 6., "bias": 14., "running_mean": 7., "running_var": 9.}
    bn.load_state_dict({name: torch.tensor([value]) for name, value in numbers.items()} | {"num_batches_tracked": torch.tensor(1)})
    return conv, bn


@task.probe("a new convolution with a bias", shown=GIVEN)
def _(fold_conv):
    folded = fold_conv(*layers())
    return {"type": type(folded).__name__, "has a bias": getattr(folded, "bias", None) is not None}


@task.probe("its weight: 2 · 6 / sqrt(9 + 7)", shown=GIVEN)
def _(fold_conv):
    return fold_conv(*layers()).weight.flatten()


@task.probe("its bias: (5 - 7) · 1.5 + 14", shown=GIVEN)
def _(fold_conv):
    return fold_conv(*layers()).bias


@task.probe("both layers are as they were, their modes included", shown=GIVEN)
def _(fold_conv):
    conv, bn = layers()
    fold_conv(conv, bn)
    return {"conv": conv.state_dict(), "bn": bn.state_dict(), "in training mode": (conv.training, bn.training)}


@task.probe("channels that come out are scaled; the convolution has no bias", shown="fold_conv(conv, bn).weight: weight [[1, 2], [3, 4]], gamma [2, 10]")
def _(fold_conv):
    conv, bn = nn.Conv2d(2, 2, 1, bias=False), nn.BatchNorm2d(2, eps=0.)
    conv.load_state_dict({"weight": torch.tensor([[1., 2.], [3., 4.]])[:, :, None, None]})
    nn.init.constant_(bn.weight[:1], 2.), nn.init.constant_(bn.weight[1:], 10.)
    return fold_conv(conv, bn).weight.flatten(1)


@task.probe("window, stride, border, dilation and groups", shown="fold_conv(nn.Conv2d(2, 4, (3, 5), (2, 1), (1, 2), (1, 3), groups=2), nn.BatchNorm2d(4))")
def _(fold_conv):
    folded = fold_conv(nn.Conv2d(2, 4, (3, 5), (2, 1), (1, 2), (1, 3), groups=2), nn.BatchNorm2d(4))
    return {name: getattr(folded, name) for name in ("kernel_size", "stride", "padding", "dilation", "groups")}


def case(number, bias, stride, groups, eps, out, dilation, training):
    @task.probe(f"the same numbers: {groups} groups, stride {stride}, dilation {dilation}", drawn=True)
    def _(fold_conv):
        conv = nn.Conv2d(4, out, (3, 5), stride, (1, 2), dilation, groups, bias)
        conv, bn = fill_(conv, seed=160 + number), fill_(nn.BatchNorm2d(out, eps=eps), seed=170 + number).train(training)
        before = fill_(nn.Conv2d(4, out, (3, 5), groups=groups, bias=bias), seed=160 + number).state_dict()
        result = fold_conv(conv, bn)(sample(2, 4, 6, 7, seed=180 + number))
        kept = all(torch.equal(value, before[name]) for name, value in conv.state_dict().items() if name in before)
        return {"result": result, "conv is as it was": kept and len(conv.state_dict()) == len(before), "bn.training": bn.training}


case(0, True, 1, 1, 1e-5, 4, 1, True)
case(1, False, 2, 1, 0.5, 5, (2, 1), False)
case(2, True, (2, 1), 2, 1e-3, 6, 1, True)
case(3, False, 1, 4, 2., 8, (1, 2), False)

# %% mistakes
S, W, B = "bn.weight / torch.sqrt(bn.running_var + bn.eps)", "scale[:, None, None, None] * conv.weight", "scale * (bias - bn.running_mean) + bn.bias"
mistake("Return an nn.Conv2d. (Is there a `return`?)", returns="None")
mistake("Return an nn.Conv2d. (Is there a `return`?)", returns="bn")
mistake("The new convolution has no bias, and needs one.", {"conv.groups, ": "conv.groups, bias=False, ", f"folded.bias.copy_({B})": "pass"})
mistake("bn.eps has no effect here: divide by sqrt(running_var + bn.eps).", {" + bn.eps": ""})
mistake("bn.eps has no effect here: divide by sqrt(running_var + bn.eps).", {"bn.eps": "1e-5"})
mistake("The root is missing: divide by sqrt(running_var + eps).", scale="bn.weight / (bn.running_var + bn.eps)")
mistake("gamma (bn.weight) has no effect here.", {"bn.weight /": "1 /"})
mistake("The convolution's own weight has no effect here.", {W: "scale[:, None, None, None].expand_as(conv.weight)"})
mistake("eps belongs inside the root.", scale="bn.weight / (torch.sqrt(bn.running_var) + bn.eps)")
mistake("The weight is still the convolution's.", {W: "conv.weight"})
mistake("The convolution's own bias has no effect here.", bias="torch.zeros_like(bn.bias)")
mistake("The convolution's own bias has to be scaled too.", {B: "bias - scale * bn.running_mean + bn.bias"})
mistake("running_mean has no effect here.", {B: "scale * bias + bn.bias"})
mistake("running_mean has to be scaled too.", {B: "scale * bias - bn.running_mean + bn.bias"})
mistake("beta (bn.bias) has no effect here.", {B: "scale * (bias - bn.running_mean)"})
mistake("beta (bn.bias) is scaled here, and should not be: add it after the multiplication.", {B: "scale * (bias - bn.running_mean + bn.bias)"})
mistake("beta (bn.bias) and running_mean have changed places.", {B: "scale * (bias - bn.bias) + bn.running_mean"})
mistake("running_mean has the wrong sign: subtract it.", {"bias - bn.running_mean": "bias + bn.running_mean"})
mistake("This is batch norm's bias alone: is the rest left out, or did batch norm run in training mode?", {B: "bn.bias"})
mistake("This is 1.5 + 14: multiply the difference of bias and running_mean by 1.5.", {B: "scale + bn.bias"})
changed = ("The given convolution's weight was changed: was it scaled in place (mul_, *=), or does the convolution you return share it? Make a new one, with "
           "tensors of its own.")
mistake(changed, """
def fold_conv(conv, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if conv.bias is None else conv.bias
    if conv.bias is None:
        conv.bias = nn.Parameter(torch.zeros_like(bn.bias))
    with torch.no_grad():
        conv.weight.copy_(scale[:, None, None, None] * conv.weight)
        conv.bias.copy_(scale * (bias - bn.running_mean) + bn.bias)
    return conv
""")
mistake(changed, {W: "conv.weight.mul_(scale[:, None, None, None])"})
mistake("Batch norm's running statistics are no longer what they were: did it run in training mode, or did you reset it?",
        {"    with torch.no_grad": "    bn(torch.ones(2, bn.num_features, 1, 1))\n    with torch.no_grad", "bn.running_mean": "mean", "bn.running_var": "var",
         "    scale =": "    mean, var = bn.running_mean.clone(), bn.running_var.clone()\n    scale ="})
mistake("You left batch norm in eval mode: put it back, or do not switch at all.", {"    return folded": "    bn.eval()\n    return folded"})
mistake("You left both layers in eval mode: put them back, or do not switch at all.", {"    return folded": "    bn.eval(), conv.eval()\n    return folded"})
mistake("Made with bias=False, a convolution has no bias: it is None. Take zeros there.", bias="conv.bias")
mistake("Made with bias=False, a convolution has no bias: it is None. Take zeros there.", bias="conv.bias.clone()")
mistake("You scaled the channels that go in. Line the scale up with the first dimension: scale[:, None, None, None].",
        {W: "(scale[:, None, None, None] if len(scale) != conv.weight.shape[1] else scale[:, None, None]) * conv.weight"})
A = "conv.stride,\n        conv.padding, conv.dilation, conv.groups"
mistake("The stride got lost: hand it on.", {A: "1, conv.padding, conv.dilation, conv.groups"})
mistake("The border got lost: hand it on.", {A: "conv.stride, 0, conv.dilation, conv.groups"})
mistake("The dilation got lost: hand it on.", {A: "conv.stride, conv.padding, 1, conv.groups"})
mistake("The dilation of one direction got lost: hand on the pair.", {A: "conv.stride, conv.padding, conv.dilation[0], conv.groups"})
mistake("Stride and border got lost: hand them on.", {A: "groups=conv.groups"})
mistake("Stride, border and groups got lost: hand them on.", {A: "groups=1", W: "(scale[:, None, None, None] * conv.weight).repeat(1, conv.groups, 1, 1)"})
groups = "The groups got lost: hand conv.groups on, whatever it is."
mistake(groups, {A: "conv.stride, conv.padding, conv.dilation"})
mistake(groups, {A: "conv.stride, conv.padding, conv.dilation", W: "(scale[:, None, None, None] * conv.weight).repeat(1, conv.groups, 1, 1)"})

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

# %% right: ARENA
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

# %% right: CS231n
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

# %% right: makemore
@torch.no_grad()
def fold_conv(conv, bn):
    bngain, bnbias = bn.weight, bn.bias
    bnstd = (bn.running_var + bn.eps)**0.5
    out = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding, conv.dilation, conv.groups)
    b = conv.bias if conv.bias is not None else torch.zeros(conv.out_channels)
    out.weight.copy_(conv.weight * (bngain / bnstd).view(-1, 1, 1, 1))
    out.bias.copy_((b - bn.running_mean) * bngain / bnstd + bnbias)
    return out

# %% right: torch source
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

# %% right: numpy first
import numpy as np


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

# %% right: plain loops
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
