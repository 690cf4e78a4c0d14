# wrong: adds in place and so changes the caller's tensor
# fails: residual
# told: You changed x in place

# %% residual
def residual(x, branch):
    x += branch(x)
    return x
