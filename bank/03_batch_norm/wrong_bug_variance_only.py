# wrong: the mean is still a constant
# fails: normalise
# told: the mean is still a constant

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(0).detach()
    variance = (x - mean).square().mean(0)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta
