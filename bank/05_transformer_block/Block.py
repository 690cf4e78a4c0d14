"""Block, 3 points."""

# %% right: a helper for one branch
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        try:
            self.add = {"pre": self.add_pre, "post": self.add_post}[norm]
        except KeyError:
            raise ValueError("norm must be pre or post") from None
        self.attention = attention
        self.feed_forward = feed_forward
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    @staticmethod
    def add_pre(x, part, norm):
        return x + part(norm(x))

    @staticmethod
    def add_post(x, part, norm):
        return norm(x + part(x))

    def forward(self, x):
        x = self.add(x, self.attention, self.norm1)
        return self.add(x, self.feed_forward, self.norm2)

# %% right: identities in the place of the norms that are not there
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm != "pre" and norm != "post":
            raise ValueError(norm)
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = (nn.LayerNorm(d_model) for _ in range(2))
        self.is_pre = norm == "pre"

    def forward(self, x):
        for part, norm in ((self.attention, self.norm1), (self.feed_forward, self.norm2)):
            before, after = (norm, lambda h: h) if self.is_pre else (lambda h: h, norm)
            x = after(x + part(before(x)))
        return x

# %% wrong: norm said to act before and coded after
# told: Your answer is normalised: a norm acts on the stream at the end
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: pre and post exchanged
# told: Your answer is normalised: a norm acts on the stream at the end
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "post":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: post never built
# told: norm='post' gives pre-norm: norm(x + part(x)) is asked for.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        return x

# %% wrong: the norm on the stream
# told: The stream itself is normalised, as by norm(x) + part(norm(x)). Pre-norm: the norm acts before the part, inside the branch, and the stream stays a plain sum.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = self.norm1(x)
            x = x + self.attention(x)
            x = self.norm2(x)
            x = x + self.feed_forward(x)
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: the norm behind the part
# told: Does the norm act on what the part returns, x + norm(part(x))? Pre-norm: the norm acts before the part, inside the branch, and the stream stays a plain sum.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.norm1(self.attention(x))
            x = x + self.norm2(self.feed_forward(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: no skips
# told: The skips are missing: add each branch to x.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = self.attention(self.norm1(x))
            x = self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: no skip around attention
# told: The skip around attention is missing.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: no skip around feed-forward
# told: The skip around the feed-forward network is missing.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: side by side
# told: Both parts read the same x. The feed-forward network reads
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x)) + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: skips to the first x
# told: What attention adds is missing, or has become 0: is it called, does norm1 act before it and not behind it, and does the second skip start at the stream behind the first sum?
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            h = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(h))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: feed-forward first
# told: The feed-forward network comes first in yours. Attention comes first.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.feed_forward(self.norm2(x))
            x = x + self.attention(self.norm1(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: one norm for both
# told: norm1 acts twice. The second branch has a norm of its own: norm2.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm1(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: norms exchanged
# told: norm1 and norm2 have changed places.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm2(x))
            x = x + self.feed_forward(self.norm1(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: no norms
# told: The norms have no effect here.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(x)
            x = x + self.feed_forward(x)
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: no first norm
# told: norm1 has no effect here.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(x)
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: no second norm
# told: norm2 has no effect here.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(x)
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: attention twice
# told: Attention acts twice, and the feed-forward network never.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.attention(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: post-norm without its skips
# told: The skips are missing in post-norm: norm(x + part(x)).
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(self.attention(x))
            x = self.norm2(self.feed_forward(x))
        return x

# %% wrong: post-norm without the last norm
# told: The last norm is missing in post-norm.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = x + self.feed_forward(x)
        return x

# %% wrong: post-norm inside the branch
# told: Does the norm act on the branch alone, x + norm(part(x))? Post-norm acts on the sum: norm(x + part(x)).
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = x + self.norm1(self.attention(x))
            x = x + self.norm2(self.feed_forward(x))
        return x

# %% wrong: any word goes
# told: A block with norm='before' was made
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: a wrong word is post-norm without an error
# told: A block with norm='before' was made
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm is None:
            raise ValueError("no norm")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: in place
# told: The block's input was changed in place: write x = x + ..., not x += ... or x.add_(...).
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x += self.attention(self.norm1(x))
            x += self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: the same norm object
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1 = self.norm2 = nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: norms without parameters
# told: Gamma and beta of the norms are missing, or have no effect: an nn.LayerNorm(d_model), assigned to self and called, has both.
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1 = nn.LayerNorm(d_model, elementwise_affine=False)
        self.norm2 = nn.LayerNorm(d_model, elementwise_affine=False)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x))
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: parts not registered
# told: The parts are not registered as attention and feed_forward:
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is pre or post, not {norm!r}")
        self.parts_ = [attention, feed_forward]
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm = norm

    def forward(self, x):
        if self.norm == "pre":
            x = x + self.parts_[0](self.norm1(x))
            x = x + self.parts_[1](self.norm2(x))
        else:
            x = self.norm1(x + self.parts_[0](x))
            x = self.norm2(x + self.parts_[1](x))
        return x

# %% right: both orders written out
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm == "pre":
            self.pre = True
        elif norm == "post":
            self.pre = False
        else:
            raise ValueError("norm: 'pre' or 'post'")
        self.norm2 = nn.LayerNorm(d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = feed_forward
        self.attention = attention

    def forward(self, x):
        if self.pre:
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))

# %% right: the order is a method
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        orders = {"pre": self.before, "post": self.behind}
        if norm not in orders:
            raise ValueError(f"unknown norm {norm!r}")
        self.norm = norm
        self.attention = attention
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = feed_forward
        self.norm2 = nn.LayerNorm(d_model)

    @staticmethod
    def before(x, part, norm):
        return torch.add(x, part(norm(x)))

    @staticmethod
    def behind(x, part, norm):
        return norm(torch.add(x, part(x)))

    def forward(self, x):
        step = self.before if self.norm == "pre" else self.behind
        after_attention = step(x, self.attention, self.norm1)
        return step(after_attention, self.feed_forward, self.norm2)

# %% wrong: copies of the parts
import copy


class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(norm)
        self.order = norm
        self.attention, self.feed_forward = copy.deepcopy(attention), copy.deepcopy(feed_forward)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        if self.order == "pre":
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))

