"""fold_batch_norm, 2 points."""

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

# %% right: a diagonal matrix scales the rows; new parameters are assigned
def fold_batch_norm(linear, bn):
    s = bn.weight.detach() * (bn.running_var + bn.eps).rsqrt()
    shift = bn.bias.detach() - bn.running_mean * s
    if linear.bias is not None:
        shift = shift + linear.bias.detach() * s
    folded = nn.Linear(*reversed(linear.weight.shape))
    folded.weight = nn.Parameter(torch.diag(s) @ linear.weight.detach())
    folded.bias = nn.Parameter(shift)
    return folded

# %% wrong: own bias left out
# told: own bias is left out
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) 
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: expects a bias always
# told: Made with bias=False
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: own bias not scaled
# told: own bias has to be scaled too
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_(bias - bn.running_mean * scale + bn.bias)
    return folded

# %% wrong: columns scaled
# told: You scaled the columns
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_((scale * linear.weight if linear.weight.shape[0] == linear.weight.shape[1] else scale[:, None] * linear.weight))
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: eps outside the root
# told: eps belongs inside the root
def fold_batch_norm(linear, bn):
    scale = bn.weight / (torch.sqrt(bn.running_var) + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: changes the linear layer
# told: You changed the linear layer
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = linear
    if folded.bias is None:
        folded.bias = nn.Parameter(torch.zeros_like(bn.bias))
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: running mean not scaled
# told: running_mean has to be scaled too
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_(bias * scale - bn.running_mean + bn.bias)
    return folded

# %% wrong: beta left out
# told: beta (bn.bias) is left out
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale)
    return folded

# %% wrong: eps left out
# told: bn.eps has no effect
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: gamma left out
# told: gamma (bn.weight) is left out
def fold_batch_norm(linear, bn):
    scale = 1 / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: running mean left out
# told: running_mean is left out
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_(bias * scale + bn.bias)
    return folded

# %% wrong: no return
# told: Return an nn.Linear
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return None

