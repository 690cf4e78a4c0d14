# wrong: returns the branch alone
# fails: residual
# told: You returned the branch alone

# %% residual
def residual(x, branch):
    return branch(x)
