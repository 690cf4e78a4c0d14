# wrong: the variance is still a constant
# fails: normalise
# told: the variance is still a constant

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    with torch.no_grad():
        variance = x.var(0, correction=0)
    return gamma * (x - x.mean(0)) / torch.sqrt(variance + eps) + beta
