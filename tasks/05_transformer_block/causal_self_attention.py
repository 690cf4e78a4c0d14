"""causal_self_attention, 3 points: many heads, and a mask."""
import torch

task = Task("causal_self_attention", by_hand="attention")


def case(N, T, D, heads):
    def make():
        return sample(N, T, D, seed=121), sample(D, 3 * D, seed=122) / D**0.5, sample(D, D, seed=123) / D**0.5, heads

    what = f"{N} name{'s' * (N > 1)} of {T} tokens, {heads} head{'s' * (heads > 1)} of {D // heads}"
    f.case(what, make, backward=True, shown=f"causal_self_attention of {what}")


f = task.function(x="2 3 6", W_qkv=lambda: sample(6, 18, seed=120) / 2, W_out="6 6", n_heads=[2, 3],
                  skip=["other drawn numbers", "gradients of a batch of rows"])
# Width 1: queries are 0, keys 5 x, values 3 x, and so all scores are 0.
f.look("queries of zero: every token takes the mean of what it sees", x=[[[0.], [1.], [3.]]], W_qkv=[[0., 5., 3.]], W_out=[[2.]], n_heads=1)
# Width 2: a query is (c, 0), c being 0.98 for the first two tokens and 1.96 for the last, and the keys are (0, 0), (1, 0), (3, 0). c over
# the root of 2 is ln 2 for the second token and 2 ln 2 for the last.
f.look("weights of 1 to 4 to 64", x=[[[1., 0.], [1., 1.], [2., 3.]]], W_qkv=[[0.9802, 0., 0., 0., 0., 0.], [0., 0., 1., 0., 6., 2.]],
       W_out=[[1., 0.], [0., 10.]], n_heads=1)


@task.probe("a name's beginning has the same answers as the whole name's", at_most(1e-4), drawn=True,
            otherwise="Without the third token the first two answers are others, in one name at least. Is minus infinity put where the column is "
            "later than the row, before the softmax? Are tokens kept apart where the heads come together? Do names see each other, or does "
            "something depend on T?")
def _(causal_self_attention):
    x, W_qkv, W_out = sample(2, 3, 6, seed=124), sample(6, 18, seed=125) / 2, sample(6, 6, seed=126)
    return (causal_self_attention(x[:, :2].clone(), W_qkv, W_out, 2) - causal_self_attention(x, W_qkv, W_out, 2)[:, :2]).abs().max()


case(3, 6, 12, 3)
case(2, 5, 8, 8)
case(4, 4, 8, 1)
case(1, 5, 6, 2)
f.case("low scores, and later tokens with higher ones",
       lambda: [torch.tensor([[[32.], [24.], [16.], [8.]]]) + sample(2, 4, 1, seed=128) / 9, torch.tensor([[1., -1., 1.]]), torch.ones(1, 1), 1])

# %% mistakes
SCORES, ROOT = "q @ k.transpose(-2, -1)", "math.sqrt(D // n_heads)"
HEADS = "part.view(N, T, n_heads, D // n_heads).transpose(1, 2)"
MASKED, BACK = "scores.masked_fill(later, -math.inf)", "(weights @ v).transpose(1, 2).reshape(N, T, D)"
unscaled = ("The scores are not divided by the root of the head width, D / n_heads: is the division missing, the root rounded to a whole "
            "number, or the root of something else taken (n_heads, N)?")
mistake(unscaled, scores=SCORES)
mistake(unscaled, scores=f"{SCORES} / round({ROOT})")
mistake(unscaled, scores=f"{SCORES} / math.sqrt(n_heads)")
mistake(unscaled, scores=f"{SCORES} / math.sqrt(N)")
mistake("You divided by the root of D. Each head has D / n_heads features: their root it is.", scores=f"{SCORES} / math.sqrt(D)")
mistake("This is what dividing by the head width itself gives. Divide by its root, once.", scores=f"{SCORES} / (D // n_heads)")
mistake("You divided by the root of 3 D / n_heads. Each head has D / n_heads features.", scores=f"{SCORES} / math.sqrt(3 * D // n_heads)")
mistake("This is what multiplying the scores by the root gives. Divide by it (or multiply by d ** -0.5).", scores=f"{SCORES} * {ROOT}")
seen = ("Tokens see what comes after them: put minus infinity where the column is later than the row, and only there (a score that happens "
        "to be 0 is not hidden), before the softmax. (The mask is T by T.)")
