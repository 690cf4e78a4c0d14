# wrong: runs the branch on the sum
# fails: residual
# told: ran the branch twice

# %% residual
def residual(x, branch):
    return branch(x + branch(x))
