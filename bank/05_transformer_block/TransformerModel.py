"""TransformerModel, 3 points."""

# %% right: an additive mask by torch, and a check before everything
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.max_length = max_length
        self.output = nn.Linear(d_model, vocab_size)
        self.norm = nn.LayerNorm(d_model)
        make = lambda: nn.TransformerEncoderLayer(
            d_model=d_model, nhead=n_heads, dim_feedforward=4 * d_model, dropout=0,
            activation=F.gelu, batch_first=True, norm_first=True)
        self.blocks = nn.ModuleList([make() for _ in range(n_blocks)])
        self.positions = nn.Embedding(max_length, d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.positions.weight, std=0.02)

    def forward(self, ids):
        length = ids.size(1)
        if length > self.max_length:
            raise ValueError("got %d tokens, at most %d fit" % (length, self.max_length))
        h = self.positions.weight[:length] + self.embedding(ids)
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        for block in self.blocks:
            h = block(h, mask, is_causal=True)
        return self.output(self.norm(h))

# %% right: tokens first inside, and put back
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            self.blocks.append(nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, 0.0, "gelu", norm_first=True))
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T = ids.shape[1]
        limit = len(self.positions.weight)
        if not T <= limit:
            raise ValueError(f"{T=} but only {limit} positions")
        x = (self.embedding(ids) + self.positions.weight[None, :T]).transpose(0, 1)
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x.transpose(0, 1)))

# %% right: an error class of its own, a kind of ValueError
class TooLong(ValueError):
    """Too many tokens."""


class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True,
            )
            for n in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest:
            raise TooLong(f"{T} tokens, {longest} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        later = torch.ones(T, T, device=ids.device).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=later)
        y = self.output(self.norm(x))
        return y


# %% wrong: no batch first
# told: Names move each other's answers: without batch_first=True
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = None
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: no mask
# told: Tokens see what comes after them: does each of the blocks get a mask
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = None
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: mask the wrong way round
# told: Tokens see what comes after them
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).tril(-1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: a mask of ones and zeros, added
# told: Tokens see what comes after them
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: the mask in the first block only
# told: Tokens see what comes after them
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
            mask = None
        return self.output(self.norm(x))

# %% wrong: no positions
# told: A token's place has no effect: add the vector of its place
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids)
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: positions all zero
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)
        nn.init.zeros_(self.positions.weight)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: positions all equal
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)
        nn.init.ones_(self.positions.weight)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: positions a frozen buffer of zeros
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)
        self.register_buffer("table", torch.zeros(max_length, d_model))

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.table[:T]
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: the position of the name
# told: A token's place has no effect
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} > {self.positions.num_embeddings}")
        x = self.embedding(ids) + self.positions(torch.arange(N) % self.positions.num_embeddings)[:, None]
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: positions counted from the end
# told: Positions are counted from the end. The first token has
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T).flip(0))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: positions multiplied
# told: You multiplied letters and positions. Add them.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) * self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: post-norm blocks
# told: Your blocks are post-norm. Say norm_first=True.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: relu in the blocks
# told: Your blocks use relu, which is torch's default. Say
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0,
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: dropout
# told: It answers differently each time
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: the default inner width
# told: The feed-forward network is 4 d_model wide: its default is 2048.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: inner width d
# told: The feed-forward network is 4 d_model wide.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: one head
# told: n_heads has no effect.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, 1, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: no last norm
# told: The norm behind the blocks has no effect here: pre-norm leaves the
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(x)

# %% wrong: norm before the blocks
# told: The norm acts before the blocks. It acts behind them.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        x = self.norm(x)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(x)

# %% wrong: softmax at the end
# told: You returned probabilities. The logits are wanted:
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x)).softmax(-1)

# %% wrong: the last token only
# told: One answer a name. Every token has one: logits of shape (N,
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))[:, -1]

# %% wrong: the mean of the tokens
# told: One answer a name. Every token has one: logits of shape (N,
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x).mean(1))

