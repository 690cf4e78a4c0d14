# right: the repaired function uses a fresh layer in training mode

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    probe = nn.BatchNorm1d(x.shape[1], eps=eps, affine=False, track_running_stats=False)
    return gamma * probe(x) + beta
