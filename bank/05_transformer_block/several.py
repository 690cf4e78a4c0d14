"""Whole notebooks."""

# %% right: whole notebook in ARENA's style
## FeedForward
class FeedForward(nn.Module):
    """The part of a block that treats every token alone: d -> 4 d -> d."""

    up: nn.Linear
    down: nn.Linear

    def __init__(self, d_model: int):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pre = torch.einsum("...d,hd->...h", x, self.up.weight) + self.up.bias
        post = F.gelu(pre)
        return torch.einsum("...h,dh->...d", post, self.down.weight) + self.down.bias

## count_parameters
def count_parameters(
    vocab_size: int, max_length: int, d_model: int, n_blocks: int
) -> dict[str, int]:
    d_mlp = 4 * d_model
    return {
        "embeddings": vocab_size * d_model + max_length * d_model,
        "attention": n_blocks * (4 * d_model * d_model + 4 * d_model),
        "feed-forward": n_blocks * (2 * d_model * d_mlp + d_mlp + d_model),
        "norms": (2 * n_blocks + 1) * 2 * d_model,
        "output": d_model * vocab_size + vocab_size,
    }

## causal_self_attention
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

## attention_backward
def attention_backward(
    dy: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, P: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    T, D = q.shape
    assert P.shape == (T, T)
    dv = torch.einsum("ij,id->jd", P, dy)
    dP = torch.einsum("id,jd->ij", dy, v)
    mean = torch.einsum("ij,ij->i", P, dP)
    dS = P * (dP - mean[:, None])
    dq = torch.einsum("ij,jd->id", dS, k) / D**0.5
    dk = torch.einsum("ij,id->jd", dS, q) / D**0.5
    return dq, dk, dv

## Block
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

## TransformerModel
class TransformerModel(nn.Module):
    def __init__(
        self, vocab_size: int, max_length: int, d_model: int, n_heads: int, n_blocks: int
    ):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            [
                nn.TransformerEncoderLayer(
                    d_model=d_model,
                    nhead=n_heads,
                    dim_feedforward=4 * d_model,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(n_blocks)
            ]
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        batch, seq_len = ids.shape
        if seq_len > self.max_length:
            raise ValueError(f"Got {seq_len} tokens, but there are {self.max_length} positions")
        residual = self.embedding(ids) + self.positions.weight[:seq_len]
        mask = nn.Transformer.generate_square_subsequent_mask(seq_len)
        for block in self.blocks:
            residual = block(residual, src_mask=mask, is_causal=True)
        logits = self.output(self.norm(residual))
        assert logits.shape[:2] == (batch, seq_len)
        return logits

## AttentionLayer
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

## causal_weights
def causal_weights(scores: torch.Tensor) -> torch.Tensor:
    T = scores.shape[-1]
    mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
    return scores.masked_fill(mask, float("-inf")).softmax(dim=-1)

## effective_tokens
def effective_tokens(scores: torch.Tensor) -> torch.Tensor:
    probs = scores.softmax(dim=-1)
    log_probs = torch.where(probs > 0, probs, torch.ones_like(probs)).log()
    entropy = -torch.einsum("...t,...t->...", probs, log_probs)
    return entropy.exp()


def reading() -> dict[str, str]:
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

## train_names_model
class NameTransformer(nn.Module):
    def __init__(self, d_model: int = 32, n_heads: int = 4, n_blocks: int = 2):
        super().__init__()
        self.embed = nn.Embedding(27, d_model)
        self.pos_embed = nn.Parameter(torch.randn(TOKENS, d_model) * 0.02)
        self.blocks = nn.ModuleList(
            [
                nn.TransformerEncoderLayer(
                    d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                    batch_first=True, norm_first=True,
                )
                for _ in range(n_blocks)
            ]
        )
        self.ln_final = nn.LayerNorm(d_model)
        self.unembed = nn.Linear(d_model, 27)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        seq = ids.shape[1]
        mask = torch.triu(torch.ones(seq, seq, dtype=torch.bool), diagonal=1)
        residual = self.embed(ids) + self.pos_embed[:seq]
        for block in self.blocks:
            residual = block(residual, src_mask=mask)
        return self.unembed(self.ln_final(residual))


def train_names_model(train_set) -> nn.Module:
    set_seed(42)
    model, steps = NameTransformer(), 200
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for ids, targets in train_set.batches(64, steps):
        logits = model(ids)
        loss = F.cross_entropy(logits.reshape(-1, 27), targets.reshape(-1), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return model

# %% right: whole notebook in CS231n's style
## FeedForward
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        hidden_dim = 4 * d_model
        self.up = nn.Linear(d_model, hidden_dim)
        self.down = nn.Linear(hidden_dim, d_model)

    def forward(self, x):
        h = self.up(x)
        # tanh approximation of GELU
        a = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        out = self.down(a)
        return out

## count_parameters
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    V, M, D, L = vocab_size, max_length, d_model, n_blocks
    counts = {}
    counts["embeddings"] = V * D + M * D
    counts["attention"] = 4 * L * (D * D + D)
    counts["feed-forward"] = L * ((D * 4 * D + 4 * D) + (4 * D * D + D))
    counts["norms"] = L * 2 * (D + D) + (D + D)
    counts["output"] = D * V + V
    return counts

## causal_self_attention
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

## attention_backward
def attention_backward(dy, q, k, v, P):
    T, D = q.shape
    cache = (q, k, v, P)
    # y = P v
    q, k, v, P = cache
    dP = dy.mm(v.t())
    dv = P.t().mm(dy)
    # P = softmax(S)
    dS = P * dP
    dS = dS - P * dS.sum(dim=1, keepdim=True)
    # S = q k^T / sqrt(D)
    dS = dS / math.sqrt(D)
    dq = dS.mm(k)
    dk = dS.t().mm(q)
    return dq, dk, dv

## Block
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

## TransformerModel
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self._max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        blocks = []
        for _ in range(n_blocks):
            blocks.append(
                nn.TransformerEncoderLayer(
                    d_model, n_heads, dim_feedforward=4 * d_model, dropout=0,
                    activation=F.gelu, norm_first=True, batch_first=True,
                )
            )
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self._max_length:
            raise ValueError(
                "sequence of %d tokens, model has %d positions" % (T, self._max_length)
            )
        positions = torch.arange(T).unsqueeze(0).expand(N, T)
        out = self.embedding(ids) + self.positions(positions)
        mask = torch.zeros(T, T).masked_fill(torch.tril(torch.ones(T, T)) == 0, float("-inf"))
        for block in self.blocks:
            out = block(out, mask)
        out = self.norm(out)
        return self.output(out)

## AttentionLayer
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

## causal_weights
def causal_weights(scores):
    T = scores.shape[-1]
    mask = torch.tril(torch.ones(T, T)) == 0
    scores = scores.masked_fill(mask, -1e9)
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    exps = torch.exp(shifted)
    return exps / exps.sum(dim=-1, keepdim=True)

## effective_tokens
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

## train_names_model
def train_names_model(train_set):
    set_seed(231)
    wordvec_dim, num_heads, num_layers = 32, 4, 2

    class NameModel(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(27, wordvec_dim)
            self.positional = nn.Embedding(TOKENS, wordvec_dim)
            self.layers = nn.ModuleList()
            for _ in range(num_layers):
                self.layers.append(
                    nn.TransformerEncoderLayer(
                        wordvec_dim, num_heads, 128, dropout=0.0, batch_first=True,
                        norm_first=True,
                    )
                )
            self.norm = nn.LayerNorm(wordvec_dim)
            self.output = nn.Linear(wordvec_dim, 27)

        def forward(self, captions):
            N, T = captions.shape
            out = self.embedding(captions) + self.positional(torch.arange(T))
            mask = torch.tril(torch.ones(T, T)) == 0
            for layer in self.layers:
                out = layer(out, src_mask=mask)
            return self.output(self.norm(out))

    model = NameModel()
    learning_rate, num_iterations = 8e-3, 250
    optim = torch.optim.Adam(model.parameters(), learning_rate)
    loss_history = []
    for it, (captions_in, captions_out) in enumerate(train_set.batches(50, num_iterations)):
        for group in optim.param_groups:
            group["lr"] = learning_rate * (1 - it / num_iterations)
        scores = model(captions_in)
        mask = captions_out != -1
        loss = F.cross_entropy(scores[mask], captions_out[mask])
        loss_history.append(loss.item())
        optim.zero_grad()
        loss.backward()
        optim.step()
    return model

# %% right: whole notebook in makemore's style
## FeedForward
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        hpreact = self.up(x)
        h = 0.5 * hpreact * (1.0 + torch.erf(hpreact / 2**0.5))
        return self.down(h)

## count_parameters
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    C = d_model
    return dict([
        ("embeddings", vocab_size * C + max_length * C),
        ("attention", n_blocks * (3 * C * C + 3 * C + C * C + C)),
        ("feed-forward", n_blocks * (C * 4 * C + 4 * C + 4 * C * C + C)),
        ("norms", n_blocks * 4 * C + 2 * C),
        ("output", C * vocab_size + vocab_size),
    ])

## causal_self_attention
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

## attention_backward
def attention_backward(dy, q, k, v, P):
    dP = dy @ v.T
    dv = P.T @ dy
    dS = P * dP - P * (P * dP).sum(1, keepdim=True)
    dS *= q.shape[1]**-0.5
    dq, dk = dS @ k, dS.T @ q
    return dq, dk, dv

## Block
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

## TransformerModel
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        block_size, n_embd, n_head, n_layer = max_length, d_model, n_heads, n_blocks
        self.block_size = block_size
        self.embedding = nn.Embedding(vocab_size, n_embd)
        self.positions = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(n_embd, n_head, 4 * n_embd, 0.0, 'gelu', batch_first=True, norm_first=True) for _ in range(n_layer)])
        self.norm = nn.LayerNorm(n_embd)
        self.output = nn.Linear(n_embd, vocab_size)

    def forward(self, idx):
        b, t = idx.size()
        if t > self.block_size:
            raise ValueError(f"Cannot forward sequence of length {t}, block size is only {self.block_size}")
        pos = torch.arange(0, t, dtype=torch.long).unsqueeze(0) # shape (1, t)
        x = self.embedding(idx) + self.positions(pos)
        mask = torch.triu(torch.full((t, t), float('-inf')), diagonal=1)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

## AttentionLayer
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

## causal_weights
def causal_weights(scores):
    T = scores.size(-1)
    tril = torch.tril(torch.ones(T, T))
    return F.softmax(scores.masked_fill(tril == 0, float('-inf')), dim=-1)

## effective_tokens
def effective_tokens(scores):
    counts = (scores - scores.max(-1, keepdim=True).values).exp()
    probs = counts / counts.sum(-1, keepdim=True)
    return (-(probs * probs.clamp(min=1e-30).log()).sum(-1)).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

## train_names_model
class GPT(nn.Module):
    def __init__(self, n_embd=32, n_head=4, n_layer=2):
        super().__init__()
        self.wte = nn.Embedding(27, n_embd)
        self.wpe = nn.Embedding(TOKENS, n_embd)
        self.h = nn.ModuleList([nn.TransformerEncoderLayer(n_embd, n_head, 4 * n_embd, 0.0, 'gelu', batch_first=True, norm_first=True) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, 27)

    def forward(self, idx):
        t = idx.size(1)
        x = self.wte(idx) + self.wpe(torch.arange(t))
        mask = torch.triu(torch.ones(t, t), diagonal=1).bool()
        for block in self.h:
            x = block(x, src_mask=mask)
        return self.lm_head(self.ln_f(x))


def train_names_model(train_set):
    torch.manual_seed(1337)
    model = GPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.99))
    lossi = []
    for i, (Xb, Yb) in enumerate(train_set.batches(64, 200)):
        logits = model(Xb)
        loss = F.cross_entropy(logits.view(-1, 27), Yb.view(-1), ignore_index=-1)
        model.zero_grad(set_to_none=True)
        loss.backward()
        for g in optimizer.param_groups:
            g['lr'] = 1e-2 if i < 100 else 1e-2 * (200 - i) / 100
        optimizer.step()
        lossi.append(loss.item())
    return model

# %% right: whole notebook like torch's own source
## FeedForward
class FeedForward(nn.Module):
    r"""Applies :math:`GELU(x W_{up} + b_{up}) W_{down} + b_{down}` to every token.

    Args:
        d_model: size of each input sample
    """

    __constants__ = ["d_model", "dim_feedforward"]

    def __init__(self, d_model: int, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.d_model = d_model
        self.dim_feedforward = 4 * d_model
        self.up = nn.Linear(d_model, self.dim_feedforward, **factory_kwargs)
        self.down = nn.Linear(self.dim_feedforward, d_model, **factory_kwargs)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.up.weight)
        nn.init.xavier_uniform_(self.down.weight)
        nn.init.zeros_(self.up.bias)
        nn.init.zeros_(self.down.bias)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        hidden = F.gelu(F.linear(input, self.up.weight, self.up.bias))
        return F.linear(hidden, self.down.weight, self.down.bias)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}"

