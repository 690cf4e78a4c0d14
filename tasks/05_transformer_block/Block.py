"""Block, 3 points: attention and feed-forward beside the stream, in both orders."""
import torch
from torch import nn

task = Task("Block")


class Times(nn.Module):
    """Stands for attention or feed-forward: x times a number, plus another one."""

    def __init__(self, factor, shift):
        super().__init__()
        self.factor, self.shift = factor, torch.tensor(shift)

    def forward(self, x):
        return self.factor * x + self.shift


def parts(d):
    return nn.Linear(d, d), nn.Linear(d, d)


def filled(Block, order, d=6):
    """A block of drawn numbers; no order: the default."""
    return fill_(Block(d, *parts(d), **({"norm": order} if order else {})), seed=151)


@task.probe("names and shapes of the weights", shown="Block(3, nn.Linear(3, 3), nn.Linear(3, 3)).state_dict()")
def _(Block):
    return {name: list(value.shape) for name, value in Block(3, *parts(3)).state_dict().items()}


@task.probe("norm1 and norm2 are two norms, and the parts are the modules that it is given")
def _(Block):
    given = parts(3)
    block = Block(3, *given)
    return {"one norm": block.norm1 is block.norm2, "the same modules": [block.attention is given[0], block.feed_forward is given[1]]}


# The token (5, 1): its norm is (1, -1). Pre-norm: "attention" makes (0.5, 1.5) of that, the sum is (5.5, 2.5), whose norm is (1, -1) again;
# "feed-forward" makes (5, -4) of it. Post-norm: "attention" makes (2.5, 2.5) of (5, 1), the sum is (7.5, 3.5), its norm (1, -1), and so on.
def look(order, other):
    @task.probe(f"{order}-norm, the token (5, 1)", tolerance=1e-3,
                shown=f"Block(2, attention, feed_forward, norm={order!r})(tensor([[[5., 1.]]]))   where attention is 0.5 x + (0, 2), "
                "and feed_forward 4 x + (1, 0)")
    def _(Block):
        block, _ = (Block(2, Times(0.5, [0., 2.]), Times(4.0, [1., 0.]), norm="".join(word)) for word in (order, other))
        return block(torch.tensor([[[5., 1.]]]))


def case(order):
    what = f"{order}-norm" if order else "pre-norm if nothing is said"
    call = f"fill_(Block(6, nn.Linear(6, 6), nn.Linear(6, 6){f', norm={order!r}' * bool(order)}), seed=151)"

    @task.probe(f"{what}: three names", drawn=True, tolerance=1e-3, shown=f"{call}(sample(3, 4, 6, seed=152))")
    def _(Block):
        return filled(Block, order)(sample(3, 4, 6, seed=152))

    if not order:
        return

    @task.probe(f"{what}: one name, in evaluation mode", drawn=True, tolerance=1e-3, shown=f"{call}.eval()(sample(1, 4, 6, seed=152))")
    def _(Block):
        return filled(Block, order).eval()(sample(1, 4, 6, seed=152))

    @task.probe(f"{what}: gradients of x and all weights", drawn=True, tolerance=1e-3)
    def _(Block):
        block, x = filled(Block, order), sample(3, 4, 6, seed=153).requires_grad_()
        leaves = {"x": x, **dict(sorted(block.named_parameters()))}
        pulled = (block(x) * sample(3, 4, 6, seed=154)).sum()
        return dict(zip(leaves, torch.autograd.grad(pulled, list(leaves.values()), allow_unused=True)))


look("pre", "post")
look("post", "pre")
case("")
case("pre")
case("post")


@task.probe("other words for norm are refused", shown='Block(2, nn.Identity(), nn.Identity(), norm="before")   and other words')
def _(Block):
    return {word: raises(Block, 2, nn.Identity(), nn.Identity(), norm=word) for word in ("before", "Pre", "POST", "none", "post-norm", "")}


@task.probe("x and torch's settings stay as they are", [], core=False,
            otherwise="the call leaves something changed: x (write x = x + ..., not x += ...), a gradient, or one of torch's settings")
def _(Block):
    return changes(filled(Block, "pre"), sample(2, 4, 6, seed=155)) + changes(filled(Block, "post"), sample(2, 4, 6, seed=155))


# %% mistakes
SKIP1, PRE = "x + self.attention(self.norm1(x))", "            return x + self.feed_forward(self.norm2(x))"
FIRST, SECOND = "            x = " + SKIP1 + "\n", PRE + "\n"
POST1, POST2 = "self.norm1(x + self.attention(x))", "self.norm2(x + self.feed_forward(x))"
NORMS = "nn.LayerNorm(d_model), nn.LayerNorm(d_model)"


def pre(sentence, first=SKIP1, second="x + self.feed_forward(self.norm2(x))"):
    mistake(sentence, {SKIP1: first, "x + self.feed_forward(self.norm2(x))": second})


def post(sentence, first=POST1, second=POST2):
    mistake(sentence, {POST1: first, POST2: second})


