# right: forward mode, and the condition number from matrix norms

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.func.jacfwd(network)(x)

# %% condition_number
def condition_number(jacobian):
    return torch.linalg.matrix_norm(jacobian, ord=2) / torch.linalg.matrix_norm(jacobian, ord=-2)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