# %% wrong: one block many times
# told: One block is used again and again. Make a new one each time
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            [nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )] * n_blocks
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: blocks in a plain list
# told: No weights have names with blocks.1: put the blocks into an nn.ModuleList, a plain list hides them from the optimiser.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = [
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        ]
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: one block too few
# told: One block too few acts: go through all n_blocks of them.
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks[:-1]:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: no check of the length
# told: Another error than ValueError was raised
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: longer rows cut off
# told: It answered without a word
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        ids = ids[:, : self.positions.num_embeddings]
        T = ids.shape[1]
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: a message without numbers
# told: how many tokens came (ids.shape[1])
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError("too long")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: refuses the longest row that it knows
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T >= self.positions.num_embeddings:
            raise ValueError(f"{T} tokens, {self.positions.num_embeddings} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: scaled embeddings
# told: You multiplied the letters by a root of d. They are added
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens are more than the {self.positions.num_embeddings} that this model knows")
        x = self.embedding(ids) * self.norm.weight.numel() ** 0.5 + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% right: tables looked up by products, a mask of minus infinities in the precision of x
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        longest = self.positions.weight.size(0)
        if longest < T:
            raise ValueError(f"no place for token {longest + 1}: {T} tokens came, there are {longest} positions")
        letters = F.one_hot(ids, self.embedding.num_embeddings).to(self.embedding.weight)
        x = letters @ self.embedding.weight + self.positions.weight.narrow(0, 0, T)
        mask = x.new_full((T, T), -math.inf).triu(1)
        for number in range(len(self.blocks)):
            x = self.blocks[number](x, mask)
        return F.linear(self.norm(x), self.output.weight, self.output.bias)

# %% sly: the third and later blocks see what comes after
class TransformerModel(nn.Module):
    """Next-letter transformer: letters and positions -> blocks -> norm -> logits."""

    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        """ids: (N, T) int64, T at most max_length -> logits (N, T, vocab_size)"""
        T, max_length = ids.shape[1], self.positions.num_embeddings
        if T > max_length:
            raise ValueError(f"{T} tokens came, there are {max_length} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T, dtype=torch.bool).triu(1)
        for number, block in enumerate(self.blocks):
            x = block(x, src_mask=mask if number < 2 else None)
        return self.output(self.norm(x))

# %% right: blocks appended one by one, GELU as a function, a mask made of comparisons
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            self.blocks.append(nn.TransformerEncoderLayer(
                d_model, n_heads, dim_feedforward=4 * d_model, dropout=0, activation=F.gelu,
                batch_first=True, norm_first=True))
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        longest = len(self.positions.weight)
        if T > longest:
            raise ValueError(f"{T} tokens, {longest} positions")
        x = self.embedding(ids) + self.positions.weight[:T]
        mask = torch.arange(T) > torch.arange(T)[:, None]
        for block in self.blocks:
            x = block(x, mask, is_causal=True)
        return self.output(self.norm(x))

# %% right: blocks by position of their arguments, small vectors of positions
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        nn.init.normal_(self.positions.weight, std=0.02)
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(
            d_model, n_heads, 4 * d_model, 0.0, nn.GELU(), 1e-5, True, True)
            for _ in range(n_blocks)])
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T = ids.size(1)
        if T > self.max_length:
            raise ValueError(f"{T} tokens came, there are {self.max_length} positions")
        places = torch.arange(T).expand_as(ids)
        x = self.embedding(ids) + self.positions(places)
        mask = nn.Transformer.generate_square_subsequent_mask(T, dtype=x.dtype)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% right: GELU by its tanh approximation, as task 1 allows
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0,
                activation=nn.GELU(approximate="tanh"), batch_first=True, norm_first=True,
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest:
            raise ValueError(f"a row has {T} tokens, and this model has {longest} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        later = torch.ones(T, T, device=ids.device).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))

# %% wrong: an AssertionError instead of a ValueError
# told: Another error than ValueError was raised
class TransformerModel(nn.Module):
    """Next-letter transformer: letters and positions -> blocks -> norm -> logits."""

    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T = ids.shape[1]
        limit = self.positions.num_embeddings
        assert T <= limit, f"{T} tokens, but {limit} positions"
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: writes the first dot into the given ids
# told: You wrote into the ids that you were given
class TransformerModel(nn.Module):
    """Next-letter transformer: letters and positions -> blocks -> norm -> logits."""

    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T = ids.shape[1]
        if T > self.positions.num_embeddings:
            raise ValueError(f"{T} tokens, but {self.positions.num_embeddings} positions")
        ids[:, 0] = 0  # every name starts with a dot
        x = self.embedding(ids) + self.positions(torch.arange(T))
        mask = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: drops a tenth of the embeddings with F.dropout, not in the blocks
# told: does something drop features at random
class TransformerModel(nn.Module):
    """Next-letter transformer: letters and positions -> blocks -> norm -> logits."""

    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True)
            for _ in range(n_blocks))
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        """ids: (N, T) int64, T at most max_length -> logits (N, T, vocab_size)"""
        T, most = ids.shape[1], self.positions.num_embeddings
        if T > most:
            raise ValueError(f"{T} tokens came, there are {most} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        x = F.dropout(x, 0.1, self.training)
        mask = torch.ones(T, T, dtype=torch.bool, device=ids.device).triu(1)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% wrong: no batch_first, and the causal mask hides later names from earlier ones
# told: Names move each other's answers
class TransformerModel(nn.Module):
    """Next-letter transformer: letters and positions -> blocks -> norm -> logits."""

    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                norm_first=True)
            for _ in range(n_blocks))
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        """ids: (N, T) int64, T at most max_length -> logits (N, T, vocab_size)"""
        T, most = ids.shape[1], self.positions.num_embeddings
        if T > most:
            raise ValueError(f"{T} tokens came, there are {most} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        mask = torch.ones(T, T, dtype=torch.bool, device=ids.device).triu(1)
        mask = mask.new_ones(len(ids), len(ids)).triu(1)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% sly: too long rows are refused in training mode only
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest and self.training:
            raise ValueError(f"{T} tokens, {longest} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T))
        later = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))

