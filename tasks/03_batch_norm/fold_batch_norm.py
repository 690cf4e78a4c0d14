"""fold_batch_norm, 2 points: batch norm folded away."""
import torch
from torch import nn

task = Task("fold_batch_norm")


def given(evaluate=False):
    """A linear layer y = 2 x + 1, and a batch norm (y - 3) / sqrt(18 + 7) * 6 + 7."""
    linear, bn = nn.Linear(1, 1), nn.BatchNorm1d(1, eps=7.).train(not evaluate)
    linear.load_state_dict({"weight": torch.tensor([[2.]]), "bias": torch.tensor([1.])})
    more = {"running_mean": torch.tensor([3.]), "running_var": torch.tensor([18.]), "num_batches_tracked": torch.tensor(1)}
    bn.load_state_dict({"weight": torch.tensor([6.]), "bias": torch.tensor([7.]), **more})
    return linear, bn


def look(label, of, evaluate=False):
    @task.probe(label, shown="fold_batch_norm(linear, bn): linear has weight 2 and bias 1; bn has weight 6, bias 7, running_mean 3, "
                              f"running_var 18 and eps 7{', in evaluation mode' if evaluate else ''}")
    def _(fold_batch_norm):
        linear, bn = given(evaluate)
        return of(fold_batch_norm(linear, bn), linear, bn)


look("a new linear layer", lambda folded, linear, bn: isinstance(folded, nn.Linear))
look("its weight: 2 * 6 / sqrt(18 + 7)", lambda folded, linear, bn: folded.weight)
look("its bias: (1 - 3) * 1.2 + 7", lambda folded, linear, bn: folded.bias)
look("the linear layer is as it was", lambda folded, linear, bn: dict(linear.state_dict()))
look("batch norm is as it was", lambda folded, linear, bn: dict(bn.state_dict()))
look("and in the mode they were in", lambda folded, linear, bn: {"linear trains": linear.training, "batch norm trains": bn.training})
look("also where that is evaluation mode", lambda folded, linear, bn: bn.training, evaluate=True)


@task.probe("rows are scaled, not columns; and a linear layer without a bias is fine",
            shown="fold_batch_norm(linear, bn): linear has weight [[1, 2], [3, 4]] and bias=False; bn has weight [2, 10], bias [1, 5] and eps 0")
def _(fold_batch_norm):
    linear, bn = nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2, eps=0.)
    linear.load_state_dict({"weight": torch.tensor([[1., 2.], [3., 4.]])})
    bn.load_state_dict({**bn.state_dict(), "weight": torch.tensor([2., 10.]), "bias": torch.tensor([1., 5.])})
    folded = fold_batch_norm(linear, bn)
    return {"weight": folded.weight, "bias": folded.bias}


@task.probe("the same outputs; and both layers stay as they are, also when the new one moves", drawn=True)
def _(fold_batch_norm):
    linear, bn, x = fill_(nn.Linear(6, 4), seed=101), fill_(nn.BatchNorm1d(4), seed=102), sample(8, 6, seed=105)
    bn.num_batches_tracked += 7
    folded = fold_batch_norm(linear, bn)
    found = {"outputs": folded(x), "sizes": [folded.in_features, folded.out_features]}
    with torch.no_grad():
        folded.weight += 1
        folded.bias += 1
        linear.bias += 1
    later = fold_batch_norm(linear, bn)(x)
    return {**found, "linear": dict(linear.state_dict()), "batch norm": dict(bn.state_dict()), "modes": [linear.training, bn.training],
            "outputs after the linear layer has moved": later}


@task.probe("without a bias, with another eps, in evaluation mode", drawn=True)
def _(fold_batch_norm):
    linear, bn = fill_(nn.Linear(3, 3, bias=False), seed=103), fill_(nn.BatchNorm1d(3, eps=0.5), seed=104).eval()
    return {"outputs": fold_batch_norm(linear, bn)(sample(8, 3, seed=106)), "batch norm trains": bn.training}


# %% mistakes
SCALE = "bn.weight / torch.sqrt(bn.running_var + bn.eps)"
W, B = "scale[:, None] * linear.weight", "(bias - bn.running_mean) * scale + bn.bias"


def scale(sentence, value):
    mistake(sentence, scale=value)


