# wrong: multiplies
# fails: residual
# told: You multiplied by the branch

# %% residual
def residual(x, branch):
    return x * branch(x)