# %% right: norms by their own formula, a branch at a time
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError("norm is 'pre' or 'post'")
        self.norm = norm
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        return self.branch(self.branch(x, self.attention, self.norm1), self.feed_forward, self.norm2)

    def branch(self, x, part, norm):
        def standard(h):
            h = h - h.mean(-1, keepdim=True)
            h = h * (h.square().mean(-1, keepdim=True) + norm.eps).rsqrt()
            return norm.weight * h + norm.bias

        return x + part(standard(x)) if self.norm == "pre" else standard(x + part(x))

# %% right: norms written out, name after name
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm != "pre" and norm != "post":
            raise ValueError(norm)
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.pre = norm == "pre"

    def forward(self, x):
        rows = []
        for name in x.split(1):
            for norm, part in ((self.norm1, self.attention), (self.norm2, self.feed_forward)):
                name = name + part(norm(name)) if self.pre else norm(name + part(name))
            rows.append(name)
        return torch.cat(rows)

# %% right: norms by mean and var, sums in place on its own numbers
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in {"pre", "post"}:
            raise ValueError(norm)
        self.order = norm
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def _norm(self, norm, x):
        centred = x - x.mean(-1, keepdim=True)
        scale = torch.rsqrt(centred.square().mean(-1, keepdim=True) + norm.eps)
        return centred * scale * norm.weight + norm.bias

    def forward(self, x):
        for norm, part in ((self.norm1, self.attention), (self.norm2, self.feed_forward)):
            h = x.clone()
            if self.order == "pre":
                h += part(self._norm(norm, x))
                x = h
            else:
                h += part(x)
                x = self._norm(norm, h)
        return x

# %% wrong: the default is post
# told: Without the argument your block is post-norm
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="post"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(norm)
        self.attention, self.feed_forward, self.kind = attention, feed_forward, norm
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        if self.kind == "pre":
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))

# %% wrong: pre-norm with a third, last norm on the stream
# told: Your answer is normalised: a norm acts on the stream
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(norm)
        self.attention, self.feed_forward, self.kind = attention, feed_forward, norm
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        if self.kind == "pre":
            x = x + self.attention(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
            return self.norm2(x)
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))

# %% sly: words that begin with pre or post are accepted
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if not str(norm).startswith(("pre", "post")):
            raise ValueError(norm)
        self.norm = norm
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        pass
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))

# %% sly: words in capitals are accepted
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post", "PRE", "POST"):
            raise ValueError(norm)
        self.norm = norm
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        pass
        if self.norm == "pre":
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))

# %% sly: compares words with is
class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(norm)
        self.norm = norm
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        pass
        if self.norm is "pre":
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))

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

# %% right: a match statement, and a subclass of nn.LayerNorm
class Norm(nn.LayerNorm):
    """nn.LayerNorm, under a shorter name."""


class Block(nn.Module):
    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        match norm:
            case "pre" | "post":
                self.order = norm
            case _:
                raise ValueError(f"{norm!r} is not an order")
        self.norm1, self.norm2 = Norm(d_model), Norm(d_model)
        self.attention, self.feed_forward = attention, feed_forward

    def forward(self, x):
        match self.order:
            case "pre":
                x = self.attention(self.norm1(x)) + x
                return self.feed_forward(self.norm2(x)) + x
            case _:
                x = self.norm1(self.attention(x) + x)
                return self.norm2(self.feed_forward(x) + x)

# %% wrong: the order is a switch of the class: the last block made decides for all
# told: does the block made last decide for all
class Block(nn.Module):
    order = "pre"

    def __init__(self, d_model, attention, feed_forward, norm="pre"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(norm)
        Block.order = norm
        self.attention, self.feed_forward = attention, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        if self.order == "pre":
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))
