# wrong: one mean for the whole tensor
# fails: row_stats
# told: Each row has a mean of its own

# %% row_stats
def row_stats(x):
    return x.mean(), x.var(correction=0)
