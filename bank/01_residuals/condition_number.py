"""condition_number, 1 point."""

# %% wrong: first by last diagonal entry
# told: as they stand in the matrix
def condition_number(jacobian):
    values = jacobian.diagonal().abs()
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: eigenvalues of a square matrix
# told: You used eigenvalues
def condition_number(jacobian):
    values = torch.linalg.eigvals(jacobian).abs()
    return values.max() / values.min()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: smallest by largest
# told: You divided the smallest by the largest
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[-1] / values[0]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: the largest singular value alone
# told: This is the largest entry, eigenvalue or singular value
def condition_number(jacobian):
    return torch.linalg.matrix_norm(jacobian, ord=2)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: largest by median
# told: You divided by one that is not the smallest
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values.median()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: eigenvalues of J J^T without the root
# told: take the root
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian).square()
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: answers kept for everything
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "kept", "residual, s = 1": "kept", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: takes the bare skip for harmless
# told: A bare skip saves the median direction
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "kept", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: trusts the largest direction of the plain net
# told: median direction is shrunk far more
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "uneven", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: takes the scaled skip for uneven
# told: With the small scale all directions
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "uneven"}

# %% wrong: thinks that a block of nothing loses everything
# told: A block that starts as the identity
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    return values[0] / values[-1]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "lost", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: keys with sqrt spelled out
# told: exactly the four names of the docstring
def condition_number(jacobian):
    return torch.linalg.cond(jacobian)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/sqrt(L)": "kept"}

# %% wrong: a word of his own
# told: Each answer is one of the words lost
def condition_number(jacobian):
    return torch.linalg.cond(jacobian)


def reading():
    return {"plain": "lost", "residual, s = 1": "not even", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: reading not begun
def condition_number(jacobian):
    return torch.linalg.cond(jacobian)


def reading():
    raise NotImplementedError("TODO: write your solution here")

# %% right: svd, max over min
def condition_number(jacobian):
    _, s, _ = torch.svd(jacobian)
    return (s.max() / s.min()).item()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% sly: eigenvalues of J Jᵀ, of which a tall matrix has too many (zeros)
def condition_number(jacobian):
    wide = jacobian.double()
    eigenvalues = torch.linalg.eigvalsh(wide @ wide.T).clamp(min=0)
    return (eigenvalues[-1] / eigenvalues[0]).sqrt().item()

def reading():
    return {"plain": "lost", "residual, s = 1": "uneven",
            "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% sly: rows beyond the number of columns are dropped
def condition_number(jacobian):
    rows, columns = jacobian.shape
    values = torch.linalg.svdvals(jacobian[:columns])
    return (values[0] / values[-1]).item()

def reading():
    return {"plain": "lost", "residual, s = 1": "uneven",
            "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: the triangle of a QR decomposition has the same singular values
def condition_number(jacobian):
    rows, columns = jacobian.shape
    tall = jacobian if rows >= columns else jacobian.T
    triangle = torch.linalg.qr(tall, mode="r").R
    values, _ = torch.sort(torch.linalg.svdvals(triangle))
    return values[-1].div(values[0]).item()


def reading():
    return dict([("plain", "lost"), ("residual, s = 1", "uneven")],
                **{"SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"})

# %% wrong: no root, the eigenvalues of JᵀJ
# told: This is its square
def condition_number(jacobian):
    return (torch.linalg.svdvals(jacobian).square().max()
            / torch.linalg.svdvals(jacobian).square().min()).item()

def reading():
    return {"plain": "lost", "residual, s = 1": "uneven",
            "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: divides the largest entry by the smallest one that is not zero
def condition_number(jacobian):
    a = jacobian[jacobian != 0].abs()
    return a.max() / a.min()


def reading():
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

# %% right: roots of the eigenvalues of the smaller JᵀJ
def condition_number(jacobian):
    J = jacobian if jacobian.shape[0] >= jacobian.shape[1] else jacobian.T
    J = J.double()
    e = torch.linalg.eigvalsh(J.T @ J).abs()
    return (e[-1] / e[0]).sqrt()


def reading():
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

# %% right: NumPy's condition number
def condition_number(jacobian):
    import numpy
    return float(numpy.linalg.cond(jacobian.detach().numpy()))


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% sly: by way of J Jᵀ in the given precision: in single precision condition numbers of thousands are rounding
def condition_number(jacobian):
    rows, columns = jacobian.shape
    gram = jacobian @ jacobian.T if rows <= columns else jacobian.T @ jacobian
    values = torch.linalg.eigvalsh(gram).clamp(min=0).sqrt()
    return values[-1] / values[0]


def reading():
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

# %% wrong: largest by first as they stand
# told: You divided by one that is not the smallest
def condition_number(jacobian):
    n = min(jacobian.shape)
    sizes = torch.linalg.eigvals(jacobian[:n, :n]).abs()
    return sizes.max() / sizes[0]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven",
            "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% wrong: tall matrices go by JᵀJ in the given precision
# told: Are small singular values lost
def condition_number(jacobian):
    rows, columns = jacobian.shape
    if rows <= columns:
        values = torch.linalg.svdvals(jacobian)
        return values[0] / values[-1]
    values = torch.linalg.eigvalsh(jacobian.T @ jacobian).clamp(min=0).sqrt()
    return values[-1] / values[0]


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}
