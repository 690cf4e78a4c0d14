# right: the repaired function keeps the probe and recomputes the statistics in the graph

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=0, correction=0)
    return torch.addcmul(beta, (x - mean) * torch.rsqrt(variance + eps), gamma)
