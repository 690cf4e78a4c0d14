# wrong: a second name for x, then +=
# fails: residual
# told: You changed x in place

# %% residual
def residual(x, branch):
    out = x
    out += branch(x)
    return out
