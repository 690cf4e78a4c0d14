# wrong: running mean not scaled
# fails: fold_batch_norm
# told: running_mean has to be scaled too

# %% fold_batch_norm
def fold_batch_norm(linear, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.bias) if linear.bias is None else linear.bias
    folded = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        folded.weight.copy_(scale[:, None] * linear.weight)
        folded.bias.copy_(bias * scale - bn.running_mean + bn.bias)
    return folded
