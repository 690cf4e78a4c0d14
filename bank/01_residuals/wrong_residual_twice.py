# wrong: adds the branch to itself
# fails: residual
# told: You added the branch to itself

# %% residual
def residual(x, branch):
    return branch(x) + branch(x)
