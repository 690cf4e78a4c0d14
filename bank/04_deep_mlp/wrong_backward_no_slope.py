# wrong: forgets the slope of tanh
# fails: residual_backward
# told: The slope of tanh is missing

# %% residual_backward
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)
