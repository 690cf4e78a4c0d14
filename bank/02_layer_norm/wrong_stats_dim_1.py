# wrong: reduces dim=1, right for matrices only
# fails: row_stats
# told: You reduced dim=1

# %% row_stats
def row_stats(x):
    return x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)
