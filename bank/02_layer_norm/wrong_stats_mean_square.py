# wrong: squares without subtracting the mean
# fails: row_stats
# told: Subtract the mean before you square

# %% row_stats
def row_stats(x):
    mean = x.mean(-1, keepdim=True)
    return mean, (x ** 2).mean(-1, keepdim=True)