ending = ("Your answer is normalised: a norm acts on the stream at the end, as in post-norm. Have 'pre' and 'post' changed places, is there a "
          "norm too many at the end, or does the block made last decide for all (kept on the class, not on self)? Pre-norm: the norm acts before "
          "the part, inside the branch, and the stream stays a plain sum.")
plain = "Pre-norm: the norm acts before the part, inside the branch, and the stream stays a plain sum."
pre(ending, POST1, POST2)
mistake(ending, {'if self.norm == "pre"': 'if self.norm == "post"'})
mistake(ending, {"self.norm = norm\n": "Block.norm = norm\n"})
pre(ending, second="self.norm2(x + self.feed_forward(self.norm2(x)))")
mistake("Without the argument your block is post-norm: the default is norm='pre'.", {'norm="pre"):': 'norm="post"):'})
pre(f"The stream itself is normalised, as by norm(x) + part(norm(x)). {plain}", "(h := self.norm1(x)) + self.attention(h)",
    "(h := self.norm2(x)) + self.feed_forward(h)")
pre(f"Does the norm act on what the part returns, x + norm(part(x))? {plain}", "x + self.norm1(self.attention(x))", "x + "
        "self.norm2(self.feed_forward(x))")
pre("The skips are missing: add each branch to x.", "self.attention(self.norm1(x))", "self.feed_forward(self.norm2(x))")
pre("The skip around attention is missing.", first="self.attention(self.norm1(x))")
pre("The skip around the feed-forward network is missing.", second="self.feed_forward(self.norm2(x))")
pre("Both parts read the same x. The feed-forward network reads what attention has left on the stream.",
    "(y := x) + self.attention(self.norm1(x))", "x + self.feed_forward(self.norm2(y))")
lost = ("What attention adds is missing, or has become 0: is it called, does norm1 act before it and not behind it, and does the second skip "
        "start at the stream behind the first sum?")
pre(lost, "(y := x) + self.attention(self.norm1(x))", "y + self.feed_forward(self.norm2(x))")
pre(lost, "x")
pre("The feed-forward network comes first in yours. Attention comes first.", "x + self.feed_forward( self.norm2(x))", SKIP1)
pre("norm1 acts twice. The second branch has a norm of its own: norm2.", second="x + self.feed_forward(self.norm1(x))")
pre("norm1 and norm2 have changed places.", "x + self.attention(self.norm2(x))", "x + self.feed_forward(self.norm1(x))")
pre("The norms have no effect here.", "x + self.attention(x)", "x + self.feed_forward(x)")
pre("norm1 has no effect here.", first="x + self.attention(x)")
pre("norm2 has no effect here.", second="x + self.feed_forward(x)")
pre("Attention acts twice, and the feed-forward network never.", second="x + self.attention(self.norm2(x))")
post("norm='post' gives pre-norm: norm(x + part(x)) is asked for.", SKIP1, "x + self.feed_forward(self.norm2(x))")
post("The skips are missing in post-norm: norm(x + part(x)).", "self.norm1(self.attention(x))", "self.norm2(self.feed_forward(x))")
post("The last norm is missing in post-norm.", second="x + self.feed_forward(x)")
post("The first norm is missing in post-norm.", first="x + self.attention(x)")
post("norm1 and norm2 have changed places in post-norm.", "self.norm2(x + self.attention(x))", "self.norm1(x + self.feed_forward(x))")
post("norm1 acts twice in post-norm. The second branch has a norm of its own: norm2.", second="self.norm1(x + self.feed_forward(x))")
post("Does the norm act on the branch alone, x + norm(part(x))? Post-norm acts on the sum: norm(x + part(x)).",
     "x + self.norm1(self.attention(x))", "x + self.norm2(self.feed_forward(x))")
post("The feed-forward network comes first in post-norm. Attention comes first.", "self.norm2(x + self.feed_forward( x))", "self.norm1(x + "
        "self.attention(x))")
slip = ("A block was made with a word that is neither 'pre' nor 'post'. Raise the ValueError in __init__, and do not just print: a slip in a "
        "setting should not train.")
mistake(slip, {'if norm not in ("pre", "post")': "if False"})
mistake(slip, {'if norm not in ("pre", "post")': "if norm is None"})
mistake(slip, {'            raise ValueError(f"norm is': '            print(f"norm is'})
exact = "'Pre', 'POST' and 'post-norm' are other words than 'pre' and 'post': refuse them, too."
mistake(exact, {"if norm not in": "if norm.lower() not in"})
mistake(exact, {'if norm not in ("pre", "post")': 'if not norm.startswith(("pre", "post"))'})
mistake(exact, {'if norm not in ("pre", "post")': 'if not norm.lower().startswith(("pre", "post"))'})
mistake(exact, {'("pre", "post")': '("pre", "post", "Pre", "POST", "Post", "PRE")'})
mistake("Another word for norm raises another error than ValueError (an assert raises AssertionError).",
        {'if norm not in ("pre", "post"):\n': 'assert norm in ("pre", "post")\n        if False:\n'})
