# wrong: answers kept for everything
# fails: condition_number

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "kept", "residual, s = 1": "kept", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
