# wrong: returns the standard deviation
# fails: row_stats
# told: This is the standard deviation.

# %% row_stats
def row_stats(x):
    return x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
