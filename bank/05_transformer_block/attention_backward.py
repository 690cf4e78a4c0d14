"""attention_backward, 2 points."""

# %% right: with the Jacobian of the softmax written out
def attention_backward(dy, q, k, v, P):
    scale = q.shape[-1] ** -0.5
    jacobian = torch.diag_embed(P) - P[:, :, None] * P[:, None, :]
    dS = torch.einsum("ijk,ik->ij", jacobian, dy @ v.mT) * scale
    return dS @ k, dS.mT @ q, P.mT @ dy

# %% right: the mean by y, as FlashAttention does
def attention_backward(dy, q, k, v, P):
    y = P @ v
    delta = (dy * y).sum(-1, keepdim=True)
    dS = P * (dy @ v.T - delta) / q.shape[-1] ** 0.5
    return dS @ k, dS.T @ q, P.T @ dy

# %% right: query after query
def attention_backward(dy, q, k, v, P):
    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for i in range(len(q)):
        p = P[i]
        dp = v @ dy[i]
        ds = p * (dp - p @ dp) / math.sqrt(q.shape[1])
        dq[i] = ds @ k
        dk += torch.outer(ds, q[i])
        dv += torch.outer(p, dy[i])
    return [dq, dk, dv]

# %% right: the three stacked in one tensor
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return torch.stack((dS @ k, dS.T @ q, dv))


# %% wrong: dv without the transpose
# told: dv needs the transpose of P: key j gets from every query i
def attention_backward(dy, q, k, v, P):
    dv = P @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: dv without the weights
# told: dv: dy reaches the values through the weights. Multiply by
def attention_backward(dy, q, k, v, P):
    dv = dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: the mean is missing
# told: The derivative of the softmax is missing its second half:
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * dP / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: no softmax at all
# told: You skipped the softmax: dP is not yet the gradient of the scores.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = dP / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: an unweighted mean
# told: You took off the plain mean of the row. The mean is weighted by P.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - dP.mean(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: a sum without P
# told: You took off the sum of the row of dP. Weigh it by P.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - dP.sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: over the columns
# told: What you take off is not the row's own mean
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(0, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: P times one minus P
# told: P (1 - P) is only the diagonal of the softmax's derivative.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (1 - P) * dP / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: plus in the softmax
# told: The sign is wrong: the mean is taken off, not added.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP + (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: no scale
# told: The scores were divided by the root of D on the way forth;
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True))
    return dS @ k, dS.T @ q, dv

# %% wrong: divides by D
# told: This is what dividing by D gives. Divide by its root, once.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / q.shape[-1]
    return dS @ k, dS.T @ q, dv

# %% wrong: multiplies by the root
# told: This is what multiplying by the root of D gives. Divide by it, once, as on the way forth.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) * math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: dq and dk exchanged
# told: dq and dk have changed places, or one stands in both.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS.T @ q, dS @ k, dv

# %% wrong: dk without the transpose
# told: dk needs the transpose of dS.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS @ q, dv

# %% wrong: dq with the transpose
# told: dq needs dS as it is, not its transpose.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS.T @ k, dS.T @ q, dv

# %% wrong: dq from q
# told: dq is made of keys: a score q k changes by k when q moves.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ q, dS.T @ q, dv

# %% wrong: dk from k
# told: dk is made of queries: a score q k changes by q when k moves.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ k, dv

# %% wrong: dP from dv
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dv @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: dP transposed
# told: dP[i, j] is what weight j of query i is worth: dy of row i
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = v @ dy.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, dv

# %% wrong: wrong order of answers
# told: The order of the answers is dq, dk, dv.
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dv, dS @ k, dS.T @ q

# %% wrong: by autograd
# told: is to be written by hand here
def attention_backward(dy, q, k, v, P):
    T = len(q)
    q, k, v = (t.detach().clone().requires_grad_() for t in (q, k, v))
    scores = (q @ k.T / math.sqrt(q.shape[-1])).masked_fill(P == 0, -math.inf)
    return torch.autograd.grad(scores.softmax(-1) @ v, (q, k, v), dy)

