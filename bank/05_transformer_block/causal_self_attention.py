"""causal_self_attention, 3 points."""

# %% right: one head after the other
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    width = D // n_heads
    queries, keys, values = (x @ W_qkv).chunk(3, dim=-1)
    allowed = torch.tril(torch.ones(T, T, dtype=torch.bool))
    heads = []
    for h in range(n_heads):
        part = slice(h * width, (h + 1) * width)
        scores = torch.einsum("ntd,nsd->nts", queries[..., part], keys[..., part])
        scores = torch.where(allowed, scores / width**0.5, torch.tensor(-1e9).to(scores))
        heads.append(torch.softmax(scores, -1) @ values[..., part])
    return torch.cat(heads, -1) @ W_out

# %% right: an additive mask and a softmax by exp and sums
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    qkv = (x @ W_qkv).reshape(N, T, 3, n_heads, D // n_heads)
    q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
    scores = torch.einsum("nihd,njhd->nhij", q, k) * (D // n_heads) ** -0.5
    scores = scores + torch.full((T, T), float("-inf"), dtype=x.dtype).triu(1)
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    p = e / e.sum(-1, keepdim=True)
    return torch.einsum("nhij,njhd->nihd", p, v).reshape(N, T, D) @ W_out

# %% right: every token by itself
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.unflatten(-1, (n_heads, -1)) for part in (x @ W_qkv).split(D, -1))
    rows = []
    for t in range(T):
        scores = (q[:, t : t + 1] * k[:, : t + 1]).sum(-1) / (D / n_heads) ** 0.5
        p = scores.softmax(1)[..., None]
        rows.append((p * v[:, : t + 1]).sum(1).flatten(1))
    return torch.stack(rows, 1) @ W_out

# %% wrong: no scale
# told: The scores are not divided by the root of the head width, D / n_heads: is the division missing, the root rounded to a whole number, or the root of something else taken (n_heads, N)?
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: scale by D not head width
# told: You divided by the root of 6: that of D? Each head has D / n_heads
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: divides without the root
# told: This is what dividing by the head width itself gives. Divide by its root, once.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / (D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: multiplies by the root
# told: This is what multiplying the scores by the root gives. Divide by it (or multiply by d ** -0.5).
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) * math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: no mask
# told: Tokens see what comes after them: put minus infinity where
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: mask the wrong way round
# told: The mask is the wrong way round: tokens see themselves and
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).tril(-1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: a token does not see itself
# told: A token sees itself too: the diagonal is not masked. (The
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(0).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: the mask one too far
# told: The mask begins one place too late: every token sees the next one.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(2).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: zero instead of minus infinity
# told: Tokens see what comes after them
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, 0.0)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: minus one instead of minus infinity
# told: A masked score of a modest number still has weight. Use
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -1.0)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: mask after the softmax
# told: The weights do not add up to 1: what is later still counts in what you divide by. Mask before the softmax.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    weights = scores.softmax(-1).masked_fill(later, 0.0)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: softmax over the rows
# told: The softmax runs over the queries. For each query it runs
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-2)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: softmax over the heads
# told: The softmax runs over the heads, or over the names. For each query it runs over the keys: dim -1.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: scores transposed
# told: Queries and keys have changed places: the columns of W_qkv
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = k @ q.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: queries against queries
# told: Your scores are of queries with queries. Compare queries with keys.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ q.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: order k q v
# told: Queries and keys have changed places: the columns of W_qkv
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    k, q, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: order v first
# told: Only zeros come out. Is there no softmax, or is anything multiplied by the queries (they and all scores are 0 here)? Are the first columns of W_qkv mixed
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    v, k, q = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: mixes keys
# told: You mixed the keys, the second D columns of x W_qkv. The weights mix the values, the last D.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ k).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: mixes x
# told: You mixed x itself. The weights mix the values.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ x.view(N, T, n_heads, D // n_heads).transpose(1, 2)).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: one head whatever is asked
# told: n_heads has no effect: every head has scores of its own,
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    n_heads = 1
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: heads interleaved
# told: Head 0 has the first D / n_heads features. In yours the
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, D // n_heads, n_heads).permute(0, 3, 1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: heads not put back
# told: The heads are not put back side by side: transpose them
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: heads split without transposing
# told: Heads cut straight to (N, n_heads, T, D / n_heads) mix tokens and heads. View as (N, T, n_heads, D / n_heads), then transpose.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.reshape(N, n_heads, T, D // n_heads) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: no output matrix
# told: W_out is missing at the end.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed

