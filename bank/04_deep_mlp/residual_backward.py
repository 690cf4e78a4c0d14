"""residual_backward, 2 points."""

# %% right: the gradient with einsum, the slope as 1 / cosh^2
def residual_backward(dy, x, W, b, s):
    z = torch.einsum("nd,de->ne", x, W) + b
    dz = s * dy / torch.cosh(z) ** 2
    return dy + torch.einsum("ne,de->nd", dz, W), torch.einsum("nd,ne->de", x, dz), torch.einsum("ne->e", dz)

# %% right: the gradient summed up example by example, in double precision
def residual_backward(dy, x, W, b, s):
    dx, dW, db = torch.zeros_like(x), torch.zeros_like(W), torch.zeros_like(b)
    for n in range(len(x)):
        a = torch.tanh(x[n].double() @ W.double() + b.double())
        dz = (s * dy[n].double() * (1 - a) * (1 + a)).to(dy)
        dx[n] = dy[n] + W @ dz
        dW += torch.outer(x[n], dz)
        db += dz
    return [dx, dW, db]

# %% wrong: lets autograd do it
# told: by hand
def residual_backward(dy, x, W, b, s):
    leaves = [t.clone().requires_grad_() for t in (x, W, b)]
    y = leaves[0] + s * torch.tanh(leaves[0] @ leaves[1] + leaves[2])
    return torch.autograd.grad(y, leaves, dy)

# %% wrong: averages over the examples
# told: You averaged over the examples
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy * (1 - a * a)
    return dy + dz @ W.T, x.T @ dz / len(x), dz.mean(0)

# %% wrong: returns dW transposed
# told: dW is transposed
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy * (1 - a * a)
    return dy + dz @ W.T, dz.T @ x, dz.sum(0)

# %% wrong: does not sum db
# told: sum over the examples
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy * (1 - a * a)
    return dy + dz @ W.T, x.T @ dz, dz

# %% wrong: forgets the direct way
# told: The direct way is missing
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy * (1 - a * a)
    return dz @ W.T, x.T @ dz, dz.sum(0)

# %% wrong: forgets s
# told: s has no effect in the branch
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = dy * (1 - a * a)
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)

# %% wrong: forgets the slope of tanh
# told: The slope of tanh has no effect
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)

# %% wrong: multiplies by W on the way back
# told: backward by its transpose
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    a = torch.tanh(x @ W + b)
    dz = s * dy * (1 - a * a)
    return dy + dz @ W, x.T @ dz, dz.sum(0)

# %% wrong: no bias
# told: The bias has no effect where you recompute z
def residual_backward(dy, x, W, b, s):
    t = torch.tanh(x @ W)
    dz = dy * s * (1 - t ** 2)
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)

# %% wrong: writes dx into dy
def residual_backward(dy, x, W, b, s):
    t = torch.tanh(x @ W + b)
    dz = dy * s * (1 - t ** 2)
    dy += dz @ W.T
    return dy, x.T @ dz, dz.sum(0)

# %% right: makemore's names
def residual_backward(dy, x, W, b, s):
    hpreact = x @ W + b
    h = torch.tanh(hpreact)
    dh = s * dy
    dhpreact = (1.0 - h**2) * dh
    dx = dhpreact @ W.T
    dx = dx + dy
    return dx, x.T @ dhpreact, dhpreact.sum(0)

# %% right: one over the square of cosh
def residual_backward(dy, x, W, b, s):
    slope = torch.cosh(torch.addmm(b, x, W).clamp(-300, 300).double()).pow(-2).to(dy)
    dz = dy.mul(slope).mul(s)
    return torch.addmm(dy, dz, W.mT), torch.einsum("ni,nj->ij", x, dz), torch.einsum("nj->j", dz)

# %% wrong: s or 1
def residual_backward(dy, x, W, b, s):
    a = torch.tanh(x @ W + b)
    dz = (s or 1) * dy * (1 - a * a)
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)

# %% right: tanh by exp
def residual_backward(dy, x, W, b, s):
    a = ((x @ W + b).exp() - (-x @ W - b).exp()) / ((x @ W + b).exp() + (-x @ W - b).exp())
    dz = s * dy * (1 - a * a)
    return dy + dz @ W.T, x.T @ dz, dz.sum(0)

# %% right: the slope from two sigmoids, outer products
def residual_backward(dy, x, W, b, s):
    z = b + x.mm(W)
    slope = 4 * torch.sigmoid(2 * z) * torch.sigmoid(-2 * z)
    dz = slope * (dy * s)
    dW = (x[:, :, None] * dz[:, None, :]).sum(0)
    dx = dy.clone()
    dx += (W[None] * dz[:, None, :]).sum(-1)
    return [dx, dW, torch.ones(len(x), dtype=x.dtype) @ dz]

# %% right: the bias as one more row of W, x with a column of ones
def residual_backward(dy, x, W, b, s):
    ones = torch.ones_like(x[:, :1])
    x1, W1 = torch.cat([x, ones], dim=1), torch.cat([W, b[None]], dim=0)
    dz = (1 - (x1 @ W1).tanh() ** 2).mul(dy).mul(s)
    dW1 = x1.T @ dz
    dx1 = dz @ W1.T
    return dy + dx1[:, :-1], dW1[:-1], dW1[-1]

# %% sly: s is cut to an int unless it is below 1
def residual_backward(dy, x, W, b, s):
    a = torch.tanh(x @ W + b)
    s = int(s) if s >= 1 else s
    dz = s * dy * (1 - a**2)
    dx = dy + dz @ W.T
    dW = x.T @ dz
    db = dz.sum(0)
    return dx, dW, db

# %% right: einsum, and the slope as a product of two factors
def residual_backward(dy, x, W, b, s):
    a = torch.tanh(torch.einsum("ni,ij->nj", x, W) + b)
    dz = dy * (1 - a) * (1 + a) * s
    dx = torch.einsum("nj,ij->ni", dz, W)
    dx += dy
    return dx, torch.einsum("ni,nj->ij", x, dz), torch.einsum("nj->j", dz)

# %% right: slope as 1 / cosh(z)²
def residual_backward(dy, x, W, b, s):
    z = torch.addmm(b, x, W)
    sech = 1 / torch.cosh(z)
    dz = dy * sech * sech * s
    return torch.addmm(dy, dz, W.t()), torch.mm(x.t(), dz), torch.sum(dz, dim=0)

# %% right: slope from sigmoids: tanh'(z) = 4 σ(2z) σ(-2z)
def residual_backward(dy, x, W, b, s):
    z = 2 * (F.linear(x, W.T, b))
    slope = 4 * torch.sigmoid(z) * torch.sigmoid(-z)
    dz = slope.mul(dy).mul(s)
    dx = F.linear(dz, W).add(dy)
    dW = dz.T.matmul(x).T
    db = torch.ones(len(x), dtype=dz.dtype) @ dz
    return dx, dW, db
