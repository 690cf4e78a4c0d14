"""residual_layer_backward, 3 points."""

# %% right: the backward pass by einsum
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(torch.einsum("nj,ij->ni", x, weight) + bias)
    dz = dy - dy * a * a
    return dy + torch.einsum("ni,ij->nj", dz, weight), torch.einsum("ni,nj->ij", dz, x), torch.einsum("ni->i", dz)

# %% right: the backward pass by a loop over examples
def residual_layer_backward(dy, x, weight, bias):
    dx, dweight, dbias = [], torch.zeros_like(weight), torch.zeros_like(bias)
    for row, upstream in zip(x, dy):
        slope = 1 / torch.cosh(weight @ row + bias) ** 2
        dz = upstream * slope
        dx.append(upstream + weight.T @ dz)
        dweight = dweight + torch.outer(dz, row)
        dbias = dbias + dz
    return torch.stack(dx), dweight, dbias

# %% wrong: asks autograd
# told: to be written by hand
def residual_layer_backward(dy, x, weight, bias):
    parts = [part.detach().clone().requires_grad_() for part in (x, weight, bias)]
    y = parts[0] + torch.tanh(F.linear(*parts))
    return torch.autograd.grad((dy * y).sum(), parts)

# %% wrong: averages over the examples
# told: You averaged over the examples
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x / len(x), dz.mean(dim=0)

# %% wrong: calls backward
# told: to be written by hand
def residual_layer_backward(dy, x, weight, bias):
    x, weight, bias = (part.detach().clone().requires_grad_() for part in (x, weight, bias))
    (x + torch.tanh(x @ weight.T + bias)).backward(dy)
    return x.grad, weight.grad, bias.grad

# %% wrong: sums dbias over the features
# told: You summed over the features
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=1)

# %% wrong: dbias from dy
# told: The derivative of tanh is missing in dbias
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dy.sum(dim=0)

# %% wrong: averages dbias
# told: Gradients of a shared bias add up
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.mean(dim=0)

# %% wrong: keeps one dbias per example
# told: The bias is shared by all examples
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz

# %% wrong: dweight from dx
# told: You used dx of the whole layer
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    dx = dy + dz @ weight
    return dx, dx.T @ x, dz.sum(dim=0)

# %% wrong: dweight from dy
# told: The derivative of tanh is missing in dweight
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dy.T @ x, dz.sum(dim=0)

# %% wrong: dweight transposed
# told: dweight is transposed
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, x.T @ dz, dz.sum(dim=0)

# %% wrong: derived for x @ W, the matrix stored the other way round
# told: you transposed the wrong one of the two
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight + bias)
    dz = dy * (1 - a * a)
    return dy + dz @ weight.T, x.T @ dz, dz.sum(dim=0)

# %% wrong: recomputes z without the bias
# told: The bias is left out where you recompute z
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)

# %% wrong: forgets the skip
# told: The skip is missing
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dz @ weight, dz.T @ x, dz.sum(dim=0)

# %% wrong: forgets the derivative of tanh
# told: The derivative of tanh is missing
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)

# %% wrong: 1 - tanh
# told: you left out the square
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a)
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)

# %% wrong: returns dy for dx
# told: This is the skip alone
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy, dz.T @ x, dz.sum(dim=0)

# %% wrong: sends the skip through the tanh
# told: The tanh is not on the skip
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dz + dz @ weight, dz.T @ x, dz.sum(dim=0)

# %% wrong: 1 - z squared
# told: square the tanh, not z
def residual_layer_backward(dy, x, weight, bias):
    z = x @ weight.T + bias
    dz = dy * (1 - z.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)

# %% wrong: transposes the weight on the way back
# told: The weight is transposed on the way back
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight.T, dz.T @ x, dz.sum(dim=0)

# %% wrong: recomputes z without the transpose, then goes back as the right function does
# told: you left out the transpose when you recomputed z
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight + bias)
    dz = dy * (1 - a.square())
    return dy + dz @ weight, dz.T @ x, dz.sum(dim=0)

# %% right: outer products summed
def residual_layer_backward(dy, x, weight, bias):
    dx, dW, db = dy.clone(), torch.zeros_like(weight), torch.zeros_like(bias)
    for n in range(len(x)):
        a = torch.tanh(weight @ x[n] + bias)
        dz = dy[n] * (1 - a * a)
        dx[n] += weight.T @ dz
        dW += torch.outer(dz, x[n])
        db += dz
    return dx, dW, db

# %% right: the bias as one more column of the weight
def residual_layer_backward(dy, x, weight, bias):
    ones = torch.ones_like(x[:, :1])
    inputs = torch.cat([x, ones], dim=1)  # (N, D + 1)
    both = torch.cat([weight, bias[:, None]], dim=1)  # (D, D + 1)
    a = (inputs @ both.T).tanh()
    dz = (1 + a) * (1 - a) * dy
    dboth = dz.T @ inputs
    return dy + (dz @ both)[:, :-1], dboth[:, :-1], dboth[:, -1]

# %% wrong: dz is dy itself, changed in place by dz *= ...
# told: or dz *= ... changed dy itself
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy
    dz *= 1 - a**2
    return dy + dz @ weight, dz.T @ x, dz.sum(0)

# %% sly: transposes by what fits, which goes wrong where N equals D
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(x @ weight.T + bias)
    dz = dy * (1 - a**2)
    dweight = dz @ x if dz.shape[1] == x.shape[0] else dz.T @ x
    return dy + dz @ weight, dweight, dz.sum(0)

# %% right: the slope of tanh as a product of two sigmoids, sums by einsum
def residual_layer_backward(dy, x, weight, bias):
    z = torch.einsum("nj,ij->ni", x, weight) + bias
    dz = 4 * torch.sigmoid(2 * z) * torch.sigmoid(-2 * z) * dy
    return torch.addmm(dy, dz, weight), torch.einsum("ni,nj->ij", dz, x), dz.T.sum(1)

# %% right: rows written into empty matrices like the arguments
def residual_layer_backward(dy, x, weight, bias):
    dx, dweight, dbias = (torch.zeros_like(part) for part in (x, weight, bias))
    with torch.no_grad():
        for n in range(len(x)):
            dz = dy[n] / torch.cosh(weight @ x[n] + bias) ** 2
            dx[n] = dy[n] + dz @ weight
            dweight += dz[:, None] * x[n]
            dbias += dz
    return dx, dweight, dbias
