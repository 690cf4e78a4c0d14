# wrong: changes the linear layer
# fails: fold_batch_norm
# told: You changed the linear layer

# %% fold_batch_norm
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
