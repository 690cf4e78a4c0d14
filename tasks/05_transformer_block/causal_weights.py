"""causal_weights, 1 point: the mask in its place."""
import torch

task = Task("causal_weights")
f = task.function(scores="... D D", skip=["as many rows as features", "rows of small numbers", "rows far from 0"])
l = 1.0986123  # ln 3
given = [[0., l, l], [0., l, 0.], [l, 0., 0.]]
f.look("three tokens", scores=given)
f.look("two names at once", scores=[[[0., 0., 0.]] * 3, given])
f.look("each row adds up to 1", scores=given, of=lambda weights: weights.sum(-1))
f.look("a later token with a huge score", scores=[[0., 200.], [0., 0.]])
f.look("an earlier token with a huge score", scores=[[0., 0.], [200., 0.]])
f.look("low scores", scores=[[-200., 0.], [-200., -200. - l]])
f.look("very low scores", scores=[[-20000., 0.], [0., 0.]])
f.look("gradients of the scores", scores=given, backward=True)
f.case("twelve tokens", lambda: [sample(12, 12, seed=181)])
f.case("a single token", lambda: [sample(1, 1, seed=182)])
f.case("low scores, and a later token with a huge one", lambda: [sample(4, 4, seed=183) - 150 + 1150 * torch.eye(4).roll(3, 1).triu(1)])

# %% mistakes
sums = "The rows do not add up to 1: later scores still count in what was divided by. Mask before the softmax."
TRIL, LATER = "torch.ones(T, T).tril()", "torch.ones(T, T).triu(1).bool()"
mistake(sums, returns=f"scores.softmax(-1) * {TRIL}")
mistake("Later scores are 0 here, and exp(0) is 1. Use minus infinity.", returns=f"(scores * {TRIL}).softmax(-1)")
mistake("There is no mask, or it hides nothing: later tokens have weight.", returns="scores.softmax(-1)")
mistake("The mask is the wrong way round: earlier tokens are hidden, later ones seen.", later="torch.ones(T, T).tril(-1).bool()")
mistake("A token sees itself too: the diagonal is not masked.", {"triu(1)": "triu(0)", "-math.inf": "-1e9"})
mistake("A token sees itself too: the diagonal is not masked. (The first one has nobody else.)", {"triu(1)": "triu(0)"})
mistake("The mask begins one place too late: every token sees the next one.", {"triu(1)": "triu(2)"})
mistake("The softmax runs down the columns. It runs along each row: dim -1.", {"softmax(-1)": "softmax(-2)"})
little = "Later tokens still have a little weight: use minus infinity."
mistake(little, {"-math.inf": "-3.0"})
mistake(little, {"-math.inf": "-1.0"})
mistake("A hidden score of -10 or -100 is not low enough where the others are lower: use minus infinity.", {"-math.inf": "-10.0"})
mistake("A hidden score of -10 or -100 is not low enough where the others are lower: use minus infinity.", {"-math.inf": "-100.0"})
mistake("A hidden score of -1000 or -10000 is not low enough where the others are lower: use minus infinity.", {"-math.inf": "-10000.0"})
mistake("A hidden score of -1000 or -10000 is not low enough where the others are lower: use minus infinity.", {"-math.inf": "-1000.0"})
mistake("Taking a number off a later score does not hide it, however large the number: put minus infinity in its place.",
        returns=f"(scores - 1e3 * {LATER}).softmax(-1)")
mistake("Taking a number off a later score does not hide it, however large the number: put minus infinity in its place.",
        returns=f"(scores - 100 * {LATER}.float()).softmax(-1)")
mistake("A score that happens to be 0 is hidden, too. Hidden is where the column is later than the row, whatever the score.",
        returns="scores.tril().masked_fill(scores.tril() == 0, -math.inf).softmax(-1)")
mistake("No weight is a number. Are rows masked wholly, or is 0 multiplied by minus infinity? (masked_fill does without that product.)",
        returns="(scores + torch.ones(T, T).triu(1) * -math.inf).softmax(-1)")
later = "A later token still counts, if only as infinity times 0: put minus infinity in its score, before the softmax along each row."
mistake(later, returns=f"(w := scores.softmax(-1) * {TRIL}) / w.sum(-1, keepdim=True)")
mistake(later, returns=f"(w := scores.exp() * {TRIL}) / w.sum(-1, keepdim=True)")
mistake("exp(200) is too large for a float: take softmax, or take off the largest score that is seen, before exp.",
        returns="(e := scores.exp().tril()) / e.sum(-1, keepdim=True)")
mistake("A score of 200 in another row spoils it: take off each row's own largest score that is seen, before exp.",
        returns="(e := ((s := scores.masked_fill(later, -math.inf)) - s.max()).exp()) / e.sum(-1, keepdim=True)")
mistake("The number of tokens is the last dimension of the scores, not the first, and rows are the last but one.",
        T="len(scores)", returns="scores.masked_fill(later, -math.inf).softmax(1)")
mistake("No gradient flows back to the scores. Is it cut off (detach, .data, no_grad, torch.tensor, numpy)?",
        returns="scores.masked_fill(later, -math.inf).softmax(-1).detach()")

# %% right: ARENA
def causal_weights(scores: torch.Tensor) -> torch.Tensor:
    T = scores.shape[-1]
    mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
    return scores.masked_fill(mask, float("-inf")).softmax(dim=-1)

# %% right: CS231n
def causal_weights(scores):
    T = scores.shape[-1]
    mask = torch.tril(torch.ones(T, T)) == 0
    scores = scores.masked_fill(mask, -1e9)
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    exps = torch.exp(shifted)
    return exps / exps.sum(dim=-1, keepdim=True)

# %% right: makemore
def causal_weights(scores):
    T = scores.size(-1)
    tril = torch.tril(torch.ones(T, T))
    return F.softmax(scores.masked_fill(tril == 0, float('-inf')), dim=-1)

# %% right: torch source
def causal_weights(scores: torch.Tensor) -> torch.Tensor:
    size = scores.size(-1)
    temp_mask = torch.ones(size, size, dtype=torch.bool, device=scores.device).tril(diagonal=0)
    attn_bias = torch.zeros(size, size, dtype=scores.dtype, device=scores.device)
    attn_bias.masked_fill_(temp_mask.logical_not(), float("-inf"))
    return torch.softmax(scores + attn_bias, dim=-1)

# %% right: numpy first
import numpy as np


def causal_weights(scores):
    T = scores.shape[-1]
    allowed = torch.from_numpy(np.tri(T, dtype=bool))
    s = torch.where(allowed, scores, torch.full_like(scores, -np.inf))
    e = torch.exp(s - torch.amax(s, dim=-1, keepdim=True))
    return e / torch.sum(e, dim=-1, keepdim=True)

# %% right: plain loops
def causal_weights(scores):
    T = scores.shape[-1]
    answers = []
    for square in scores.reshape(-1, T, T):
        rows = []
        for i in range(T):
            seen = torch.softmax(square[i, : i + 1], dim=0)
            rows.append(torch.cat([seen, torch.zeros(T - i - 1)]))
        answers.append(torch.stack(rows))
    return torch.stack(answers).reshape(scores.shape)

# %% right: logsumexp
def causal_weights(scores: torch.Tensor) -> torch.Tensor:
    T = scores.shape[-1]
    hidden = torch.ones((T, T), dtype=torch.bool).triu(diagonal=1)
    scores = scores.masked_fill(hidden, -torch.inf)
    return (scores - torch.logsumexp(scores, dim=-1, keepdim=True)).exp()
