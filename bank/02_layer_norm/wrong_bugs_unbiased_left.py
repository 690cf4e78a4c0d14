# wrong: repairs keepdim and eps, not the variance
# fails: standardise
# told: One bug remains: std divides by D - 1

# %% standardise
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()
