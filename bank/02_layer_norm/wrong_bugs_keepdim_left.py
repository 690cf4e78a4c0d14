# wrong: repairs the variance and eps, not keepdim
# fails: standardise
# told: One bug remains: the mean and the root lost their dimension

# %% standardise
def standardise(x, eps=1e-5):
    return (x - x.mean(-1)) / (x.var(-1, correction=0) + eps).sqrt()
