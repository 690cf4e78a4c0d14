# right: a deep copy of the linear layer is changed

# %% fold_batch_norm
import copy


def fold_batch_norm(linear, bn):
    folded = copy.deepcopy(linear)
    scale = (bn.weight / torch.sqrt(bn.running_var + bn.eps)).detach()
    old = folded.bias.detach() if folded.bias is not None else torch.zeros(linear.out_features)
    folded.weight.data = folded.weight.data * scale.unsqueeze(1)
    folded.bias = nn.Parameter((old - bn.running_mean) * scale + bn.bias.detach())
    return folded
