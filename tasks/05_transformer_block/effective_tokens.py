"""effective_tokens, 2 points: a perplexity, and a reading of the experiment."""
import math

task = Task("effective_tokens")
f = task.function(gradient=False, scores="... D")
INF = math.inf
f.look("equal weights; and 1/2, 1/4, 1/4", scores=[[0., 0., 0.], [0.6931472, 0., 0.]])  # an entropy of 1.0397, and e to it 2.8284
f.look("masked tokens do not count", scores=[[0., 0., -INF, -INF], [3., -INF, -INF, -INF]])
f.look("one huge score", scores=[1000., 0., 0., 0.])
f.look("each query masks tokens of its own", scores=[[0., 0., -INF, -INF], [-INF, 0., 0., 0.], [1., 2., 3., 4.]])
f.case("two names of three queries, some of them masked",
       lambda: [(2 * sample(2, 3, 6, seed=191)).masked_fill(sample(2, 3, 6, seed=192) > 1, -INF)])
FACTORS, WORDS = ["no factor", "1/sqrt(d)", "1/d"], ["falls", "stays", "grows"]


def is_answer(answer):
    return isinstance(answer, dict) and set(answer) == set(FACTORS) and set(answer.values()) <= set(WORDS)


@task.probe("an answer for each of the three factors", where("a dict: each of the three factors with one of the three words", is_answer),
            otherwise="Return a dict with the three keys of the docstring, each with one of the words grows, stays and falls.", shown="reading()")
def _(reading):
    return reading()


@task.probe("your reading of the experiment", hidden=True, shown="reading()")
def _(reading):
    return reading()


# %% mistakes
from itertools import product

LOGS, SUM = "scores.log_softmax(-1).masked_fill(p == 0, 0.0)", "(p * logs).sum(-1)"


def returns(sentence, value, **more):
    mistake(sentence, of="effective_tokens", returns=value, **more)


returns("That is the entropy. Its exponential is asked for.", f"-{SUM}")
returns("The minus is missing: entropy is minus the sum of p log p.", f"torch.exp({SUM})")
returns("The logarithm is natural, so take e to the entropy, not 2.", f"2 ** -{SUM}")
returns("The logarithm is natural: with log2 take 2 to the entropy, not e.", f"torch.exp(-{SUM} / math.log(2))")
returns("That is the entropy in bits. The exponential of the entropy in natural logarithms is asked for.", f"-{SUM} / math.log(2)")
returns("That is one over the sum of squares, another count. The exponential of the entropy is asked for.", "1 / p.square().sum(-1)")
returns("That is one over the largest weight, or the count rounded down. All weights count: the exponential of the entropy is asked for, as it is.",
        "1 / p.amax(-1)")
returns("That is how many tokens are not masked. They count by their weights: the exponential of the entropy is asked for.",
        "(p > 0).sum(-1).float()")
returns("You averaged p log p. Minus its sum is the entropy.", "torch.exp(-(p * logs).mean(-1))")
returns("Each row has a number of its own: sum over the last dimension alone.", "torch.exp(-(p * logs).sum())")
mistake("The softmax runs over the queries. It runs over the keys: dim -1.", {"softmax(-1)": "softmax(0)"})
mistake("The softmax runs over the queries. It runs over the keys: dim -1.", {"softmax(-1)": "softmax(-2)"})
mistake("The scores are no weights yet: take their softmax first.", of="effective_tokens", p="scores", logs="scores.log()")
zero = "This is not a number. 0 times minus infinity makes one: a weight of 0 counts as 0, masked or not."
returns(zero, "torch.exp(-(p * p.log()).sum(-1))")
returns(zero, "torch.exp(-(p * scores.log_softmax(-1)).sum(-1))")
huge = "This is not a number: 1000 is too much for exp. Take softmax."
mistake(huge, of="effective_tokens", p="scores.exp() / scores.exp().sum(-1, keepdim=True)", logs="(p + 1e-30).log()")
returns("This is 0, and the answer is 1 for a single token. Is it the entropy, without its exponential, or a NaN that was set to 0?",
        "torch.exp(-(p * p.log()).sum(-1)).nan_to_num(0.0)")