# %% wrong: works in place
# told: You changed one of the tensors you were given
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    answers = dS @ k, dS.T @ q, dv
    dy *= 0
    return answers

# %% right: a root that is a tensor, a list of answers
def attention_backward(dy, q, k, v, P):
    scale = 1 / torch.tensor(float(q.size(-1))).sqrt()
    dP = torch.mm(dy, v.mT)
    dS = torch.mul(P, dP.sub(P.mul(dP).sum(dim=1)[:, None]))
    return [dS.mm(k).mul(scale), dS.mT.mm(q).mul(scale), P.mT.mm(dy)]

# %% wrong: one feature loses its dimension
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return (dS @ k).squeeze(-1), (dS.T @ q).squeeze(-1), dv

# %% right: under no_grad
@torch.no_grad()
def attention_backward(dy, q, k, v, P):
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(1, keepdim=True)) * q.shape[1] ** -0.5
    return dS @ k, dS.T @ q, P.T @ dy

# %% wrong: the order is dv, dk, dq
# told: the order is dq, dk, dv
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return dv, dS.T @ q, dS @ k


# %% right: the mean by y, through einsum, with the root on k and q
def attention_backward(dy, q, k, v, P):
    root = q.shape[1] ** 0.5
    y = P.matmul(v)
    dP = torch.einsum("id,jd->ij", dy, v)
    dS = P * dP - P * (dy * y).sum(1)[:, None]
    return dS.matmul(k / root), dS.mT.matmul(q / root), torch.einsum("ij,id->jd", P, dy)

# %% right: the Jacobians of all rows at once
def attention_backward(dy, q, k, v, P):
    J = torch.diag_embed(P) - P[:, :, None] * P[:, None, :]
    dS = torch.einsum("ijk,ik->ij", J, dy @ v.T) / math.sqrt(q.shape[-1])
    return dS @ k, dS.T @ q, P.T @ dy

# %% right: plain numbers, lists and sums
def attention_backward(dy, q, k, v, P):
    T, D = q.shape
    dy_, q_, k_, v_, P_ = (one.tolist() for one in (dy, q, k, v, P))
    tokens, features = range(T), range(D)
    dP = [[sum(dy_[i][c] * v_[j][c] for c in features) for j in tokens] for i in tokens]
    mean = [sum(P_[i][j] * dP[i][j] for j in tokens) for i in tokens]
    dS = [[P_[i][j] * (dP[i][j] - mean[i]) / math.sqrt(D) for j in tokens]
          for i in tokens]
    dq = [[sum(dS[i][j] * k_[j][c] for j in tokens) for c in features] for i in tokens]
    dk = [[sum(dS[i][j] * q_[i][c] for i in tokens) for c in features] for j in tokens]
    dv = [[sum(P_[i][j] * dy_[i][c] for i in tokens) for c in features] for j in tokens]
    return tuple(torch.tensor(one, dtype=q.dtype) for one in (dq, dk, dv))

# %% wrong: the mean taken off is a sum down each column of P dP
# told: What you take off is not the row's own mean
def attention_backward(dy, q, k, v, P):
    """Gradients of y = P v, where P = softmax(q k^T / sqrt(D)), row by row, masked.

    dy, q, k, v: (T, D); P: (T, T), as it was on the way forth
    returns: dq, dk, dv, (T, D) each
    """
    root = math.sqrt(q.shape[-1])
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(0, keepdim=True))
    dq = dS @ k / root
    dk = dS.T @ q / root
    return dq, dk, dv

# %% right: row by row, only where P is not 0
def attention_backward(dy, q, k, v, P):
    dq, dk, dv = (torch.zeros_like(one) for one in (q, k, v))
    for i in range(len(q)):
        seen = P[i].nonzero()[:, 0]
        p = P[i, seen]
        worth = v[seen] @ dy[i]
        ds = p * (worth - (p * worth).sum()) / q.shape[1] ** 0.5
        dq[i] = ds @ k[seen]
        dk[seen] += ds[:, None] * q[i]
        dv[seen] += p[:, None] * dy[i]
    return dq.detach(), dk.detach(), dv.detach()
