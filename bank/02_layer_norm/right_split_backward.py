# right: the backward pass step by step along the graph

# %% layer_norm_backward
def layer_norm_backward(dy, x, gamma, eps):
    D = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    inverse = 1 / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + eps)
    dx_hat = dy * gamma
    dinverse = (dx_hat * centred).sum(-1, keepdim=True)
    dvar = -0.5 * inverse ** 3 * dinverse
    dcentred = dx_hat * inverse + 2 / D * centred * dvar
    dx = dcentred - dcentred.mean(-1, keepdim=True)
    leading = tuple(range(dy.dim() - 1))
    return dx, (dy * centred * inverse).sum(leading), dy.sum(leading)
