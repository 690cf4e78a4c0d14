# wrong: statistics put into F.batch_norm, which ignores their gradient
# fails: normalise
# told: The bug is still there

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    mean, variance = x.mean(0), x.var(0, correction=0)
    return F.batch_norm(x, mean.data, variance.data, gamma, beta, training=False, eps=eps)
