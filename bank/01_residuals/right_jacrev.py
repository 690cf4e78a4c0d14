# right: jacrev, and the condition number from the eigenvalues of J J^T

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    return torch.func.jacrev(network)(x)

# %% condition_number
def condition_number(jacobian):
    gram = jacobian @ jacobian.T if jacobian.shape[0] <= jacobian.shape[1] else jacobian.T @ jacobian
    values = torch.linalg.eigvalsh(gram)  # ascending
    return torch.sqrt(values[-1] / values[0])


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
