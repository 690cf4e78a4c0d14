# wrong: drops the reduced dimension
# fails: row_stats
# told: keepdim=True

# %% row_stats
def row_stats(x):
    return x.mean(-1), x.var(-1, correction=0)
