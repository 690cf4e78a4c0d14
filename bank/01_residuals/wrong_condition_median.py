# wrong: largest by median
# fails: condition_number
# told: You divided by the median

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values.median()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
