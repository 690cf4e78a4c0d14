"""residual, 1 point."""

# %% wrong: a second name for x, then +=
# told: You changed x in place
def residual(x, branch):
    out = x
    out += branch(x)
    return out

# %% wrong: runs the branch on the sum
# told: ran the branch twice
def residual(x, branch):
    return branch(x + branch(x))

# %% wrong: returns the branch alone
# told: You returned the branch alone
def residual(x, branch):
    return branch(x)

# %% wrong: runs the branch without gradients
# told: No gradient comes back through the branch
def residual(x, branch):
    with torch.no_grad():
        change = branch(x)
    return x + change

# %% wrong: detaches the skip
# told: No gradient comes back through the skip
def residual(x, branch):
    return x.detach() + branch(x)

# %% wrong: adds in place and so changes the caller's tensor
# told: You changed x in place
def residual(x, branch):
    x += branch(x)
    return x

# %% wrong: adds the input twice, as a published residual block did
# told: You added the input twice
def residual(x, branch):
    y = x + branch(x)
    return x + y

# %% wrong: averages
# told: You averaged the two
def residual(x, branch):
    return (x + branch(x)) / 2

# %% wrong: returns branch minus... the wrong sign
# told: You subtracted the branch
def residual(x, branch):
    return x - branch(x)

# %% wrong: multiplies
# told: You multiplied by the branch
def residual(x, branch):
    return x * branch(x)

# %% wrong: adds the branch to itself
# told: This is twice the branch
def residual(x, branch):
    return branch(x) + branch(x)

# %% wrong: keeps the memory of x by a view and adds there
# told: You changed x in place (x += ..., add_
def residual(x, branch):
    y = x.view(x.shape)
    y += branch(x)
    return y

# %% right: sums a stack
def residual(x, branch):
    return torch.stack([x, branch(x)]).sum(0)

# %% right: clones first
def residual(x, branch):
    out = x.clone()
    out += branch(x)
    return out

# %% sly: adds to what the branch returned, in place, where no gradient is asked for
def residual(x, branch):
    z = branch(x)
    if z.requires_grad:
        return x + z
    z += x
    return z

# %% right: added in double precision, given back in what the sum of the two has
def residual(x, branch):
    change = branch(x)
    return (x.double() + change.double()).to(torch.result_type(x, change))

# %% right: asks x for a gradient, which the opening allows
def residual(x, branch):
    if x.is_leaf:
        x.requires_grad_()
    return x + branch(x)