## count_parameters
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    def numel(*modules):
        return sum(p.numel() for module in modules for p in module.parameters())

    layer = nn.TransformerEncoderLayer(d_model, 1, 4 * d_model)
    norm = nn.LayerNorm(d_model)
    return {
        "embeddings": numel(
            nn.Embedding(vocab_size, d_model), nn.Embedding(max_length, d_model)
        ),
        "attention": n_blocks * numel(layer.self_attn),
        "feed-forward": n_blocks * numel(layer.linear1, layer.linear2),
        "norms": n_blocks * numel(layer.norm1, layer.norm2) + numel(norm),
        "output": numel(nn.Linear(d_model, vocab_size)),
    }

## causal_self_attention
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

## attention_backward
def attention_backward(dy, q, k, v, P):
    scale = 1.0 / math.sqrt(q.size(-1))
    grad_value = torch.mm(P.t(), dy)
    grad_attn = torch.mm(dy, v.t())
    grad_scores = torch.addcmul(P * grad_attn, P, (P * grad_attn).sum(-1, True), value=-1)
    grad_query = torch.mm(grad_scores, k).mul_(scale)
    grad_key = torch.mm(grad_scores.t(), q).mul_(scale)
    return grad_query, grad_key, grad_value

## Block
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

## TransformerModel
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks) -> None:
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, dim_feedforward=4 * d_model, dropout=0.0,
                activation=F.gelu, layer_norm_eps=1e-5, batch_first=True, norm_first=True,
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)
        mask = torch.full((max_length, max_length), float("-inf")).triu_(1)
        self.register_buffer("mask", mask, persistent=False)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for p in self.blocks.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        seq_len = input.size(1)
        if seq_len > self.max_length:
            raise ValueError(
                f"expected at most {self.max_length} tokens, got {seq_len}"
            )
        src = self.embedding(input) + self.positions.weight[:seq_len]
        for mod in self.blocks:
            src = mod(src, src_mask=self.mask[:seq_len, :seq_len], is_causal=True)
        return self.output(self.norm(src))

## AttentionLayer
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

## causal_weights
def causal_weights(scores: torch.Tensor) -> torch.Tensor:
    size = scores.size(-1)
    temp_mask = torch.ones(size, size, dtype=torch.bool, device=scores.device).tril(diagonal=0)
    attn_bias = torch.zeros(size, size, dtype=scores.dtype, device=scores.device)
    attn_bias.masked_fill_(temp_mask.logical_not(), float("-inf"))
    return torch.softmax(scores + attn_bias, dim=-1)

## effective_tokens
def effective_tokens(scores: torch.Tensor) -> torch.Tensor:
    probs = torch.softmax(scores, dim=-1)
    return torch.special.entr(probs).sum(dim=-1).exp()


def reading():
    return {"no factor": "falls", "1/sqrt(d)": "stays", "1/d": "grows"}

## train_names_model
class _NameModel(nn.Module):
    def __init__(self, d_model: int = 32, nhead: int = 4, num_layers: int = 2) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            d_model, nhead, 4 * d_model, dropout=0.0, activation="gelu", batch_first=True,
            norm_first=True,
        )
        self.embedding = nn.Embedding(27, d_model)
        self.positions = nn.Embedding(TOKENS, d_model)
        self.encoder = nn.TransformerEncoder(
            layer, num_layers, nn.LayerNorm(d_model), enable_nested_tensor=False
        )
        self.decoder = nn.Linear(d_model, 27)
        self.register_buffer("mask", torch.ones(TOKENS, TOKENS).triu(1).bool())
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for p in self.encoder.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        n = input.size(1)
        src = self.embedding(input) + self.positions.weight[:n]
        return self.decoder(self.encoder(src, mask=self.mask[:n, :n]))


def train_names_model(train_set):
    torch.manual_seed(0)
    model = _NameModel()
    criterion = nn.CrossEntropyLoss(ignore_index=-1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, total_iters=200)
    model.train()
    for input, target in train_set.batches(64, 200):
        optimizer.zero_grad()
        loss = criterion(model(input).transpose(1, 2), target)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return model

# %% right: whole notebook by numpy first
## FeedForward
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = torch.matmul(x, self.up.weight.T) + self.up.bias
        a = z * 0.5 * (1.0 + torch.erf(z / math.sqrt(2.0)))
        return torch.matmul(a, self.down.weight.T) + self.down.bias

## count_parameters
import numpy as np


def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    tables = np.array([[vocab_size, d], [max_length, d]]).prod(axis=1)
    square, inner = d * d + d, d * 4 * d + 4 * d + 4 * d * d + d
    return {
        "embeddings": int(tables.sum()),
        "attention": n_blocks * 4 * square,
        "feed-forward": n_blocks * inner,
        "norms": n_blocks * 4 * d + 2 * d,
        "output": (d + 1) * vocab_size,
    }

## causal_self_attention
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

## attention_backward
def attention_backward(dy, q, k, v, P):
    dy, q, k, v, P = (array.detach().numpy() for array in (dy, q, k, v, P))
    dv = P.T @ dy
    dP = dy @ v.T
    dS = P * (dP - np.sum(P * dP, axis=1, keepdims=True)) / np.sqrt(q.shape[1])
    return tuple(torch.tensor(array) for array in (dS @ k, dS.T @ q, dv))

## Block
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

## TransformerModel
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.shape = vocab_size, max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        make = lambda: nn.TransformerEncoderLayer(
            d_model, n_heads, 4 * d_model, 0.0, "gelu", norm_first=True, batch_first=True
        )
        self.blocks = nn.ModuleList([make() for _ in range(n_blocks)])
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T = ids.shape[1]
        if T > self.shape[1]:
            raise ValueError("%d tokens, %d positions" % (T, self.shape[1]))
        x = self.embedding.weight[ids] + self.positions.weight[:T]
        mask = torch.from_numpy(np.triu(np.ones((T, T), dtype=bool), k=1))
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

## AttentionLayer
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

## causal_weights
def causal_weights(scores):
    T = scores.shape[-1]
    allowed = torch.from_numpy(np.tri(T, dtype=bool))
    s = torch.where(allowed, scores, torch.full_like(scores, -np.inf))
    e = torch.exp(s - torch.amax(s, dim=-1, keepdim=True))
    return e / torch.sum(e, dim=-1, keepdim=True)

## effective_tokens
def effective_tokens(scores):
    s = scores.detach().numpy()
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    logs = np.log(np.where(p > 0, p, 1))
    return torch.as_tensor(np.exp(-np.sum(p * logs, axis=-1)))


def reading():
    factors = np.array(["no factor", "1/sqrt(d)", "1/d"])
    return dict(zip(factors.tolist(), ["falls", "stays", "grows"]))

## train_names_model
def train_names_model(train_set):
    np.random.seed(0)
    torch.manual_seed(0)
    D, H, steps = 32, 4, 200

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.E = nn.Parameter(torch.from_numpy(np.random.randn(27, D).astype(np.float32)))
            self.P = nn.Parameter(torch.from_numpy(np.random.randn(TOKENS, D).astype(np.float32)))
            self.blocks = nn.ModuleList([
                nn.TransformerEncoderLayer(
                    D, H, 4 * D, 0.0, "gelu", norm_first=True, batch_first=True
                )
                for _ in range(2)
            ])
            self.norm = nn.LayerNorm(D)
            self.out = nn.Linear(D, 27)

        def forward(self, ids):
            T = ids.shape[1]
            x = self.E[ids] + self.P[:T]
            mask = torch.from_numpy(np.triu(np.ones((T, T), dtype=bool), k=1))
            for block in self.blocks:
                x = block(x, src_mask=mask)
            return self.out(self.norm(x))

    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    rates = np.linspace(0.01, 0.0001, steps)
    for rate, (ids, targets) in zip(rates, train_set.batches(64, steps)):
        optimizer.param_groups[0]["lr"] = rate
        kept = np.nonzero(targets.numpy().ravel() >= 0)[0]
        logits = net(ids).reshape(-1, 27)[kept]
        loss = F.cross_entropy(logits, targets.reshape(-1)[kept])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net

