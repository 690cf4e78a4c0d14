# wrong: multiplies by W on the way back
# fails: residual_backward
# told: backward by its transpose

# %% residual_backward
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy * (1 - a * a)
    return dy + dz @ W, x.T @ dz, dz.sum(0)
