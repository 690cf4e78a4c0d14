# wrong: centres the caller's tensor
# fails: row_stats
# told: You changed x in place

# %% row_stats
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    x -= mean
    return mean, (x ** 2).mean(-1, keepdim=True)
