# wrong: adds the input twice, as a published residual block did
# fails: residual
# told: You added the input twice

# %% residual
def residual(x, branch):
    y = x + branch(x)
    return x + y