returns("Every query masks tokens of its own: leave out none because another query cannot see it.",
        "(q := scores[..., : max(2, int((scores > -math.inf).sum(-1).min()))].softmax(-1)).pow(-q).prod(-1)")
RIGHT = '{"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}'
mistake("These are not the three keys of the docstring.", {RIGHT: '{"none": "falls", "root": "stays", "d": "grows"}'})
for none, root, d in product(("falls", "stays", "grows"), repeat=3):
    told = None
    if (none, root, d) == ("grows", "stays", "falls"):
        told = "No factor and 1/d have changed places. Which line goes to 1?"
    elif root != "stays":
        told = "Look at the line of 1/sqrt(d) again: does it go to 1 or to 64 at all, or stay in between?"
    elif d != "grows":
        told = "Look at the line of 1/d again: scores near 0 make equal weights."
    elif none != "falls":
        told = "Look at the line of no factor again: large scores make one weight of 1."
    if told:
        mistake(told, {RIGHT: f'{{"no factor": "{none}", "1/sqrt(d)": "{root}", "1/d": "{d}"}}'})

# %% right: ARENA
def effective_tokens(scores: torch.Tensor) -> torch.Tensor:
    probs = scores.softmax(dim=-1)
    log_probs = torch.where(probs > 0, probs, torch.ones_like(probs)).log()
    entropy = -torch.einsum("...t,...t->...", probs, log_probs)
    return entropy.exp()


def reading() -> dict[str, str]:
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: CS231n
def effective_tokens(scores):
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    exps = torch.exp(shifted)
    probs = exps / exps.sum(dim=-1, keepdim=True)
    logprobs = torch.log(probs + 1e-12)
    entropy = -(probs * logprobs).sum(dim=-1)
    return torch.exp(entropy)


def reading():
    answers = {}
    answers["no factor"] = "falls"
    answers["1/sqrt(d)"] = "stays"
    answers["1/d"] = "grows"
    return answers

# %% right: makemore
def effective_tokens(scores):
    counts = (scores - scores.max(-1, keepdim=True).values).exp()
    probs = counts / counts.sum(-1, keepdim=True)
    return (-(probs * probs.clamp(min=1e-30).log()).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: torch source
def effective_tokens(scores: torch.Tensor) -> torch.Tensor:
    probs = torch.softmax(scores, dim=-1)
    return torch.special.entr(probs).sum(dim=-1).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

# %% right: numpy first
import numpy as np


def effective_tokens(scores):
    s = scores.detach().numpy()
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    logs = np.log(np.where(p > 0, p, 1))
    return torch.as_tensor(np.exp(-np.sum(p * logs, axis=-1)))


def reading():
    factors = np.array(["no factor", "1/sqrt(d)", "1/d"])
    return dict(zip(factors.tolist(), ["falls", "stays", "grows"]))

# %% right: plain loops
def effective_tokens(scores):
    T = scores.shape[-1]
    counts = []
    for row in scores.reshape(-1, T):
        p = torch.softmax(row, dim=0)
        entropy = 0.0
        for p_i in p.tolist():
            if p_i > 0:
                entropy = entropy - p_i * math.log(p_i)
        counts.append(math.exp(entropy))
    return torch.tensor(counts).reshape(scores.shape[:-1])


def reading():
    answer = {}
    answer["no factor"] = "falls"
    answer["1/sqrt(d)"] = "stays"
    answer["1/d"] = "grows"
    return answer

# %% right: a small number inside the logarithm, 1e-8
def effective_tokens(scores):
    p = scores.softmax(-1)
    return torch.exp(-(p * torch.log(p + 1e-8)).sum(-1))


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}
