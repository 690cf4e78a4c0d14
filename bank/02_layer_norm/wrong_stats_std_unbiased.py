# wrong: returns torch's default standard deviation
# fails: row_stats
# told: This is the standard deviation with D - 1

# %% row_stats
def row_stats(x):
    return x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
