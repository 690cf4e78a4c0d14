# right: a diagonal matrix scales the rows; new parameters are assigned

# %% fold_batch_norm
def fold_batch_norm(linear, bn):
    s = bn.weight.detach() * (bn.running_var + bn.eps).rsqrt()
    shift = bn.bias.detach() - bn.running_mean * s
    if linear.bias is not None:
        shift = shift + linear.bias.detach() * s
    folded = nn.Linear(*reversed(linear.weight.shape))
    folded.weight = nn.Parameter(torch.diag(s) @ linear.weight.detach())
    folded.bias = nn.Parameter(shift)
    return folded