def weight(sentence, value):
    mistake(sentence, {W: value})


def bias(sentence, value):
    mistake(sentence, {B: value})


eps = "bn.eps has no effect: divide by sqrt(running_var + bn.eps)."
scale(eps, "bn.weight / torch.sqrt(bn.running_var)")
scale(eps, "bn.weight / torch.sqrt(bn.running_var + 1e-5)")
scale("The root is missing: divide by sqrt(running_var + eps).", "bn.weight / (bn.running_var + bn.eps)")
scale("gamma (bn.weight) is left out.", "1 / torch.sqrt(bn.running_var + bn.eps)")
weight("The linear layer's own weight is left out.", "scale[:, None].expand_as(linear.weight)")
scale("eps belongs inside the root.", "bn.weight / (torch.sqrt(bn.running_var) + bn.eps)")
weight("The weight is still the linear layer's: the scale has no effect on it. (Fold in whatever mode batch norm is; here it trains.)", "linear.weight")
scale("The root multiplies here. Divide by it.", "bn.weight * torch.sqrt(bn.running_var + bn.eps)")
scale("The division by sqrt(running_var + bn.eps) is missing.", "bn.weight")
scale("Your scale stands upside down. It is bn.weight divided by the root, and multiplies.", "torch.sqrt(bn.running_var + bn.eps) / bn.weight")
weight("Your scale divides the weight. It is bn.weight divided by the root, and multiplies.", "linear.weight / scale[:, None]")
scale("The scale is made of bn.weight. You took bn.bias.", "bn.bias / torch.sqrt(bn.running_var + bn.eps)")
scale("You squared running_var + bn.eps. Take its root.", "bn.weight / (bn.running_var + bn.eps).square()")
scale("You subtracted bn.eps. Add it to running_var.", "bn.weight / torch.sqrt(bn.running_var - bn.eps)")
scale("This is what a running_var of 1 gives: did you copy batch norm without its buffers, or run it in training mode on inputs of your own? Divide by "
      "sqrt(running_var + bn.eps).", "bn.weight / torch.sqrt(torch.ones_like(bn.running_var) + bn.eps)")
scale("You took the root of running_mean. Take that of running_var.", "bn.weight / torch.sqrt(bn.running_mean + bn.eps)")
weight("You added the scale to the weight. Multiply by it.", "scale[:, None] + linear.weight")
weight("You scaled the columns. Row c of the weight makes feature c: use scale[:, None].", "scale * linear.weight")
weight("The rows are scaled, but your weight is transposed: that of nn.Linear has the shape (d_out, d_in).", "(scale[:, None] * linear.weight).T")
weight("The weight is transposed, then scaled. Row c of nn.Linear's weight, of shape (d_out, d_in), makes feature c.", "scale[:, None] * linear.weight.T")
bias("The linear layer's own bias is left out.", "-bn.running_mean * scale + bn.bias")
bias("The linear layer's own bias has to be scaled too.", "bias - bn.running_mean * scale + bn.bias")
bias("running_mean is left out.", "bias * scale + bn.bias")
bias("running_mean has to be scaled too.", "bias * scale - bn.running_mean + bn.bias")
bias("beta (bn.bias) is left out.", "(bias - bn.running_mean) * scale")
bias("running_mean has the wrong sign: it is subtracted.", "(bias + bn.running_mean) * scale + bn.bias")
bias("This is batch norm's bias alone.", "bn.bias")
bias("This is the linear layer's bias alone.", "bias")
bias("You subtracted bn.bias. Add it.", "(bias - bn.running_mean) * scale - bn.bias")
bias("You divided by the scale. Multiply by it.", "(bias - bn.running_mean) / scale + bn.bias")
bias("You added the scale. Multiply by it.", "(bias - bn.running_mean) + scale + bn.bias")
bias("The scale is missing: it multiplies bias - running_mean too.", "(bias - bn.running_mean) + bn.bias")
bias("This is running_mean * scale + bn.bias. Subtract running_mean from the linear layer's own bias before the scale.", "bn.running_mean * scale + bn.bias")
bias("You subtracted running_var. Subtract running_mean.", "(bias - bn.running_var) * scale + bn.bias")
NEW = "folded = nn.Linear(linear.in_features, linear.out_features)"
none = "Made with bias=False, a linear layer has no bias: it is None. Take zeros. (The new layer always has one.)"
mistake(none, bias="linear.bias")
mistake(none, bias="linear.bias.detach()")
mistake(none, bias="linear.bias.data.clone()")
mistake(none, {NEW: "folded = nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None)"})
mistake("Where the linear layer has no bias, the new one has batch norm's part of it all the same.",
        {B: "(bias - bn.running_mean) * scale + bn.bias if linear.bias is not None else bias"})
