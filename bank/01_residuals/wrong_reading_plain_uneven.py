# wrong: trusts the largest direction of the plain net
# fails: condition_number
# told: median direction is shrunk far more

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "uneven", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
