# wrong: averages
# fails: residual
# told: You averaged the two

# %% residual
def residual(x, branch):
    return (x + branch(x)) / 2