mistake(seen, weights="scores.softmax(-1)")
mistake(seen, weights="scores.tril().masked_fill(scores.tril() == 0, -math.inf).nan_to_num().softmax(-1)")
mistake("The mask is the wrong way round: tokens see themselves and what comes later.", {"triu(1)": "tril(-1)"})
mistake("A token sees itself too: the diagonal is not masked. (The first one has nobody else.)", {"triu(1)": "triu(0)"})
mistake("The mask begins one place too late: every token sees the next one.", {"triu(1)": "triu(2)"})
mistake("Hidden scores are 0 here, and exp(0) is 1. Use minus infinity.", {"-math.inf": "0.0"})
modest = "A masked score of a modest number still has weight. Use minus infinity."
for number in (-1.0, -10.0, -100.0):
    mistake(modest, {"-math.inf": str(number)})
mistake(modest, weights="(scores - 100 * later.float()).softmax(-1)")
mistake("The weights do not add up to 1: what is later still counts in what you divide by. Mask before the softmax.",
        weights="scores.softmax(-1).masked_fill(later, 0.0)")
mistake("The weights of what is earlier are rounded away where a later score is much larger: mask before exp and before the largest score is taken off.",
        weights="(e := (scores - scores.amax(-1, keepdim=True)).exp() * torch.ones(T, T).tril()) / e.sum(-1, keepdim=True)")
mistake("The softmax runs over the queries. For each query it runs over the keys: dim -1.", weights=f"{MASKED}.softmax(-2)")
over = "The softmax runs over the heads, or over the names. For each query it runs over the keys: dim -1."
mistake(over, weights=f"{MASKED}.softmax(1)")
mistake(over, weights=f"{MASKED}.softmax(0)")
swapped = ("Queries and keys have changed places: the columns of W_qkv are queries, keys, values, and row i of the scores holds query i "
           "against all keys.")
mistake(swapped, scores=f"k @ q.transpose(-2, -1) / {ROOT}")
mistake(swapped, {"q, k, v = (": "k, q, v = ("})
mistake("Your scores are of queries with queries. Compare queries with keys.", scores=f"q @ q.transpose(-2, -1) / {ROOT}")
first_columns = "The first columns of W_qkv are mixed here. They are queries, then come keys and values: the weights mix the values."
mistake(first_columns, {"q, k, v = (": "v, k, q = ("})
mistake(first_columns, {"q, k, v = (": "v, q, k = ("})
mistake(first_columns, mixed=BACK.replace("@ v", "@ q"))
mistake("The columns of W_qkv are queries, keys and values, in this order: yours are queries, values, keys.", {"q, k, v = (": "q, v, k = ("})
mistake("You mixed the keys, the second D columns of x W_qkv. The weights mix the values, the last D.", mixed=BACK.replace("@ v", "@ k"))
mistake("You mixed x itself. The weights mix the values.", mixed=BACK.replace("@ v", "@ x.view(N, T, n_heads, D // n_heads).transpose(1, 2)"))
mistake("n_heads has no effect: every head has scores of its own, from its own D / n_heads features.", {"    N, T, D = x.shape": "    n_heads, (N, T, D) = 1, x.shape"})
mistake("Head 0 has the first D / n_heads features. In yours the features of the heads alternate: view as (N, T, n_heads, D / n_heads), in this "
        "order.", {HEADS: "part.view(N, T, D // n_heads, n_heads).permute(0, 3, 1, 2)"})
mistake("The heads are not put back side by side: transpose them behind the tokens before you reshape.", mixed="(weights @ v).reshape(N, T, D)")
mistake("Heads cut straight to (N, n_heads, T, D / n_heads) mix tokens and heads. View as (N, T, n_heads, D / n_heads), then transpose.",
        {HEADS: "part.reshape(N, n_heads, T, D // n_heads)"})
mistake("Heads cut straight to (N, n_heads, T, D / n_heads), and put back the same way, mix tokens and heads. View as (N, T, n_heads, D / n_heads), "
        "then transpose.", {HEADS: "part.reshape(N, n_heads, T, D // n_heads)"}, mixed="(weights @ v).reshape(N, T, D)")