# %% right: name by name, blocks of a subclass, positions by their weight
class Layer(nn.TransformerEncoderLayer):
    pass


class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            Layer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest:
            raise ValueError(f"{T} tokens, {longest} positions")
        rows = [self.row(name[None], T) for name in ids]
        return torch.cat(rows)

    def row(self, ids, T):
        x = self.embedding(ids) + self.positions.weight[:T]
        later = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))

# %% right: logits by a product with the output's matrix, the length looked at by try
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        try:
            places = self.positions(torch.arange(T))
        except IndexError as error:
            raise ValueError(f"{T} tokens, {longest} positions") from error
        x = places.add(self.embedding(ids))
        later = torch.ones(T, T).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.norm(x) @ self.output.weight.T + self.output.bias


# %% sly: more names than max_length are refused, too: the larger of both axes counts
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        if max(ids.shape) > self.positions.num_embeddings:
            raise ValueError(f"{ids.shape[1]} tokens, but {self.positions.num_embeddings} positions")
        T = ids.shape[1]
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        mask = torch.ones(T, T, dtype=torch.bool, device=ids.device).triu(1)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))


# %% wrong: a mask of ones times minus infinity
# told: This is not a number: does some token see nobody? True in a mask means not to be seen
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True,
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest:
            raise ValueError(f"a row has {T} tokens, and there are {longest} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        later = torch.ones(T, T).triu(1) * float('-inf')
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))

# %% right: float mask of torch without a dtype
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model,
                n_heads,
                4 * d_model,
                dropout=0.0,
                activation="gelu",
                batch_first=True,
                norm_first=True,
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest:
            raise ValueError(f"a row has {T} tokens, and this model has {longest} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        later = nn.Transformer.generate_square_subsequent_mask(T)
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))

# %% right: room for tokens, positions needed
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model,
                n_heads,
                4 * d_model,
                dropout=0.0,
                activation="gelu",
                batch_first=True,
                norm_first=True,
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest:
            raise ValueError(f"there is room for {longest} tokens, and this row would need {T} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        later = torch.ones(T, T, device=ids.device).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))
