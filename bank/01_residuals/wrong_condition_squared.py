# wrong: eigenvalues of J J^T without the root
# fails: condition_number
# told: take the root

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian).square()
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