mistake("W_out is missing at the end.", returns="mixed")
mistake("This is mixed @ W_out.T (F.linear computes that, too). Multiply by W_out itself: mixed @ W_out.", returns="mixed @ W_out.T")
mistake("You added x. The skip is the block's business (task 4).", returns="x + mixed @ W_out")
mistake("Attention runs over the names: tokens and names have changed places.",
        {"    N, T, D = x.shape": "    x = x.transpose(0, 1)\n    N, T, D = x.shape"}, returns="(mixed @ W_out).transpose(0, 1)")
mistake("These are the values themselves, as if each token saw only itself: are the scores far too large, or not those of queries with keys?",
        weights="torch.eye(T)")
mistake("No answer is a number. Is 0 multiplied by minus infinity, or are rows masked wholly? (masked_fill does without that product.)",
        weights="(scores + torch.ones(T, T).triu(1) * -math.inf).softmax(-1)")
mistake("Do not standardise the scores: where all are 0 they are divided by 0. They are divided by the root of the head width alone.",
        scores=f"({SCORES} - ({SCORES}).mean(-1, keepdim=True)) / ({SCORES}).std(-1, keepdim=True)")
mistake("There is no softmax: the weights are the exponentials of the scores, divided by their sum over the keys.", weights="scores.masked_fill(later, 0.0)")
reach = "No gradient reaches at least one of queries, keys and values. Is it cut off (detach, .data, no_grad, torch.tensor, numpy), or not used?"
mistake(reach, weights=f"{MASKED}.softmax(-1).detach()")
mistake(reach, scores=f"q.detach() @ k.transpose(-2, -1) / {ROOT}")
mistake(reach, scores=f"q @ k.detach().transpose(-2, -1) / {ROOT}")
mistake(reach, mixed=BACK.replace("@ v", "@ v.detach()"))
mistake("No gradient reaches W_out: is it cut off (detach, .data, no_grad)?", returns="mixed @ W_out.detach()")
mistake("No gradient reaches x and the matrices: is the answer cut off (detach, .data, no_grad, torch.tensor, numpy)?", returns="(mixed @ W_out).detach()")

# %% right: ARENA
def causal_self_attention(
    x: torch.Tensor, W_qkv: torch.Tensor, W_out: torch.Tensor, n_heads: int
) -> torch.Tensor:
    batch, seq, d_model = x.shape
    assert d_model % n_heads == 0 and W_qkv.shape == (d_model, 3 * d_model)
    d_head = d_model // n_heads
    W_Q, W_K, W_V = W_qkv.reshape(d_model, 3, n_heads, d_head).unbind(1)
    q = torch.einsum("bsd,dnh->bsnh", x, W_Q)
    k = torch.einsum("bsd,dnh->bsnh", x, W_K)
    v = torch.einsum("bsd,dnh->bsnh", x, W_V)
    attn_scores = torch.einsum("bqnh,bknh->bnqk", q, k) / d_head**0.5
    all_ones = torch.ones(seq, seq, device=x.device)
    mask = torch.triu(all_ones, diagonal=1).bool()
    attn_scores = attn_scores.masked_fill(mask, -1e5)
    attn_probs = attn_scores.softmax(-1)
    z = torch.einsum("bnqk,bknh->bqnh", attn_probs, v)
    W_O = W_out.reshape(n_heads, d_head, d_model)
    return torch.einsum("bqnh,nhd->bqd", z, W_O)

# %% right: CS231n
def softmax_forward(scores):
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    exps = torch.exp(shifted)
    return exps / exps.sum(dim=-1, keepdim=True)


