# wrong: the largest singular value alone
# fails: condition_number
# told: This is the largest singular value

# %% condition_number
def condition_number(jacobian):
    return torch.linalg.matrix_norm(jacobian, ord=2)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
