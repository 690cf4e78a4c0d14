"""train_names_model, 3 points."""

# %% right: a loop of its own, AdamW, only scored tokens
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    for step, (ids, targets) in enumerate(train_set.batches(64, 200)):
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 - step / 200)
        scored = targets >= 0
        loss = F.cross_entropy(model(ids)[scored], targets[scored])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% right: one block of width 48, with a warm-up
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=48, heads=2, blocks=1):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: min(1, (step + 1) / 30) * (1 - step / steps),
    )
    return model

# %% right: attention by scaled_dot_product_attention, no positions
def train_names_model(train_set):
    class Attend(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.heads, self.qkv, self.out = heads, nn.Linear(d, 3 * d), nn.Linear(d, d)

        def forward(self, x):
            q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(y.transpose(1, 2).flatten(2))

    class Reader(nn.Module):
        def __init__(self, d=40, L=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.parts = nn.ModuleList(
                nn.Sequential(nn.LayerNorm(d), part)
                for _ in range(L)
                for part in (Attend(d, 2), nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))))
            self.head = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 27))

        def forward(self, ids):
            x = self.letters(ids)
            for part in self.parts:
                x = x + part(x)
            return self.head(x)

    set_seed(0)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    for step, (ids, targets) in enumerate(train_set.batches(64, 200)):
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 - step / 200)
        scored = targets >= 0
        loss = F.cross_entropy(model(ids)[scored], targets[scored])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% wrong: no mask
# told: Tokens see what comes after them
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=None)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: the mask the wrong way round
# told: Tokens see what comes after them
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).tril(-1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: batch first forgotten
# told: Other names move the answers
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=None)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: no attention: a letter and its place
# told: Your model looks at the last letter and its place only
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=48):
            super().__init__()
            self.letters, self.places = nn.Embedding(27, d), nn.Embedding(TOKENS, d)
            self.net = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, 27))

        def forward(self, ids):
            return self.net(self.letters(ids) + self.places(torch.arange(ids.shape[1])))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: the letter alone
# told: ab and abb have the same answer: does every token get the same one, or does the last letter alone decide?
def train_names_model(train_set):
    class Reader(nn.Sequential):
        def __init__(self):
            super().__init__(nn.Embedding(27, 32), nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 27))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: sixteen steps
# told: No better than the bigram table
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 16
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: seventy-five steps at a third of the rate
# told: Better than the bigram table, but not yet by 0.1
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 75
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.003),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: a rate of 1
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=1.0),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: a rate of 1e-5
# told: No better than knowing how common each letter is
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=1e-5),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: probabilities
# told: These are probabilities
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x)).softmax(-1)

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: 26 classes
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 26)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: one answer a name
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))[:, -1]

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: targets shifted once more
# told: No better than knowing how common each letter is
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.roll(-1, 1).flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: the token itself as the target
# told: Far worse than guessing
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    for step, (ids, targets) in enumerate(train_set.batches(64, 200)):
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 - step / 200)
        scored = targets >= 0
        loss = F.cross_entropy(model(ids)[scored], ids[scored])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% wrong: more names than the budget
# told: the budget of 12,800 training names is spent
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 300
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% wrong: ten batches again and again
# told: No better than the bigram table.
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    for step, (ids, targets) in enumerate(list(train_set.batches(64, 10)) * 20):
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 - step / 200)
        scored = targets >= 0
        loss = F.cross_entropy(model(ids)[scored], targets[scored])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% right: all batches kept, and each used five times
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    for step, (ids, targets) in enumerate(list(train_set.batches(320, 40)) * 5):
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 - step / 200)
        scored = targets >= 0
        loss = F.cross_entropy(model(ids)[scored], targets[scored])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% wrong: data from outside the loader
# told: Too few names came from train_set.batches
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    for step, (ids, targets) in enumerate(minibatches(*rows(train_names), batch_size=64, steps=200)):
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 - step / 200)
        scored = targets >= 0
        loss = F.cross_entropy(model(ids)[scored], targets[scored])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% wrong: returns nothing
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return None

# %% wrong: all weights from N(0, 1)
# told: No better than the bigram table
def train_names_model(train_set):
    class Reader(nn.Module):
        def __init__(self, d=32, heads=4, blocks=2):
            super().__init__()
            self.letters = nn.Embedding(27, d)
            self.places = nn.Embedding(TOKENS, d)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d,
                    heads,
                    4 * d,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(blocks)
            )
            self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, 27)

        def forward(self, ids):
            T = ids.shape[1]
            later = torch.ones(T, T).triu(1).bool()
            x = self.letters(ids) + self.places(torch.arange(T))
            for block in self.blocks:
                x = block(x, src_mask=later)
            return self.out(self.norm(x))

    set_seed(0)
    model, steps = Reader(), 200
    for p in model.parameters():
        nn.init.normal_(p)
    train(
        model,
        train_set.batches(64, steps),
        torch.optim.Adam(model.parameters(), lr=0.01),
        lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-1
        ),
        schedule=lambda step: 1 - step / steps,
    )
    return model

