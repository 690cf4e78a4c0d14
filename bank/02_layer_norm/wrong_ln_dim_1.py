# wrong: reduces dim=1
# fails: layer_norm
# told: You reduced dim=1

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    dim = 1 if x.dim() > 1 else 0
    mean, var = x.mean(dim, keepdim=True), x.var(dim, correction=0, keepdim=True)
    return gamma * (x - mean) / (var + eps).sqrt() + beta
