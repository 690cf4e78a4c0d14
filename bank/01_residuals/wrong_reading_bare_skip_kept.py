# wrong: takes the bare skip for harmless
# fails: condition_number
# told: A bare skip saves the median direction

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "kept", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
