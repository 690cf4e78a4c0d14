"""AttentionLayer, 2 points: the first suspect, without its three bugs."""
import torch

task = Task("AttentionLayer")
m = task.module(starts=False, leads=((4,), (1,)))
m.build(6, 3, takes=(4, 6))
m.build(d_model=4, n_heads=2, takes=(5, 4))
m.build(6, 1, takes=(1, 6))


def moved(AttentionLayer, change, there):
    """How far some answers move when the input is changed."""
    net, x = fill_(AttentionLayer(4, 2), seed=170), sample(2, 3, 4, seed=171)
    other = x.clone()
    change(other)
    return (net(other) - net(x))[there].abs().max()


@task.probe("n_heads is used", shown="AttentionLayer(4, 2).attention.num_heads, AttentionLayer(4, 1).attention.num_heads")
def _(AttentionLayer):
    return [AttentionLayer(4, heads).attention.num_heads for heads in (2, 1)]


@task.probe("the same input has the same answer twice", at_most(1e-5),
            otherwise="It answers differently each time: does something drop out at random (leave dropout at 0), or change from call to call?")
def _(AttentionLayer):
    return moved(AttentionLayer, lambda x: x, slice(None))


@task.probe("neither of the two names moves the other one", at_most(1e-5),
            otherwise="Another name moves this one's answer: are names taken for tokens, or the two axes mixed by unpacking or a reshape? "
            "nn.MultiheadAttention takes and returns (tokens, names, features) unless you say batch_first=True: transpose on the way in and on the "
            "way back. (And the norm takes each token alone.)")
def _(AttentionLayer):
    return torch.stack([moved(AttentionLayer, lambda x, k=k: x[1 - k].fill_(1.0), k) for k in (0, 1)]).max()


@task.probe("another last token does not move those before it", at_most(1e-5),
            otherwise="Tokens still see what comes after them: is there an attn_mask, with bools that are True everywhere above the diagonal, "
                    "triu(1)? "
            "(Numbers are added to the scores: only minus infinity hides.) And does the norm take each token alone, and no reshape exchange names "
            "and tokens?")
def _(AttentionLayer):
    return moved(AttentionLayer, lambda x: x[:, 2].copy_(torch.tensor([1., 0., 0., -1.])), (slice(None), slice(2)))


# %% mistakes
NORM, CALL = "self.norm(x)", "self.attention(h, h, h, attn_mask=later, need_weights=False)"
LAST = f"        h, _ = {CALL}\n        return x + h"


def last(sentence, call, result="x + h", **more):
    mistake(sentence, {LAST: f"        h, _ = self.attention({call}, need_weights=False)\n        return {result}", **more})


names = ("Another name moves this one's answer: are names taken for tokens, or the two axes mixed by unpacking or a reshape? nn.MultiheadAttention "
         "takes "
         "and returns (tokens, names, features) unless you say batch_first=True: transpose on the way in and on the way back.")
FIRST = {", batch_first=True": ""}
N_MASK = {"torch.ones(T, T, device=x.device)": "torch.ones(len(x), len(x))"}
mistake(names, FIRST | {"attn_mask=later, ": ""})
mistake(names, FIRST | N_MASK)
mistake(names, FIRST | {LAST: f"        h = h.transpose(0, 1)\n        h, _ = {CALL}\n        return x + h.reshape(x.shape)"})
mistake(names,
        FIRST | {LAST: f"        h, _ = {CALL.replace('h, h, h', '*[h.reshape(T, -1, x.shape[2])] * 3')}\n        return x + h.reshape(x.shape)"})
mistake("All three bugs are still there: tokens first, no mask, the norm after the addition.",
        FIRST | {"h, T = self.norm(x)": "h, T = x", "attn_mask=later, ": "", "return x + h": "return self.norm(x + h)"})
mistake("Transposed on the way in, and not put back: transpose once more on the way out.",
        FIRST | {LAST: f"        h = h.transpose(0, 1)\n        h, _ = {CALL}\n        return x + h"})
mistake("The norm still acts after the addition. The docstring says before: x + attention(norm(x)).", {"h, T = self.norm(x)": "h, T = x",
        "return x + h": "return self.norm(x + h)"})
seen = "Tokens still see what comes after them: is there an attn_mask, with bools that are True everywhere above the diagonal, triu(1)?"
mistake(seen, {"attn_mask=later, ": ""})
mistake("Tokens still see what comes after them, and the norm still acts after the addition.",
        {"attn_mask=later, ": "", "h, T = self.norm(x)": "h, T = x", "return x + h": "return self.norm(x + h)"})
