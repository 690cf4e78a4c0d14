# wrong: divides the variance by D - 1
# fails: row_stats
# told: You divided by D - 1

# %% row_stats
def row_stats(x):
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)
