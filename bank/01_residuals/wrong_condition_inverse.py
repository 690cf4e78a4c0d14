# wrong: smallest by largest
# fails: condition_number
# told: You divided the smallest by the largest

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[-1] / values[0]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
