# wrong: returns dW transposed
# fails: residual_backward
# told: dW is transposed

# %% residual_backward
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy * (1 - a * a)
    return dy + dz @ W.T, dz.T @ x, dz.sum(0)
