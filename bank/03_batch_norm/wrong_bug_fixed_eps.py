# wrong: eps is not passed on
# fails: normalise
# told: eps is fixed at 1e-5

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    return F.batch_norm(x, None, None, gamma, beta, training=True)
