# wrong: detaches the skip
# fails: residual
# told: No gradient comes back through the skip

# %% residual
def residual(x, branch):
    return x.detach() + branch(x)
