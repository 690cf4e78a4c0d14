"""causal_weights, 1 point."""

# %% right: row by row
def causal_weights(scores):
    out = torch.zeros_like(scores)
    for t in range(scores.shape[-1]):
        out[..., t, : t + 1] = scores[..., t, : t + 1].softmax(-1)
    return out

# %% right: an added triangle
def causal_weights(scores):
    T = scores.size(-1)
    return torch.softmax(scores + torch.full((T, T), -torch.inf, dtype=scores.dtype).triu(1), dim=-1)

# %% wrong: masked after the softmax
# told: The rows do not add up to 1: later scores still count in what was divided by. Mask before the softmax.
def causal_weights(scores):
    T = scores.shape[-1]
    return scores.softmax(-1) * torch.ones(T, T).tril()

# %% wrong: masked after, then shared out again
# told: A later token still counts
def causal_weights(scores):
    T = scores.shape[-1]
    w = scores.softmax(-1) * torch.ones(T, T).tril()
    return w / w.sum(-1, keepdim=True)

# %% wrong: scores times the triangle
# told: Later scores are 0 here, and exp(0) is 1. Use minus infinity.
def causal_weights(scores):
    T = scores.shape[-1]
    return (scores * torch.ones(T, T).tril()).softmax(-1)

# %% wrong: no mask
# told: There is no mask, or it hides nothing: later tokens have weight.
def causal_weights(scores):
    return scores.softmax(-1)

# %% wrong: the triangle the wrong way round
# told: The mask is the wrong way round: earlier tokens are hidden,
def causal_weights(scores):
    T = scores.shape[-1]
    return scores.masked_fill(torch.ones(T, T).tril(-1).bool(), -math.inf).softmax(-1)

# %% wrong: the diagonal masked
# told: A token sees itself too: the diagonal is not masked.
def causal_weights(scores):
    T = scores.shape[-1]
    return scores.masked_fill(torch.ones(T, T).triu().bool(), -1e9).softmax(-1)

# %% wrong: over the columns
# told: The softmax runs down the columns. It runs along each row: dim -1.
def causal_weights(scores):
    T = scores.shape[-1]
    return scores.masked_fill(torch.ones(T, T).triu(1).bool(), -math.inf).softmax(-2)

# %% wrong: writes into the scores
# told: You wrote into the scores
def causal_weights(scores):
    T = scores.shape[-1]
    with torch.no_grad():
        scores.masked_fill_(torch.ones(T, T).triu(1).bool(), -math.inf)
    return scores.softmax(-1)

# %% wrong: two dimensions only
def causal_weights(scores):
    T = len(scores)
    return scores.masked_fill(torch.ones(T, T).triu(1).bool(), -math.inf).softmax(1)

# %% wrong: the scores masked with minus ten
# told: Later tokens still have a little weight: use minus infinity.
def causal_weights(scores):
    T = scores.shape[-1]
    return scores.masked_fill(torch.ones(T, T).triu(1).bool(), -3.0).softmax(-1)

# %% wrong: a mask of minus a hundred
def causal_weights(scores):
    T = scores.shape[-1]
    return scores.masked_fill(torch.ones(T, T).triu(1).bool(), -100.0).softmax(-1)

# %% wrong: a thousand taken off
def causal_weights(scores):
    T = scores.shape[-1]
    return (scores - 1e3 * torch.ones(T, T).triu(1)).softmax(-1)

# %% wrong: the mask of the first call, cut to size
MASK = []


def causal_weights(scores):
    T = scores.shape[-1]
    if not MASK:
        MASK.append(torch.ones(8, 8).triu(1).bool())
    return scores.masked_fill(MASK[0][:T, :T], -math.inf).softmax(-1)

# %% right: the lowest number there is
def causal_weights(scores):
    T = scores.shape[-1]
    later = torch.arange(T) > torch.arange(T)[:, None]
    return torch.where(later, torch.finfo(scores.dtype).min, scores).softmax(-1)

# %% right: exp and sums of what is seen
def causal_weights(scores):
    seen = torch.ones_like(scores).tril()
    hidden = scores.masked_fill(seen == 0, -math.inf)
    e = torch.exp(hidden - hidden.amax(-1, keepdim=True).detach())
    return e / e.sum(-1, keepdim=True)

# %% wrong: a triangle of ones times minus infinity is added
# told: No weight is a number
def causal_weights(scores):
    T = scores.shape[-1]
    later = torch.ones(T, T, device=scores.device).triu(1).bool()
    p = (scores + torch.ones(T, T).triu(1) * -math.inf).softmax(-1)
    return p


# %% wrong: exp times a triangle, which overflows
# told: A later token still counts, if only as infinity times 0
def causal_weights(scores):
    T = scores.shape[-1]
    later = torch.ones(T, T, device=scores.device).triu(1).bool()
    p = scores.exp() * torch.ones(T, T).tril()
    p = p / p.sum(-1, keepdim=True)
    return p


# %% right: logsumexp
def causal_weights(scores: torch.Tensor) -> torch.Tensor:
    T = scores.shape[-1]
    hidden = torch.ones((T, T), dtype=torch.bool).triu(diagonal=1)
    scores = scores.masked_fill(hidden, -torch.inf)
    return (scores - torch.logsumexp(scores, dim=-1, keepdim=True)).exp()

# %% right: rows padded with zeros and stacked
def causal_weights(scores):
    T = scores.shape[-1]
    rows = [F.pad(F.softmax(row[..., :seen], dim=-1), (0, T - seen))
            for seen, row in enumerate(scores.unbind(-2), start=1)]
    return torch.stack(rows, dim=-2)

# %% wrong: exp without taking off the maximum overflows
# told: exp(200) is too large for a float
def causal_weights(scores):
    e = scores.exp().tril()
    return e / e.sum(-1, keepdim=True)

# %% wrong: takes off the largest score seen in any row, so that far rows are 0 / 0
# told: the score of 200 in the other row spoil it
def causal_weights(scores):
    """Attention weights in which no token sees a later one.

    scores: (..., T, T), row asks, column answers -> the same shape, rows add up to 1
    """
    T = scores.shape[-1]
    later = torch.ones(T, T, dtype=torch.bool, device=scores.device).triu(1)
    seen = scores.masked_fill(later, -math.inf)
    e = (seen - seen.max()).exp()
    return e / e.sum(-1, keepdim=True)

# %% right: cumulative sums of what is seen, in double inside
def causal_weights(scores):
    T = scores.shape[-1]
    s = scores.double().masked_fill(torch.arange(T) > torch.arange(T)[:, None], -math.inf)
    e = (s - s.max(-1, keepdim=True).values).exp()
    return (e / e.cumsum(-1)[..., -1:]).to(scores.dtype)
