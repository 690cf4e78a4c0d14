"""effective_tokens, 2 points."""

# %% right: by xlogy
def effective_tokens(scores):
    p = torch.softmax(scores, dim=-1)
    return torch.exp(-torch.special.xlogy(p, p).sum(dim=-1))


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: by torch.special.entr
def effective_tokens(scores):
    return torch.special.entr(scores.softmax(-1)).sum(-1).exp()


def reading():
    return dict(zip(("no factor", "1/sqrt(d)", "1/d"), ("falls", "stays", "grows")))

# %% right: log of sum of exp minus the mean score
def effective_tokens(scores):
    p = scores.softmax(-1)
    shown = scores.masked_fill(p == 0, 0.0)
    return (scores.logsumexp(-1) - (p * shown).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: the entropy itself
# told: That is the entropy. Its exponential is asked for.
def effective_tokens(scores):
    p = scores.softmax(-1)
    return -(p * scores.log_softmax(-1).clamp(min=-1e9)).sum(-1)


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: without the minus
# told: The minus is missing: entropy is minus the sum of p log p.
def effective_tokens(scores):
    p = scores.softmax(-1)
    return (p * scores.log_softmax(-1).clamp(min=-1e9)).sum(-1).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: two to the entropy
# told: The logarithm is natural, so take e to the entropy, not 2.
def effective_tokens(scores):
    p = scores.softmax(-1)
    return 2 ** -(p * scores.log_softmax(-1).clamp(min=-1e9)).sum(-1)


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: one over the sum of squares
# told: That is one over the sum of squares, another count. The
def effective_tokens(scores):
    p = scores.softmax(-1)
    return 1 / p.square().sum(-1)


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: the inverse of the largest weight
# told: That is one over the largest weight, or the count rounded down. All weights count: the exponential of the entropy is asked for, as it is.
def effective_tokens(scores):
    return 1 / scores.softmax(-1).amax(-1)


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: 0 log 0
# told: 0 times minus infinity makes one
def effective_tokens(scores):
    p = scores.softmax(-1)
    return (-(p * p.log()).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: no softmax
def effective_tokens(scores):
    return (-(scores * scores.log()).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: the mean instead of the sum
# told: You averaged p log p. Minus its sum is the entropy.
def effective_tokens(scores):
    p = scores.softmax(-1)
    return (-(p * scores.log_softmax(-1).clamp(min=-1e9)).mean(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: one number for all
# told: Each row has a number of its own: sum over the last dimension alone.
def effective_tokens(scores):
    p = scores.softmax(-1)
    return (-(p * scores.log_softmax(-1).clamp(min=-1e9)).sum()).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: over the rows
# told: The softmax runs over the queries. It runs over the keys: dim -1.
def effective_tokens(scores):
    p = scores.softmax(0)
    return (-(p * scores.log_softmax(0).clamp(min=-1e9)).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: exp overflows
# told: This is not a number. Is 1000 too much for your exp (use softmax)? Or does a weight that has become 0 meet its logarithm? It counts as 0, masked or not.
def effective_tokens(scores):
    e = scores.exp()
    p = e / e.sum(-1, keepdim=True)
    return (-(p * (p + 1e-30).log()).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: reads no factor as growing
# told: No factor and 1/d have changed places
def effective_tokens(scores):
    logs = scores.log_softmax(-1)
    p = logs.exp()
    return (-(p * logs.clamp(min=-1e9)).sum(-1)).exp()


def reading():
    return {"no factor": "grows", "1/sqrt(d)": "stays", "1/d": "falls"}

# %% wrong: reads everything as staying
# told: Look at the line of 1/d again
def effective_tokens(scores):
    logs = scores.log_softmax(-1)
    p = logs.exp()
    return (-(p * logs.clamp(min=-1e9)).sum(-1)).exp()


def reading():
    return {"no factor": "stays", "1/sqrt(d)": "stays", "1/d": "stays"}

# %% wrong: reads the root as falling
# told: Look at the line of 1/sqrt(d) again
def effective_tokens(scores):
    logs = scores.log_softmax(-1)
    p = logs.exp()
    return (-(p * logs.clamp(min=-1e9)).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "falls", "1/d": "grows"}

# %% wrong: reads 1/d as falling
# told: Look at the line of 1/d again
def effective_tokens(scores):
    logs = scores.log_softmax(-1)
    p = logs.exp()
    return (-(p * logs.clamp(min=-1e9)).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "falls"}

# %% wrong: other keys
def effective_tokens(scores):
    logs = scores.log_softmax(-1)
    p = logs.exp()
    return (-(p * logs.clamp(min=-1e9)).sum(-1)).exp()


def reading():
    return {"none": "falls", "root": "stays", "d": "grows"}

# %% right: by Categorical, with logits
def effective_tokens(scores):
    return torch.distributions.Categorical(logits=scores).perplexity()


def reading():
    return {"1/d": "grows", "1/sqrt(d)": "stays", "no factor": "falls"}

# %% right: torch's entr, under no_grad
@torch.no_grad()
def effective_tokens(scores):
    return torch.special.entr(scores.softmax(-1)).sum(-1).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: xlogy
def effective_tokens(scores):
    p = scores.softmax(-1)
    return torch.exp(-torch.xlogy(p, p).sum(-1))


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% wrong: e to the entropy in bits
# told: with log2 take 2 to the entropy
def effective_tokens(scores):
    p = scores.softmax(-1)
    logs = scores.log_softmax(-1).masked_fill(p == 0, 0.0)
    y = torch.exp(-(p * logs).sum(-1))
    y = torch.exp(y.log() / math.log(2))
    return y


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}


# %% wrong: the entropy in bits
# told: That is the entropy in bits
def effective_tokens(scores):
    p = scores.softmax(-1)
    logs = scores.log_softmax(-1).masked_fill(p == 0, 0.0)
    y = torch.exp(-(p * logs).sum(-1))
    y = y.log2()
    return y


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}


# %% sly: keeps only as many tokens as the row that sees fewest has (two at least)
def effective_tokens(scores):
    """Perplexity of attention: among how many tokens each row's weights are shared.

    scores: (..., T) -> (...); a masked token has the score minus infinity
    """
    seen = int((scores > -math.inf).sum(-1).min())
    scores = scores[..., : max(seen, 2)]
    log_p = scores.log_softmax(-1)
    p = log_p.exp()
    entropy = -(p * log_p.masked_fill(p == 0, 0.0)).sum(-1)
    return entropy.exp()


def reading():
    """How many tokens a query looks at as d grows from 1 to 1024: "grows" (to nearly
    all), "stays" (about the same), or "falls" (to nearly one).

    Keys, the factor on q k^T: "no factor", "1/sqrt(d)", "1/d".
    """
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: log of the sum of exp less the mean of the scores that count
def effective_tokens(scores):
    p = scores.softmax(-1)
    seen = torch.where(p > 0, scores, torch.zeros(()).to(scores))
    return torch.exp(scores.logsumexp(-1) - (p * seen).sum(-1))


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: a product of powers
def effective_tokens(scores):
    p = scores.softmax(-1)
    return torch.pow(p, -p).prod(-1)


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: row after row, of what is not masked
def effective_tokens(scores):
    counts = []
    for row in scores.reshape(-1, scores.shape[-1]):
        p = row[row > -math.inf].softmax(0)
        p = p[p > 0]
        counts.append(torch.exp(-(p * p.log()).sum()))
    return torch.stack(counts).view(scores.shape[:-1])


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: a product of p to the minus p, and 0 to the 0 is 1
def effective_tokens(scores):
    p = scores.softmax(-1)
    return p.pow(-p).prod(-1)


def reading():
    words = falls, stays, grows = "falls", "stays", "grows"
    return {"no factor": falls, "1/sqrt(d)": stays, "1/d": grows}

# %% sly: masked columns of the first row are thrown out of all rows
def effective_tokens(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    rows = rows[:, rows[0] > -math.inf]
    p = rows.softmax(-1)
    return torch.exp(-torch.special.xlogy(p, p).sum(-1)).reshape(scores.shape[:-1])


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: two to the entropy in bits, minus infinity left out by nansum
def effective_tokens(scores):
    p = scores.softmax(-1)
    return 2 ** -(p * p.log2()).nansum(-1)


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: a small number inside the logarithm, 1e-8
def effective_tokens(scores):
    p = scores.softmax(-1)
    return torch.exp(-(p * torch.log(p + 1e-8)).sum(-1))


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: a copy in double, its masked scores written over
def effective_tokens(scores):
    s = scores.detach().clone().double()
    s[s == -math.inf] = torch.finfo(s.dtype).min
    p = s.softmax(-1)
    return torch.special.entr(p).sum(-1).exp().to(scores.dtype)


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}
