# wrong: eigenvalues of a square matrix
# fails: condition_number
# told: You used eigenvalues

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.eigvals(jacobian).abs()
    return values.max() / values.min()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
