# wrong: repairs keepdim and the variance, not eps
# fails: standardise
# told: One bug remains: eps belongs inside the root

# %% standardise
def standardise(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, correction=0, keepdim=True) + eps)
