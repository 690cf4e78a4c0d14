# wrong: thinks that a block of nothing loses everything
# fails: condition_number
# told: A block that starts as the identity

# %% condition_number
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "lost", "SkipInit, alpha = 1/√L": "kept"}