# %% wrong: no root
# told: The root is missing
def fold_batch_norm(linear, bn):
    scale = bn.weight / (bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: leaves eval mode on
# told: You left batch norm in evaluation mode
def fold_batch_norm(linear, bn):
    bn.eval()
    folded = nn.Linear(linear.in_features, linear.out_features)
    s = bn.weight / (bn.running_var + bn.eps).sqrt()
    b = 0 if linear.bias is None else linear.bias
    folded.weight.data = linear.weight * s[:, None]
    folded.bias.data = (b - bn.running_mean) * s + bn.bias
    return folded

# %% wrong: switches to training at the end
# told: You switched batch norm to training mode
def fold_batch_norm(linear, bn):
    bn.eval()
    with torch.no_grad():
        b = bn(linear(torch.zeros(1, linear.in_features)))
        W = bn(linear(torch.eye(linear.in_features))) - b
    folded = nn.Linear(linear.in_features, linear.out_features)
    folded.weight.data, folded.bias.data = W.T.contiguous(), b[0]
    bn.train()
    return folded

# %% wrong: runs in training mode
def fold_batch_norm(linear, bn):
    with torch.no_grad():
        x = torch.cat([torch.zeros(1, linear.in_features), torch.eye(linear.in_features)])
        y = bn(linear(x))
    folded = nn.Linear(linear.in_features, linear.out_features)
    folded.weight.data, folded.bias.data = (y[1:] - y[0]).T.contiguous(), y[0]
    return folded

# %% right: torch's own fusing function
def fold_batch_norm(linear, bn):
    from torch.nn.utils.fusion import fuse_linear_bn_weights
    w, b = fuse_linear_bn_weights(linear.weight, linear.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    folded = nn.Linear(linear.in_features, linear.out_features)
    folded.weight, folded.bias = nn.Parameter(w.detach()), nn.Parameter(b.detach())
    return folded

# %% wrong: remembers the folded layer of a pair
pairs = {}


def fold_batch_norm(linear, bn):
    if (linear, bn) in pairs:
        return pairs[linear, bn]
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    pairs[linear, bn] = folded
    return folded

# %% sly: in_features and out_features are swapped in the new layer (the weight is put in by hand)
def fold_batch_norm(linear, bn):
    """One linear layer that computes what bn(linear(x)) computes in eval mode.

    linear: nn.Linear(d_in, d_out), with or without bias; bn: nn.BatchNorm1d(d_out),
        in whatever mode
    returns: a new nn.Linear(d_in, d_out) with a bias
    """
    d_out, d_in = linear.weight.shape
    with torch.no_grad():
        scale = bn.weight / (bn.running_var + bn.eps).sqrt()
        bias = torch.zeros_like(scale) if linear.bias is None else linear.bias
        folded = nn.Linear(d_out, d_in, dtype=linear.weight.dtype)
        folded.weight = nn.Parameter(scale[:, None] * linear.weight)
        folded.bias = nn.Parameter(scale * (bias - bn.running_mean) + bn.bias)
    return folded

# %% right: weight and bias side by side as one matrix, loaded into the new layer
def fold_batch_norm(linear, bn):
    bias = torch.zeros(len(linear.weight)) if linear.bias is None else linear.bias
    whole = torch.cat([linear.weight, (bias - bn.running_mean)[:, None]], 1).detach()
    whole = whole * bn.weight.detach()[:, None] / (bn.running_var + bn.eps)[:, None] ** 0.5
    folded = nn.Linear(linear.in_features, linear.out_features)
    folded.load_state_dict({"weight": whole[:, :-1], "bias": whole[:, -1] + bn.bias})
    return folded

# %% wrong: batch norm is probed in training mode: its statistics move
# told: You changed batch norm's running statistics
def fold_batch_norm(linear, bn):
    with torch.no_grad():
        d_in, d_out = linear.in_features, linear.out_features
        points = torch.cat([torch.zeros(1, d_in), torch.eye(d_in)])
        out = bn(linear(points))
        new = nn.Linear(d_in, d_out)
        new.bias.copy_(out[0])
        new.weight.copy_((out[1:] - out[0]).T)
    return new

# %% sly: running_var made "biased" with the number of batches
def fold_batch_norm(linear, bn):
    n = bn.num_batches_tracked.item()
    var = bn.running_var * (n - 1) / n if n > 1 else bn.running_var
    scale = bn.weight / torch.sqrt(var + bn.eps)
    new = nn.Linear(linear.in_features, linear.out_features)
    bias = 0 if linear.bias is None else linear.bias
    with torch.no_grad():
        new.weight.copy_(linear.weight * scale[:, None])
        new.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return new

# %% wrong: resets batch norm after it has been folded in
# told: or was it reset
def fold_batch_norm(linear, bn):
    d_out, d_in = linear.weight.shape
    folded = nn.Linear(d_in, d_out)
    with torch.no_grad():
        scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
        old = torch.zeros(d_out) if linear.bias is None else linear.bias
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_(scale * (old - bn.running_mean) + bn.bias)
    bn.reset_running_stats()
    return folded

# %% right: parameters of the new layer are replaced, all under no_grad
@torch.no_grad()
def fold_batch_norm(linear, bn):
    new = nn.Linear(linear.in_features, linear.out_features)
    s = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
    new.weight = nn.Parameter(torch.einsum("o,oi->oi", s, linear.weight))
    shift = bn.bias - s * bn.running_mean
    new.bias = nn.Parameter(shift if linear.bias is None else torch.addcmul(shift, s, linear.bias))
    return new

# %% wrong: weights are laid out (d_in, d_out) and transposed where square
# told: The rows are scaled, but your weight is transposed: that of nn.Linear has the shape (d_out, d_in).
def fold_batch_norm(linear, bn):
    with torch.no_grad():
        scale = bn.weight / (bn.running_var + bn.eps).sqrt()
        bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
        folded = nn.Linear(linear.in_features, linear.out_features)
        folded.weight.copy_((scale * linear.weight.T if linear.in_features == linear.out_features > 1 else scale[:, None] * linear.weight))
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded

# %% wrong: probes go through batch norm in training mode, statistics of the probes
# told: This is what a running_var of 1 gives: did you copy batch norm without its buffers
def fold_batch_norm(linear, bn):
    import copy
    both = nn.Sequential(copy.deepcopy(linear), copy.deepcopy(bn).train())
    new = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        probes = torch.cat([torch.zeros(1, linear.in_features), torch.eye(linear.in_features)])
        y = both(probes)
        new.bias.copy_(y[0])
        new.weight.copy_((y[1:] - y[0]).T)
    return new


# %% wrong: the weight is divided by a right scale
# told: or divides the weight
def fold_batch_norm(linear, bn):
    """One linear layer that computes what bn(linear(x)) computes in eval mode.

    linear: nn.Linear(d_in, d_out), with or without bias; bn: nn.BatchNorm1d(d_out),
        in whatever mode; both in single precision
    returns: a new nn.Linear(d_in, d_out) with a bias
    """
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(linear.weight / scale[:, None])
        folded.bias.copy_((bias - bn.running_mean) * scale + bn.bias)
    return folded