changed = "You changed the linear layer: make a new one, which does not share its parameters."
mistake(changed, {NEW: "folded = linear"})
mistake(changed, {NEW: NEW + "\n    folded.weight = linear.weight\n    if linear.bias is not None: folded.bias = linear.bias"})
mistake("This is what batch norm gives in training mode, of inputs of your own. Its running statistics have moved, too: work with them, and do not run it.", """
def fold_batch_norm(linear, bn):
    with torch.no_grad():
        points = torch.cat([torch.zeros(1, linear.in_features), torch.eye(linear.in_features)])
        out = bn(linear(points))
        new = nn.Linear(linear.in_features, linear.out_features)
        new.bias.copy_(out[0])
        new.weight.copy_((out[1:] - out[0]).T)
    return new
""")
kept = "You changed batch norm's running statistics or its counter: did it run in training mode, or was it reset?"
mistake(kept, {"return folded": "bn(torch.zeros(2, linear.out_features))\n    return folded"})
mistake(kept, {"return folded": "bn.reset_running_stats()\n    return folded"})
mistake(kept, {"return folded": "bn.num_batches_tracked.zero_()\n    return folded"})
mistake("You left batch norm in evaluation mode: put it back, or do not run it at all.", {"return folded": "bn.eval()\n    return folded"})
mistake("You left both layers in evaluation mode: put them back.", {"return folded": "bn.eval(), linear.eval()\n    return folded"})
mistake("You switched batch norm to training mode: put it back as it was.", {"return folded": "bn.train()\n    return folded"})
mistake("The new layer's bias is batch norm's own parameter: copy the numbers, or the one moves with the other.",
        {"return folded": "bn.bias.data.copy_(folded.bias)\n    folded.bias = bn.bias\n    return folded"})
new = "Return a new nn.Linear (not None, a chain of layers, or its weight and bias)."
mistake(new, {"return folded": "return nn.Sequential(folded)"})
mistake(new, {"return folded": "return folded.weight, folded.bias"})
mistake(new, {"return folded": "return None"})
mistake("The new layer's sizes are wrong: d_in inputs, d_out outputs.", {NEW: "folded = nn.Linear(linear.out_features, linear.in_features)\n"
        "    folded.weight = nn.Parameter(torch.empty_like(linear.weight))\n    folded.bias = nn.Parameter(torch.empty_like(bn.bias))"})

# %% right: ARENA
def fold_batch_norm(linear: nn.Linear, bn: nn.BatchNorm1d) -> nn.Linear:
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    old_bias = linear.bias if linear.bias is not None else torch.zeros(linear.out_features)
    folded = nn.Linear(linear.in_features, linear.out_features, bias=True)
    folded.weight = nn.Parameter(torch.einsum("o,oi->oi", scale, linear.weight).detach())
    folded.bias = nn.Parameter(((old_bias - bn.running_mean) * scale + bn.bias).detach())
    return folded

# %% right: CS231n
def fold_batch_norm(linear, bn):
    W = linear.weight.data
    b = linear.bias.data if linear.bias is not None else 0.0
    gamma, beta = bn.weight.data, bn.bias.data
    std = torch.sqrt(bn.running_var + bn.eps)
    out = nn.Linear(linear.in_features, linear.out_features)
    out.weight.data = W * (gamma / std).reshape(-1, 1)
    out.bias.data = gamma * (b - bn.running_mean) / std + beta
    return out

# %% right: makemore
@torch.no_grad()
def fold_batch_norm(linear, bn):
    s = bn.weight * (bn.running_var + bn.eps)**-0.5
    new = nn.Linear(linear.weight.shape[1], linear.weight.shape[0])
    new.weight[:] = linear.weight * s.view(-1, 1)
    new.bias[:] = (0 if linear.bias is None else linear.bias) * s - bn.running_mean * s + bn.bias
    return new

