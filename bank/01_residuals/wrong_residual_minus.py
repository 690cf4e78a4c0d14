# wrong: returns branch minus... the wrong sign
# fails: residual
# told: You subtracted the branch

# %% residual
def residual(x, branch):
    return x - branch(x)
