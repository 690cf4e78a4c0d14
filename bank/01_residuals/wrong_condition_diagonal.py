# wrong: first by last diagonal entry
# fails: condition_number
# told: as they stand in the matrix

# %% condition_number
def condition_number(jacobian):
    values = jacobian.diagonal().abs()
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
