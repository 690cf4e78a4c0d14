# wrong: a new mistake: unbiased variance
# fails: normalise
# told: The buggy version had that right

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta
