"""AttentionLayer, 2 points."""

# %% right: transposed by hand
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x).transpose(0, 1)
        mask = nn.Transformer.generate_square_subsequent_mask(len(h))
        h = self.attention(h, h, h, attn_mask=mask, is_causal=True)[0]
        return h.transpose(0, 1) + x

# %% right: a mask of minus infinity
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        n = x.size(1)
        mask = torch.triu(torch.full((n, n), -math.inf), diagonal=1)
        return x + self.attention(h, h, h, attn_mask=mask, need_weights=True)[0]

# %% wrong: batch first forgotten
# told: Another name moves this one's answer
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = None
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: the norm after the addition
# told: The norm still acts after the addition. The docstring says
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = x
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return self.norm(x + h)

# %% wrong: no mask
# told: Tokens still see what comes after them: is there an attn_mask,
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = None
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: the suspect as it is
# told: Another name moves this one's answer
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h, _ = self.attention(x, x, x)
        return self.norm(x + h)

# %% wrong: batch first, and nothing else
# told: Tokens still see what comes after them
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h, _ = self.attention(x, x, x)
        return self.norm(x + h)

# %% wrong: the mask the wrong way round
# told: Tokens still see what comes after them
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).tril(-1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: a float mask of ones
# told: Tokens still see what comes after them
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1)
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: no skip
# told: The skip is missing: x + attention(norm(x)).
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return h

# %% wrong: the normalised stream
# told: You add the branch to norm(x). The stream itself is not
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = x = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: the norm for the queries alone
# told: Only the queries are normalised. Queries, keys and values
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, x, x, attn_mask=mask)
        return x + h

# %% wrong: values not normalised
# told: The values are made of x. Queries, keys and values are all
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, x, attn_mask=mask)
        return x + h

# %% wrong: no norm
# told: The norm has no effect here.
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = x
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: the norm on the branch
# told: The norm acts on what attention returns. It acts before: x
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = x
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + self.norm(h)

# %% wrong: transposed and not put back
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x).transpose(0, 1)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: one head
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, 1, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% wrong: dropout
# told: It answers differently each time
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, dropout=0.3, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        T = x.shape[1]
        mask = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% right: tokens first, axes turned
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.attention = nn.MultiheadAttention(d_model, n_heads)

    def forward(self, x):
        h = self.norm(x).transpose(0, 1)
        T = len(h)
        mask = torch.full((T, T), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        out, _ = self.attention(h, h, h, attn_mask=mask)
        return x + out.transpose(0, 1)

# %% right: one name after the other, without a dimension of names
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        answers = []
        for name in x.unbind(0):
            h = self.norm(name)
            seen = torch.tril(torch.ones(len(h), len(h), dtype=torch.bool))
            answers.append(name + self.attention(h, h, h, attn_mask=seen.logical_not())[0])
        return torch.stack(answers)

# %% right: answers float32, to float64 too: single precision is what is asked
class AttentionLayer(nn.Module):
    """Pre-norm causal self-attention: x + attention(norm(x)).

    attention: nn.MultiheadAttention; norm: nn.LayerNorm
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        """x: (N, T, d_model) -> the same shape"""
        T = x.shape[1]
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        h = self.norm(x)
        h, _ = self.attention(h, h, h, attn_mask=later)
        return (x + h).float()

# %% right: the weights of a causal product of torch, from the module's own matrices
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, dropout=0.0, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        N, T, D = x.shape
        part = self.attention
        qkv = F.linear(self.norm(x), part.in_proj_weight, part.in_proj_bias)
        q, k, v = qkv.view(N, T, 3, part.num_heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + part.out_proj(mixed.transpose(1, 2).reshape(N, T, D))

# %% right: the longest mask kept, a mask in the precision of x, averaged weights asked for
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=x.dtype)
        h, _ = self.attention(h, h, h, need_weights=True, attn_mask=mask)
        return h.add_(x)

# %% right: double precision is computed in single, and only its answer is double
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        T = x.shape[1]
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        h = self.norm(x)
        h, _ = self.attention(h, h, h, attn_mask=later)
        return x + h.float().to(x.dtype)

# %% right: token by token, each asks its past
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm(x)
        branch = [self.attention(h[:, t : t + 1], h[:, : t + 1], h[:, : t + 1])[0]
                  for t in range(x.shape[1])]
        return x + torch.cat(branch, dim=1)

# %% wrong: tokens first on the way in, a reshape on the way out
# told: mixed by unpacking or a reshape
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        T = x.shape[1]
        later = torch.ones(T, T, device=x.device).triu(1).bool()
        h = self.norm(x).transpose(0, 1)
        y, _ = self.attention(h, h, h, attn_mask=later, need_weights=False)
        return x + y.reshape(x.shape)

# %% wrong: masked with -10, a modest number
# told: only minus infinity hides
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        T = x.shape[1]
        later = torch.ones(T, T, device=x.device).triu(1).to(x.dtype) * -10
        h = self.norm(x)
        y, _ = self.attention(h, h, h, attn_mask=later, need_weights=False)
        return x + y

# %% wrong: the norm's mean and variance run over the tokens, too
# told: does the norm take each token alone
class AttentionLayer(nn.Module):
    """Pre-norm causal self-attention in single precision: x + attention(norm(x)).

    attention: nn.MultiheadAttention; norm: nn.LayerNorm
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        """x: (N, T, d_model) -> the same shape"""
        h = F.layer_norm(x, x.shape[1:]) * self.norm.weight + self.norm.bias
        T = x.shape[1]
        mask = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h

# %% right: minus infinity added, no weights returned
class AttentionLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.attention = nn.MultiheadAttention(
            embed_dim=d_model, num_heads=n_heads, dropout=0.0, bias=True, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        T = x.size(1)
        normed = self.norm(x)
        mask = torch.full((T, T), -math.inf).triu(1)
        branch, weights = self.attention(query=normed, key=normed, value=normed,
                                         need_weights=False, attn_mask=mask)
        return branch.add(x)

# %% sly: one name alone loses its axis in evaluation mode
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        h, T = self.norm(x), x.shape[1]
        later = torch.ones(T, T).triu(1).bool()
        h, _ = self.attention(h, h, h, attn_mask=later)
        return x + h if self.training else (x + h).squeeze(0)

# %% right: a subclass of nn.MultiheadAttention that makes its own mask
class Causal(nn.MultiheadAttention):
    def forward(self, h):
        mask = torch.full((h.shape[1], h.shape[1]), -1e9, dtype=h.dtype).triu(1)
        return super().forward(h, h, h, attn_mask=mask, average_attn_weights=False)[0]


class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = Causal(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        return x + self.attention(self.norm(x))

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

# %% wrong: tokens first by reshape, not by transpose
# told: Another name moves this one's answer: are names taken for tokens, or the two axes mixed by unpacking or a reshape? nn.MultiheadAttention takes and returns (tokens, names, features) unless you say batch_first=True: transpose on the way in and on the way back. (And the norm takes each token alone.)
class AttentionLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        T = x.shape[1]
        mask = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        h = self.norm(x).reshape(T, -1, x.shape[2])
        h, _ = self.attention(h, h, h, attn_mask=mask)
        return x + h.reshape(x.shape)