def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    H = n_heads
    proj = x @ W_qkv
    q = proj[:, :, :D].reshape(N, T, H, D // H).permute(0, 2, 1, 3)
    k = proj[:, :, D : 2 * D].reshape(N, T, H, D // H).permute(0, 2, 1, 3)
    v = proj[:, :, 2 * D :].reshape(N, T, H, D // H).permute(0, 2, 1, 3)
    scores = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(D / H)
    mask = torch.tril(torch.ones(T, T))
    scores = scores.masked_fill(mask == 0, -1e9)
    attn_weights = softmax_forward(scores)
    y = torch.matmul(attn_weights, v).permute(0, 2, 1, 3).reshape(N, T, D)
    return y @ W_out

# %% right: makemore
def causal_self_attention(x, W_qkv, W_out, n_heads):
    B, T, C = x.size()
    q, k, v = (x @ W_qkv).split(C, dim=2)
    k = k.view(B, T, n_heads, C // n_heads).transpose(1, 2) # (B, nh, T, hs)
    q = q.view(B, T, n_heads, C // n_heads).transpose(1, 2) # (B, nh, T, hs)
    v = v.view(B, T, n_heads, C // n_heads).transpose(1, 2) # (B, nh, T, hs)
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    att = att.masked_fill(torch.tril(torch.ones(T, T)) == 0, float('-inf'))
    att = F.softmax(att, dim=-1)
    y = att @ v # (B, nh, T, T) x (B, nh, T, hs) -> (B, nh, T, hs)
    y = y.transpose(1, 2).contiguous().view(B, T, C)
    return y @ W_out

# %% right: torch source
def causal_self_attention(x, W_qkv, W_out, n_heads):
    bsz, tgt_len, embed_dim = x.shape
    head_dim = embed_dim // n_heads
    if head_dim * n_heads != embed_dim:
        raise ValueError(f"embed_dim {embed_dim} not divisible by n_heads {n_heads}")
    q, k, v = torch.matmul(x, W_qkv).chunk(3, dim=-1)
    q = q.reshape(bsz, tgt_len, n_heads, head_dim).transpose(1, 2).flatten(0, 1)
    k = k.reshape(bsz, tgt_len, n_heads, head_dim).transpose(1, 2).flatten(0, 1)
    v = v.reshape(bsz, tgt_len, n_heads, head_dim).transpose(1, 2).flatten(0, 1)
    attn_mask = torch.full((tgt_len, tgt_len), float("-inf"), dtype=x.dtype).triu_(1)
    q_scaled = q * math.sqrt(1.0 / float(head_dim))
    attn_output_weights = torch.baddbmm(attn_mask, q_scaled, k.transpose(-2, -1))
    attn_output_weights = F.softmax(attn_output_weights, dim=-1)
    attn_output = torch.bmm(attn_output_weights, v).unflatten(0, (bsz, n_heads))
    attn_output = attn_output.transpose(1, 2).flatten(2)
    return torch.matmul(attn_output, W_out)

# %% right: numpy first
import numpy as np


def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    d = D // n_heads
    qkv = torch.tensordot(x, W_qkv, dims=1)
    heads = []
    allowed = torch.from_numpy(np.tri(T, dtype=bool))
    for h in range(n_heads):
        q = qkv[..., h * d : (h + 1) * d]
        k = qkv[..., D + h * d : D + (h + 1) * d]
        v = qkv[..., 2 * D + h * d : 2 * D + (h + 1) * d]
        s = torch.matmul(q, k.swapaxes(1, 2)) / np.sqrt(d)
        s = torch.where(allowed, s, torch.tensor(-np.inf, dtype=s.dtype))
        e = torch.exp(s - torch.amax(s, dim=-1, keepdim=True))
        heads.append(torch.matmul(e / torch.sum(e, dim=-1, keepdim=True), v))
    return torch.matmul(torch.concatenate(heads, -1), W_out)

# %% right: plain loops
def causal_self_attention(x, W_qkv, W_out, n_heads):
    N, T, D = x.shape
    d = D // n_heads
    names = []
    for n in range(N):
        qkv = x[n] @ W_qkv
        q = qkv[:, 0:D]
        k = qkv[:, D : 2 * D]
        v = qkv[:, 2 * D : 3 * D]
        rows = []
        for t in range(T):
            pieces = []
            for h in range(n_heads):
                a, b = h * d, (h + 1) * d
                scores = []
                for s in range(t + 1):
                    scores.append((q[t, a:b] * k[s, a:b]).sum() / math.sqrt(d))
                weights = torch.softmax(torch.stack(scores), dim=0)
                mixed = 0
                for s in range(t + 1):
                    mixed = mixed + weights[s] * v[s, a:b]
                pieces.append(mixed)
            rows.append(torch.cat(pieces))
        names.append(torch.stack(rows) @ W_out)
    return torch.stack(names)

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
