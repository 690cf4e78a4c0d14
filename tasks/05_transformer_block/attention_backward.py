"""attention_backward, 2 points: the way back through attention, by hand."""
import math

import torch

task = Task("attention_backward", by_hand="autograd")


def weights(q, k):
    """P of the way forth."""
    later = torch.ones(len(q), len(q)).triu(1).bool()
    return (q @ k.T / math.sqrt(q.shape[-1])).masked_fill(later, -math.inf).softmax(-1)


def case(T, D, label):
    def make():
        dy, q, k, v = (sample(T, D, seed=131 + i) for i in range(4))
        return dy, q, k, v, weights(q, k)

    f.case(label, make, of=tuple, shown=f"attention_backward of {T} tokens of width {D}")


f = task.function(gradient=False, dy="4 3", q="4 3", k="4 3", v="4 3", P=lambda: weights(sample(4, 3, seed=5), sample(4, 3, seed=6)),
                  skip=["drawn numbers", "other drawn numbers"])
given = dict(dy=[[5., 1., 1., 0.], [2., -1., 4., 0.]], q=[[1., 0., 2., 1.], [2., 1., 0., -1.]], k=[[0., 1., 1., 3.], [1., 2., -1., 0.]],
             v=[[1., 2., 0., 1.], [3., 0., 1., 2.]], P=[[1., 0.], [0.25, 0.75]])
# Of the second row: dP is (0, 10), their mean by P is 7.5, and so dS is (0.25 * -7.5, 0.75 * 2.5) / 2 = (-0.9375, 0.9375).
f.look("dv: the weights, the other way round", of=lambda answer: answer[2], **given)
f.look("dq: a token that sees only itself gets nothing", of=first, **given)
f.look("dk: from all queries that looked at the key", of=second, **given)
case(5, 3, "5 tokens of width 3")
case(3, 8, "3 tokens of width 8")
case(4, 1, "tokens of one feature")
case(1, 2, "a single token")

# %% mistakes
MEAN, ROOT = "(P * dP).sum(-1, keepdim=True)", "math.sqrt(q.shape[-1])"
mistake("dv needs the transpose of P: key j gets from every query i that looked at it, with weight P[i, j].", dv="P @ dy")
mistake("dv: dy reaches the values through the weights. Multiply by P transposed.", dv="dy")
mistake("The order of the answers is dq, dk, dv.", returns="dv, dS @ k, dS.T @ q")
mistake("The order of the answers is dq, dk, dv.", returns="dv, dS.T @ q, dS @ k")
mistake("The derivative of the softmax is missing its second half: what one weight gains the others of its row lose. Take off the row's "
        "mean of dP, weighted by P.", dS=f"P * dP / {ROOT}")
mistake("You skipped the softmax: dP is not yet the gradient of the scores.", dS=f"dP / {ROOT}")
mistake("You took off the plain mean of the row. The mean is weighted by P.", dS=f"P * (dP - dP.mean(-1, keepdim=True)) / {ROOT}")
mistake("You took off the sum of the row of dP. Weigh it by P.", dS=f"P * (dP - dP.sum(-1, keepdim=True)) / {ROOT}")
own = "What you take off is not the row's own mean: sum each row (dim -1), with keepdim=True."
mistake(own, dS=f"P * (dP - (P * dP).sum(0, keepdim=True)) / {ROOT}")
mistake(own, dS=f"P * (dP - (P * dP).sum(-1)) / {ROOT}")
mistake(own, dS=f"P * (dP - (P * dP).sum()) / {ROOT}")
mistake("P (1 - P) is only the diagonal of the softmax's derivative. All weights of a row depend on each of its scores.",
        dS=f"P * (1 - P) * dP / {ROOT}")
mistake("The sign is wrong: the mean is taken off, not added.", dS=f"P * (dP + {MEAN}) / {ROOT}")
mistake("dq and dk have the wrong sign: is the mean taken off dP, not dP off the mean?", dS=f"P * ({MEAN} - dP) / {ROOT}")
mistake("dq has the wrong sign.", returns="-dS @ k, dS.T @ q, dv")
mistake("dk has the wrong sign.", returns="dS @ k, -dS.T @ q, dv")
mistake("The scores were divided by the root of the number of features, taken once.", dS=f"P * (dP - {MEAN}) / math.sqrt(math.sqrt(q.shape[-1]))")
mistake("The scores were divided by the root of the number of features, not of tokens.", dS=f"P * (dP - {MEAN}) / math.sqrt(len(q))")
mistake("The derivative of the softmax is P times a difference: P is missing.", dS=f"(dP - {MEAN}) / {ROOT}")
mistake("The scores were divided by the root of D on the way forth; so is their gradient.", dS=f"P * (dP - {MEAN})")
mistake("dk is too large by the root of D: the scores were divided by it, so dk is, too, once. (Is dS multiplied by it again, or taken "
        "from before the division?)", returns=f"dS @ k, dS.T @ q * {ROOT}, dv")
