"""standardise, 2 points."""

# %% wrong: copies the suspect
# told: Two bugs remain
def standardise(x, eps=1e-5):
    mean = x.mean(-1)
    std = x.std(-1)
    return (x - mean) / (std + eps)

# %% wrong: repairs keepdim and the variance, not eps
# told: One bug remains: eps belongs inside the root
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, correction=0, keepdim=True) + eps)

# %% wrong: repairs the variance and eps, not keepdim
# told: One bug remains: the mean and the root lost their dimension
def standardise(x, eps=1e-5):
    return (x - x.mean(-1)) / (x.var(-1, correction=0) + eps).sqrt()

# %% wrong: repairs keepdim and eps, not the variance
# told: One bug remains: std divides by D - 1
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()
