# right: double precision inside, cast back

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    wide = x.double()
    centred = wide - wide.mean(0)
    return (centred / (centred.pow(2).mean(0) + eps).sqrt() * gamma + beta).to(x.dtype)

# %% calibrate
def calibrate(bn, batches):
    n, total, squares = 0, 0.0, 0.0
    for batch in batches:
        n += len(batch)
        total = total + batch.double().sum(0)
        squares = squares + batch.double().pow(2).sum(0)
    mean = total / n
    bn.running_mean.copy_(mean)
    bn.running_var.copy_((squares - n * mean ** 2) / (n - 1))
    return bn

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    wide = x.double()
    out = (wide - wide.mean(0)) / (wide.var(0, unbiased=False) + eps).sqrt()
    return (out * gamma + beta).float()