mistake("dq is too large by the root of D: the scores were divided by it, so dq is, too, once.", returns=f"dS @ k * {ROOT}, dS.T @ q, dv")
mistake("This is what dividing by D gives. Divide by its root, once.", dS=f"P * (dP - {MEAN}) / q.shape[-1]")
mistake("This is what multiplying by the root of D gives. Divide by it, once, as on the way forth.", dS=f"P * (dP - {MEAN}) * {ROOT}")
for returns in ("dS.T @ q, dS @ k, dv", "dS @ k, dS @ k, dv", "dS.T @ q, dS.T @ q, dv"):
    mistake("dq and dk have changed places, or one stands in both.", returns=returns)
mistake("dq needs dS as it is, not its transpose.", returns="dS.T @ k, dS.T @ q, dv")
mistake("dk needs the transpose of dS.", returns="dS @ k, dS @ q, dv")
mistake("dq is made of keys: a score q k changes by k when q moves.", returns="dS @ q, dS.T @ q, dv")
mistake("dk is made of queries: a score q k changes by q when k moves.", returns="dS @ k, dS.T @ k, dv")
worth = "dP[i, j] is what weight j of query i is worth: dy of row i times the value of row j."
mistake(worth, dP="v @ dy.T")
mistake("dP comes from dy, what arrives at the answer, not from dv.", dP="dv @ v.T")
mistake("One feature lost its dimension: all three have the shape of q.", returns="(dS @ k).squeeze(-1), (dS.T @ q).squeeze(-1), dv")

# %% right: ARENA
def attention_backward(
    dy: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, P: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    T, D = q.shape
    assert P.shape == (T, T)
    dv = torch.einsum("ij,id->jd", P, dy)
    dP = torch.einsum("id,jd->ij", dy, v)
    mean = torch.einsum("ij,ij->i", P, dP)
    dS = P * (dP - mean[:, None])
    dq = torch.einsum("ij,jd->id", dS, k) / D**0.5
    dk = torch.einsum("ij,id->jd", dS, q) / D**0.5
    return dq, dk, dv

# %% right: CS231n
def attention_backward(dy, q, k, v, P):
    T, D = q.shape
    cache = (q, k, v, P)
    # y = P v
    q, k, v, P = cache
    dP = dy.mm(v.t())
    dv = P.t().mm(dy)
    # P = softmax(S)
    dS = P * dP
    dS = dS - P * dS.sum(dim=1, keepdim=True)
    # S = q k^T / sqrt(D)
    dS = dS / math.sqrt(D)
    dq = dS.mm(k)
    dk = dS.t().mm(q)
    return dq, dk, dv

# %% right: makemore
def attention_backward(dy, q, k, v, P):
    dP = dy @ v.T
    dv = P.T @ dy
    dS = P * dP - P * (P * dP).sum(1, keepdim=True)
    dS *= q.shape[1]**-0.5
    dq, dk = dS @ k, dS.T @ q
    return dq, dk, dv

# %% right: torch source
def attention_backward(dy, q, k, v, P):
    scale = 1.0 / math.sqrt(q.size(-1))
    grad_value = torch.mm(P.t(), dy)
    grad_attn = torch.mm(dy, v.t())
    grad_scores = torch.addcmul(P * grad_attn, P, (P * grad_attn).sum(-1, True), value=-1)
    grad_query = torch.mm(grad_scores, k).mul_(scale)
    grad_key = torch.mm(grad_scores.t(), q).mul_(scale)
    return grad_query, grad_key, grad_value

# %% right: numpy first
import numpy as np


def attention_backward(dy, q, k, v, P):
    dy, q, k, v, P = (array.detach().numpy() for array in (dy, q, k, v, P))
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - np.sum(P * dP, axis=1, keepdims=True)) / np.sqrt(q.shape[1])
    return tuple(torch.tensor(array) for array in (dS @ k, dS.T @ q, dv))

# %% right: plain loops
def attention_backward(dy, q, k, v, P):
    T, D = q.shape
    dq = torch.zeros(T, D)
    dk = torch.zeros(T, D)
    dv = torch.zeros(T, D)
    for i in range(T):
        dp = []
        for j in range(T):
            dv[j] += P[i, j] * dy[i]
            dp.append((dy[i] * v[j]).sum())
        mean = 0
        for j in range(T):
            mean += P[i, j] * dp[j]
        for j in range(T):
            ds = P[i, j] * (dp[j] - mean) / D**0.5
            dq[i] += ds * k[j]
            dk[j] += ds * q[i]
    return dq, dk, dv

# %% right: the three stacked in one tensor
def attention_backward(dy, q, k, v, P):
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
    return torch.stack((dS @ k, dS.T @ q, dv))

# %% right: under no_grad
@torch.no_grad()
def attention_backward(dy, q, k, v, P):
    dP = dy @ v.T
    dS = P * (dP - (P * dP).sum(1, keepdim=True)) * q.shape[1] ** -0.5
    return dS @ k, dS.T @ q, P.T @ dy