# %% right: whole notebook with a beginner's loops
## FeedForward
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        answers = []
        for token in flat:
            inner = self.up(token)
            inner = F.gelu(inner)
            answers.append(self.down(inner))
        return torch.stack(answers).reshape(x.shape)

## count_parameters
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    result = {"embeddings": 0, "attention": 0, "feed-forward": 0, "norms": 0, "output": 0}
    for i in range(vocab_size):
        result["embeddings"] += d_model
    for i in range(max_length):
        result["embeddings"] += d_model
    for block in range(n_blocks):
        for matrix in ["q", "k", "v", "out"]:
            result["attention"] += d_model * d_model + d_model
        result["feed-forward"] += d_model * 4 * d_model + 4 * d_model
        result["feed-forward"] += 4 * d_model * d_model + d_model
        result["norms"] += 2 * d_model
        result["norms"] += 2 * d_model
    result["norms"] += 2 * d_model
    result["output"] = d_model * vocab_size + vocab_size
    return result

## causal_self_attention
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

## attention_backward
def attention_backward(dy, q, k, v, P):
    T, D = q.shape
    dq = torch.zeros(T, D)
    dk = torch.zeros(T, D)
    dv = torch.zeros(T, D)
    for i in range(T):
        dp = []
        for j in range(T):
            dv[j] += P[i, j] * dy[i]
            dp.append((dy[i] * v[j]).sum())
        mean = 0
        for j in range(T):
            mean += P[i, j] * dp[j]
        for j in range(T):
            ds = P[i, j] * (dp[j] - mean) / D**0.5
            dq[i] += ds * k[j]
            dk[j] += ds * q[i]
    return dq, dk, dv

## Block
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

## TransformerModel
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList()
        for i in range(n_blocks):
            block = nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True,
            )
            self.blocks.append(block)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N = ids.shape[0]
        T = ids.shape[1]
        if T > self.max_length:
            raise ValueError(f"too long: {T} tokens but only {self.max_length} positions")
        mask = torch.zeros(T, T)
        for i in range(T):
            for j in range(T):
                if j > i:
                    mask[i, j] = float("-inf")
        answers = []
        for n in range(N):
            rows = []
            for t in range(T):
                rows.append(self.embedding(ids[n, t]) + self.positions(torch.tensor(t)))
            x = torch.stack(rows).unsqueeze(0)
            for block in self.blocks:
                x = block(x, src_mask=mask)
            answers.append(self.output(self.norm(x))[0])
        return torch.stack(answers)

## AttentionLayer
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

## causal_weights
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

## effective_tokens
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

## train_names_model
class MyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(27, 32)
        self.places = nn.Embedding(12, 32)
        self.block1 = nn.TransformerEncoderLayer(
            32, 4, 128, dropout=0.0, batch_first=True, norm_first=True
        )
        self.block2 = nn.TransformerEncoderLayer(
            32, 4, 128, dropout=0.0, batch_first=True, norm_first=True
        )
        self.norm = nn.LayerNorm(32)
        self.last = nn.Linear(32, 27)

    def forward(self, ids):
        mask = torch.zeros(12, 12)
        for i in range(12):
            for j in range(i + 1, 12):
                mask[i, j] = float("-inf")
        x = self.letters(ids) + self.places(torch.arange(12))
        x = self.block1(x, src_mask=mask)
        x = self.block2(x, src_mask=mask)
        return self.last(self.norm(x))


def train_names_model(train_set):
    set_seed(1)
    model = MyModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    step = 0
    for ids, targets in train_set.batches(64, 200):
        logits = model(ids)
        loss = 0.0
        for t in range(12):
            kept = targets[:, t] != -1
            if kept.any():
                loss = loss + F.cross_entropy(
                    logits[kept, t], targets[kept, t], reduction="sum"
                )
        loss = loss / (targets != -1).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.param_groups[0]["lr"] = 0.01 * (1 - step / 200)
        optimizer.step()
        step += 1
    return model