mistake("The mask is the wrong way round: True means not to be seen, so it stands above the diagonal.", {"triu(1)": "tril(-1)"})
mistake("The mask begins one place too late: every token sees the next one.", {"triu(1)": "triu(2)"})
mistake("No answer is a number where a token sees nobody, not even itself: the mask begins above the diagonal, triu(1).", {"triu(1)": "triu(0)"})
mistake("No answer is a number: 0 times minus infinity is none. Make the mask of bools.", {".triu(1).bool()": ".triu(1) * -math.inf"})
mistake("A mask of 0 and 1 is added to the scores and hides nothing. Make it bool, or take minus infinity.", {".bool()": ""})
mistake("A mask of numbers is added to the scores: only minus infinity hides.", {".bool()": " * -10"})
mistake("The skip is missing: x + attention(norm(x)).", {"return x + h": "return h"})
mistake("You add the branch to norm(x). The stream itself is not normalised: x + attention(norm(x)).", {"h, T = self.norm(x)": "h, T = (x := "
        "self.norm(x))"})
last("Only the queries are normalised. Queries, keys and values are all made of norm(x).", "h, x, x, attn_mask=later")
last("The values are made of x. Queries, keys and values are all made of norm(x).", "h, h, x, attn_mask=later")
last("The queries are made of x. Queries, keys and values are all made of norm(x).", "x, h, h, attn_mask=later")
mistake("The norm has no effect here.", {"h, T = self.norm(x)": "h, T = x"})
mistake("The norm acts on what attention returns. It acts before: x + attention(norm(x)).", {"h, T = self.norm(x)": "h, T = x",
        "return x + h": "return x + self.norm(h)"})
mistake("The norm takes each token alone: nn.LayerNorm(d_model).", {"h, T = self.norm(x)": "h, T = F.layer_norm(x, x.shape[1:]) * self.norm.weight "
        "+ self.norm.bias"})
mistake("n_heads has no effect.", {"(d_model, n_heads": "(d_model, 1"})
mistake("It answers differently each time: leave dropout at 0.", {", batch_first": ", dropout=0.3, batch_first"})
mistake("The parts are called attention and norm.", {"self.attention": "self.attn"})
mistake("The parts are called attention and norm.", {"self.norm": "self.ln"})
mistake("The parts are called attention and norm.", {"self.norm": "self.ln", "self.attention": "self.attn"})
cut = "No gradient flows back through the {}: are they cut off (detach, .data, no_grad)?"
last(cut.format("queries"), "h.detach(), h, h, attn_mask=later")
last(cut.format("keys"), "h, h.detach(), h, attn_mask=later")
last(cut.format("values"), "h, h, h.detach(), attn_mask=later")
mistake("No gradient flows back to x. Is it cut off (detach, .data, no_grad, torch.tensor, numpy)?", {"h, T = self.norm(x)": "h, T = self.norm(x := "
        "x.detach())"})
mistake("A batch of one name lost its dimension: the answer has the shape of x.", {"return x + h": "return (x + h).squeeze(0)"})

# %% right: ARENA
class AttentionLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normalized = self.norm(x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        out, _ = self.attention(normalized, normalized, normalized, attn_mask=mask)
        assert out.shape == x.shape
        return x + out

# %% right: CS231n
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        N, T, D = x.shape
        h = self.norm(x).transpose(0, 1)  # (T, N, D)
        mask = torch.tril(torch.ones(T, T)) == 0
        out, cache = self.attention(h, h, h, attn_mask=mask)
        return x + out.transpose(0, 1)

# %% right: makemore
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        B, T, C = x.size()
        h = self.norm(x)
        mask = torch.triu(torch.full((T, T), float('-inf')), diagonal=1)
        return x + self.attention(h, h, h, attn_mask=mask, need_weights=False)[0]

# %% right: torch source
class AttentionLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, dropout=0.0, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, src: torch.Tensor) -> torch.Tensor:
        return src + self._sa_block(self.norm(src))

    def _sa_block(self, x: torch.Tensor) -> torch.Tensor:
        attn_mask = nn.Transformer.generate_square_subsequent_mask(x.size(1), dtype=x.dtype)
        return self.attention(
            x, x, x, attn_mask=attn_mask, is_causal=True, need_weights=False
        )[0]

# %% right: numpy first
import numpy as np


class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        T = x.shape[1]
        mask = np.triu(np.full((T, T), -np.inf, dtype=np.float32), k=1)
        h = self.norm(x)
        h, _ = self.attention(h, h, h, attn_mask=torch.from_numpy(mask))
        return torch.add(x, h)

# %% right: plain loops
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        T = x.shape[1]
        mask = torch.zeros(T, T, dtype=torch.bool)
        for i in range(T):
            for j in range(i + 1, T):
                mask[i, j] = True
        answers = []
        for name in x:
            h = self.norm(name)
            h, weights = self.attention(h, h, h, attn_mask=mask)
            answers.append(name + h)
        return torch.stack(answers)

# %% right: a float32 mask that is kept, and made anew for longer names
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)
        self.mask = torch.zeros(0, 0)

    def forward(self, x):
        T = x.shape[1]
        if len(self.mask) < T:
            self.mask = torch.full((T, T), -math.inf).triu(1)
        h = self.norm(x)
        return x + self.attention(h, h, h, attn_mask=self.mask[:T, :T])[0]
