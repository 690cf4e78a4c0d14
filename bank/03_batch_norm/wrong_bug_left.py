# wrong: the function as it was
# fails: normalise
# told: The bug is still there

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    n = len(x)
    probe = nn.BatchNorm1d(x.shape[1], momentum=1.0)
    probe(x)
    mean, variance = probe.running_mean, probe.running_var * (n - 1) / n
    return F.batch_norm(x, mean, variance, gamma, beta, training=False, eps=eps)
