# wrong: runs the branch without gradients
# fails: residual
# told: No gradient comes back through the branch

# %% residual
def residual(x, branch):
    with torch.no_grad():
        change = branch(x)
    return x + change