# %% right: torch source
def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    if linear_b is None:
        linear_b = torch.zeros_like(bn_rm)
    bn_scale = bn_w * torch.rsqrt(bn_rv + bn_eps)
    fused_w = linear_w * bn_scale.unsqueeze(-1)
    fused_b = (linear_b - bn_rm) * bn_scale + bn_b
    return nn.Parameter(fused_w, linear_w.requires_grad), nn.Parameter(fused_b, True)


def fold_batch_norm(linear, bn):
    fused_linear = nn.Linear(linear.in_features, linear.out_features, bias=True)
    fused_linear.weight, fused_linear.bias = fuse_linear_bn_weights(
        linear.weight, linear.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused_linear

# %% right: numpy first
import numpy as np


def fold_batch_norm(linear, bn):
    W = linear.weight.detach().numpy()
    b = np.zeros(W.shape[0]) if linear.bias is None else linear.bias.detach().numpy()
    s = bn.weight.detach().numpy() / np.sqrt(bn.running_var.numpy() + bn.eps)
    folded = nn.Linear(W.shape[1], W.shape[0])
    with torch.no_grad():
        folded.weight.copy_(torch.tensor(s[:, np.newaxis] * W))
        folded.bias.copy_(torch.tensor(s * (b - bn.running_mean.numpy()) + bn.bias.detach().numpy()))
    return folded

# %% right: plain loops
def fold_batch_norm(linear, bn):
    new = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        for c in range(linear.out_features):
            scale = bn.weight[c] / (bn.running_var[c] + bn.eps) ** 0.5
            for j in range(linear.in_features):
                new.weight[c, j] = scale * linear.weight[c, j]
            if linear.bias is None:
                bias = 0
            else:
                bias = linear.bias[c]
            new.bias[c] = scale * (bias - bn.running_mean[c]) + bn.bias[c]
    return new

# %% right: the folded layer from what the two layers do to zeros and to unit vectors
def fold_batch_norm(linear, bn):
    def run(x):
        h = x @ linear.weight.T
        if linear.bias is not None:
            h = h + linear.bias
        return (h - bn.running_mean) / (bn.running_var + bn.eps) ** 0.5 * bn.weight + bn.bias

    with torch.no_grad():
        at_zero = run(torch.zeros(1, linear.in_features))
        columns = run(torch.eye(linear.in_features)) - at_zero
        new = nn.Linear(linear.in_features, linear.out_features, bias=True)
        new.weight.copy_(columns.T)
        new.bias.copy_(at_zero[0])
    return new

# %% right: a deep copy of the linear layer is changed
import copy


def fold_batch_norm(linear, bn):
    folded = copy.deepcopy(linear)
    scale = (bn.weight / torch.sqrt(bn.running_var + bn.eps)).detach()
    old = folded.bias.detach() if folded.bias is not None else torch.zeros(linear.out_features)
    folded.weight.data = folded.weight.data * scale.unsqueeze(1)
    folded.bias = nn.Parameter((old - bn.running_mean) * scale + bn.bias.detach())
    return folded

# %% right: torch's own fusing function
def fold_batch_norm(linear, bn):
    from torch.nn.utils.fusion import fuse_linear_bn_weights
    w, b = fuse_linear_bn_weights(linear.weight, linear.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    folded = nn.Linear(linear.in_features, linear.out_features)
    folded.weight, folded.bias = nn.Parameter(w.detach()), nn.Parameter(b.detach())
    return folded

# %% right: weight and bias side by side as one matrix, loaded into the new layer
def fold_batch_norm(linear, bn):
    bias = torch.zeros(len(linear.weight)) if linear.bias is None else linear.bias
    whole = torch.cat([linear.weight, (bias - bn.running_mean)[:, None]], 1).detach()
    whole = whole * bn.weight.detach()[:, None] / (bn.running_var + bn.eps)[:, None] ** 0.5
    folded = nn.Linear(linear.in_features, linear.out_features)
    folded.load_state_dict({"weight": whole[:, :-1], "bias": whole[:, -1] + bn.bias})
    return folded