mistake("Compare words with ==: `is` asks whether they are the same object.", {'self.norm == "pre"': 'id(self.norm) == id("pre")'})
mistake("There is one norm with two names. Make two: nn.LayerNorm(d_model) twice.", {NORMS: "[nn.LayerNorm(d_model)] * 2"})
mistake("Gamma and beta of the norms are missing, or have no effect: an nn.LayerNorm(d_model), assigned to self and called, has both.",
        {NORMS: "(nn.LayerNorm(d_model, elementwise_affine=False) for _ in range(2))"})
mistake("The parts are not registered as attention and feed_forward: assign the modules to self, not in a list or dict.",
        {"self.attention, self.feed_forward = attention, feed_forward": "self.parts = [attention, feed_forward]", "self.attention(": "self.parts[0](",
         "self.feed_forward(": "self.parts[1]("})
mistake("The parts are called attention and feed_forward.", {"self.attention": "self.attn", "self.feed_forward": "self.ff"})
mistake("The norms are called norm1 and norm2.", {"self.norm1": "self.ln1", "self.norm2": "self.ln2"})
mistake("The parts are copies. Assign the modules themselves that are given.",
        {"= attention, feed_forward": "= __import__('copy').deepcopy(attention), __import__('copy').deepcopy(feed_forward)"})
place = "The block's input was changed in place: write x = x + ..., not x += ... or x.add_(...)."
mistake(place, {FIRST: "            x += self.attention(self.norm1(x))\n"})
cut = "No gradient flows back to x. Is it cut off (detach, .data, no_grad, torch.tensor, numpy)?"
mistake(cut, {'        if self.norm == "pre"': '        x = x.detach()\n        if self.norm == "pre"'})

# %% right: ARENA
class Block(nn.Module):
    def __init__(
        self, d_model: int, attention: nn.Module, feed_forward: nn.Module, norm: str = "pre"
    ):
        super().__init__()
        if norm not in {"pre", "post"}:
            raise ValueError(f"Expected 'pre' or 'post', got {norm}")
        self.norm = norm
        self.norm1 = nn.LayerNorm(d_model)
        self.attention = attention
        self.norm2 = nn.LayerNorm(d_model)
        self.feed_forward = feed_forward

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.norm == "pre":
            resid_mid = self.attention(self.norm1(x)) + x
            resid_post = self.feed_forward(self.norm2(resid_mid)) + resid_mid
            return resid_post
        resid_mid = self.norm1(self.attention(x) + x)
        return self.norm2(self.feed_forward(resid_mid) + resid_mid)

# %% right: CS231n
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm != "pre" and norm != "post":
            raise ValueError('Invalid norm "%s"' % norm)
        self.norm_type = norm
        self.attention = attention
        self.feed_forward = feed_forward
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):
        out = x
        for layer, norm in ((self.attention, self.norm1), (self.feed_forward, self.norm2)):
            shortcut = out
            if self.norm_type == "pre":
                out = shortcut + layer(norm(out))
            else:
                out = norm(shortcut + layer(out))
        return out

# %% right: makemore
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"): raise ValueError(norm)
        self.pre = norm == "pre"
        self.attention = attention
        self.feed_forward = feed_forward
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):
        if self.pre:
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% right: torch source
class Block(nn.Module):
    __constants__ = ["norm_first"]

    def __init__(self, d_model, attention, feed_forward, norm="pre") -> None:
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm should be 'pre' or 'post', not {norm}")
        self.norm_first = norm == "pre"
        self.attention = attention
        self.feed_forward = feed_forward
        self.norm1 = nn.LayerNorm(d_model, eps=1e-5)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-5)

    def forward(self, src: torch.Tensor) -> torch.Tensor:
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x))
            x = x + self._ff_block(self.norm2(x))
        else:
            x = self.norm1(x + self._sa_block(x))
            x = self.norm2(x + self._ff_block(x))
        return x

    def _sa_block(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x)

    def _ff_block(self, x: torch.Tensor) -> torch.Tensor:
        return self.feed_forward(x)

# %% right: numpy first
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ["pre", "post"]:
            raise ValueError("norm must be 'pre' or 'post'")
        self.order = norm
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        if self.order == "post":
            h = self.norm1(torch.add(x, self.attention(x)))
            return self.norm2(torch.add(h, self.feed_forward(h)))
        h = torch.add(x, self.attention(self.norm1(x)))
        return torch.add(h, self.feed_forward(self.norm2(h)))

# %% right: plain loops
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm == "pre":
            self.is_pre = True
        elif norm == "post":
            self.is_pre = False
        else:
            raise ValueError("norm has to be pre or post")
        self.attention = attention
        self.feed_forward = feed_forward
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):
        if self.is_pre:
            a = self.norm1(x)
            a = self.attention(a)
            x = x + a
            f = self.norm2(x)
            f = self.feed_forward(f)
            x = x + f
            return x
        else:
            a = self.attention(x)
            x = self.norm1(x + a)
            f = self.feed_forward(x)
            x = self.norm2(x + f)
            return x

# %% right: the order is an index, whose ValueError is list's own
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        self.after = ["pre", "post"].index(norm)
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm([d_model]), nn.LayerNorm((d_model,))

    def forward(self, x):
        for part, norm in [(self.attention, self.norm1), (self.feed_forward, self.norm2)]:
            x = norm(x + part(x)) if self.after else x + part(norm(x))
        return x