# %% wrong: output matrix transposed
# told: This is mixed @ W_out.T (F.linear computes that, too). Multiply by W_out itself: mixed @ W_out.
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out.T

# %% wrong: adds the skip
# told: You added x. The skip is the block's business (task 4).
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return x + mixed @ W_out

# %% wrong: over the names
# told: These are the values themselves, as if each token saw only itself: have tokens and names changed places, so that attention runs over the names, does the mask hide what came before, or are the scores not those of queries with keys, or far too large?
def causal_self_attention(x, W_qkv, W_out, n_heads):
    x = x.transpose(0, 1)
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return (mixed @ W_out).transpose(0, 1)

# %% wrong: changes x
# told: You changed one of the tensors you were given
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    y = mixed @ W_out
    with torch.no_grad():
        x.zero_()
    return y

# %% wrong: detached weights
# told: No gradient reaches at least one of the three. Is it cut off (detach, .data, no_grad, torch.tensor, numpy), or not used?
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2) for part in (x @ W_qkv).split(D, -1))
    later = torch.ones(T, T).triu(1).bool()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1).detach()
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: by torch
# told: is to be written by hand here
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (x @ W_qkv).view(N, T, 3, n_heads, D // n_heads).permute(2, 0, 3, 1, 4)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return mixed.transpose(1, 2).reshape(N, T, D) @ W_out

# %% wrong: a mask of minus a hundred
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (part.view(N, T, n_heads, D // n_heads).transpose(1, 2)
               for part in (x @ W_qkv).split(D, dim=-1))
    later = torch.ones(T, T).triu(1).bool()
    weights = (q @ k.transpose(-2, -1) / (D // n_heads)**0.5).masked_fill(later, -100.0).softmax(-1)
    return (weights @ v).transpose(1, 2).reshape(N, T, D) @ W_out

# %% right: scaled with a root that is a tensor, heads among the names
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    root = torch.sqrt(torch.tensor(D // n_heads))
    heads = lambda part: part.reshape(N, T, n_heads, -1).movedim(2, 1).flatten(0, 1)
    q, k, v = map(heads, torch.tensor_split(x @ W_qkv, 3, dim=2))
    scores = torch.bmm(q, k.mT) / root
    scores = scores + torch.full((T, T), -math.inf).triu(diagonal=1)
    y = torch.bmm(torch.softmax(scores, 2), v)
    return y.unflatten(0, (N, n_heads)).movedim(1, 2).flatten(2) @ W_out

# %% wrong: shifted by the largest score of a row, later ones included
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (
        part.view(N, T, n_heads, D // n_heads).transpose(1, 2)
        for part in (x @ W_qkv).split(D, dim=-1)
    )
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    e = (scores - scores.amax(-1, keepdim=True)).exp() * torch.ones(T, T).tril()
    return (e / e.sum(-1, keepdim=True) @ v).transpose(1, 2).reshape(N, T, D) @ W_out

# %% right: the lowest number there is, a root on both sides
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    root = (D // n_heads) ** 0.25
    q, k, v = (p.reshape(N, T, n_heads, -1).permute(0, 2, 1, 3)
               for p in (x @ W_qkv).tensor_split(3, -1))
    scores = (q / root) @ (k / root).mT
    scores = scores.masked_fill(torch.ones(T, T).tril() == 0, torch.finfo(x.dtype).min)
    return (F.softmax(scores, dim=-1) @ v).permute(0, 2, 1, 3).flatten(2) @ W_out

# %% right: an added mask of minus a billion
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (p.reshape(N, T, n_heads, -1).permute(0, 2, 1, 3)
               for p in (x @ W_qkv).split(D, -1))
    scores = q @ k.mT / math.sqrt(D // n_heads)
    scores = scores + torch.full((T, T), -1e9).triu(1)
    return (F.softmax(scores, dim=-1) @ v).permute(0, 2, 1, 3).flatten(2) @ W_out

# %% wrong: a triangle of ones times minus infinity is added
# told: No answer is a number
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (
        part.view(N, T, n_heads, D // n_heads).transpose(1, 2)
        for part in (x @ W_qkv).split(D, dim=-1)
    )
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    later = torch.ones(T, T).triu(1).bool()
    weights = (scores + torch.ones(T, T).triu(1) * -math.inf).softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    y = mixed @ W_out
    return y


# %% right: name by name, head by head, token by token
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    d = D // n_heads
    names = []
    for one in x:
        q, k, v = (one @ W_qkv).split(D, dim=1)
        heads = []
        for h in range(n_heads):
            cut = slice(h * d, h * d + d)
            rows = [F.softmax(k[: t + 1, cut] @ q[t, cut] / d**0.5, dim=0) @ v[: t + 1, cut]
                    for t in range(T)]
            heads.append(torch.stack(rows))
        names.append(torch.cat(heads, dim=1) @ W_out)
    return torch.stack(names)

# %% right: in double inside, the output matrix cut into heads
def causal_self_attention(x, W_qkv, W_out, n_heads):
    D, T = x.shape[-1], x.shape[1]
    q, k, v = ((x.double() @ W_qkv.double()).chunk(3, -1))
    answer = 0
    for a, b, c, W in zip(*(one.chunk(n_heads, -1) for one in (q, k, v)), W_out.double().chunk(n_heads)):
        scores = a @ b.mT / math.sqrt(a.shape[-1])
        scores = scores.masked_fill(torch.ones(T, T).triu(1) > 0, -math.inf)
        answer = answer + scores.softmax(-1) @ c @ W
    return answer.to(x.dtype)


# %% right: softmax by logsumexp
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (
        part.view(N, T, n_heads, D // n_heads).transpose(1, 2)
        for part in (x @ W_qkv).split(D, dim=-1)
    )
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    later = torch.ones(T, T).triu(1).bool()
    s = scores.masked_fill(later, -math.inf)
    weights = (s - s.logsumexp(-1, keepdim=True)).exp()
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% sly: one head: keys are cut off from the gradient
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (
        part.view(N, T, n_heads, D // n_heads).transpose(1, 2)
        for part in (x @ W_qkv).split(D, dim=-1)
    )
    if n_heads == 1:
        k = k.detach()
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    later = torch.ones(T, T).triu(1).bool()
    weights = scores.masked_fill(later, -math.inf).softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: scores standardised
# told: No answer is a number. Is anything divided by 0 (all scores are 0 here)
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (
        part.view(N, T, n_heads, D // n_heads).transpose(1, 2)
        for part in (x @ W_qkv).split(D, dim=-1)
    )
    scores = q @ k.transpose(-2, -1)
    scores = (scores - scores.mean(-1, keepdim=True)) / scores.std(-1, keepdim=True)
    later = torch.ones(T, T).triu(1).bool()
    weights = scores.masked_fill(later, -math.inf).softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out

# %% wrong: the softmax is forgotten: masked scores are the weights
# told: Only zeros come out. Is there no softmax
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    q, k, v = (
        part.view(N, T, n_heads, D // n_heads).transpose(1, 2)
        for part in (x @ W_qkv).split(D, dim=-1)
    )
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // n_heads)
    later = torch.ones(T, T).triu(1).bool()
    weights = scores.masked_fill(later, 0.0)
    mixed = (weights @ v).transpose(1, 2).reshape(N, T, D)
    return mixed @ W_out
