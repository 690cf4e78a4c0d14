# wrong: forgets s
# fails: residual_backward
# told: s is missing

# %% residual_backward
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = dy * (1 - a * a)
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)