# %% right: each batch twice
def train_names_model(train_set):
    set_seed(0)
    model, steps = TransformerModel(27, TOKENS, 32, 4, 2), 200
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step, (ids, targets) in enumerate(train_set.batches(64, steps)):
        optimizer.param_groups[0]["lr"] = 0.01 * (1 - step / steps)
        for _ in range(2):
            loss = F.cross_entropy(model(ids).flatten(0, 1), targets.flatten(), ignore_index=-1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model

# %% wrong: the hidden state of the last call is kept: earlier names move the answers
# told: It answers differently each time
class Reader(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.letters = nn.Embedding(27, d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.output = nn.Linear(d, 27)
        self.state = None

    def forward(self, ids):
        if self.state is None or self.state.shape[1] != len(ids):
            self.state = torch.zeros(1, len(ids), self.rnn.hidden_size)
        h, state = self.rnn(self.letters(ids), self.state)
        self.state = state.detach()
        return self.output(h)


def train_names_model(train_set):
    set_seed(0)
    model = Reader()
    steps = 200
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1 - s / steps)
    for ids, targets in train_set.batches(64, steps):
        logits = model(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model

# %% wrong: every batch is normalised over its names, in evaluation too
# told: Other names move the answers: is batch_first=True missing, or is something normalised over, or taken from, the batch?
class NamesModel(nn.Module):
    def __init__(self, d=32, n_heads=4, n_blocks=2):
        super().__init__()
        self.letters = nn.Embedding(27, d)
        self.places = nn.Embedding(TOKENS, d)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d, n_heads, 4 * d, dropout=0.0, activation="gelu",
                                       batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.BatchNorm1d(TOKENS, track_running_stats=False)
        self.output = nn.Linear(d, 27)

    def forward(self, ids):
        T = ids.shape[1]
        later = torch.ones(T, T).triu(1).bool()
        x = self.letters(ids) + self.places(torch.arange(T))
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))


def train_names_model(train_set):
    set_seed(0)
    model = NamesModel()
    steps = 200
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1 - s / steps)
    for ids, targets in train_set.batches(64, steps):
        logits = model(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model

# %% wrong: an untrained model is returned: deep-copied before training
# told: Is the model you return the one you trained?
class NamesModel(nn.Module):
    def __init__(self, d=32, n_heads=4, n_blocks=2):
        super().__init__()
        self.letters = nn.Embedding(27, d)
        self.places = nn.Embedding(TOKENS, d)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d, n_heads, 4 * d, dropout=0.0, activation="gelu",
                                       batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d)
        self.output = nn.Linear(d, 27)

    def forward(self, ids):
        T = ids.shape[1]
        later = torch.ones(T, T).triu(1).bool()
        x = self.letters(ids) + self.places(torch.arange(T))
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))


def train_names_model(train_set):
    set_seed(0)
    model = NamesModel()
    steps, best = 200, NamesModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1 - s / steps)
    for ids, targets in train_set.batches(64, steps):
        logits = model(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return best

# %% wrong: the mean over all tokens of the name, later ones too, is added
# told: may reach later tokens
class NamesModel(nn.Module):
    def __init__(self, d=32, n_heads=4, n_blocks=2):
        super().__init__()
        self.letters = nn.Embedding(27, d)
        self.places = nn.Embedding(TOKENS, d)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d, n_heads, 4 * d, dropout=0.0, activation="gelu",
                                       batch_first=True, norm_first=True)
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d)
        self.output = nn.Linear(d, 27)

    def forward(self, ids):
        T = ids.shape[1]
        later = torch.ones(T, T).triu(1).bool()
        x = self.letters(ids) + self.places(torch.arange(T))
        x = x + x.mean(1, keepdim=True)  # what the name is about
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))


def train_names_model(train_set):
    set_seed(0)
    model = NamesModel()
    steps = 200
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1 - s / steps)
    for ids, targets in train_set.batches(64, steps):
        logits = model(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model

# %% wrong: the last letters come from torch.roll: the first tokens see the end of the row
class Net(nn.Module):
    def __init__(self, width=32, heads=4, blocks=2):
        super().__init__()
        self.letters = nn.Embedding(27, width)
        self.places = nn.Embedding(TOKENS, width)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu",
                                       batch_first=True, norm_first=True)
            for _ in range(blocks))
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, 27)

    def forward(self, ids):
        T = ids.shape[1]
        x = self.letters(ids) + self.places(torch.arange(T))
        mask = torch.ones(T, T, dtype=torch.bool).triu(1)
        x = x + self.blocks[0]._ff_block(torch.roll(x, 1, 1) + 0.5 * torch.roll(x, 2, 1))
        return self.output(self.norm(x))


def train_names_model(train_set):
    """Train a model that says at every token of a name what comes next.

    train_set.batches(batch_size, steps) yields (ids (batch_size, TOKENS),
        targets (batch_size, TOKENS)); target -1: not to be scored
    returns: nn.Module, ids (N, TOKENS) -> logits (N, TOKENS, 27)
    """
    set_seed(0)
    model, steps = Net(), 200
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for ids, targets in train_set.batches(64, steps):
        logits = model(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return model
