# right: a Python loop over the rows

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        mean = sum(row) / len(row)
        var = sum((v - mean) ** 2 for v in row) / len(row)
        rows.append((row - mean) / (var + eps) ** 0.5 * gamma + beta)
    return torch.stack(rows).reshape(x.shape)

# %% standardise
def standardise(x, eps=1e-5):
    if x.dim() > 1:
        return torch.stack([standardise(part, eps) for part in x])
    return (x - x.mean()) / (x.var(correction=0) + eps) ** 0.5
