# wrong: averages over the rows
# fails: row_stats
# told: You averaged over the rows (dim 0)

# %% row_stats
def row_stats(x):
    return x.mean(0, keepdim=True), x.var(0, correction=0, keepdim=True)
