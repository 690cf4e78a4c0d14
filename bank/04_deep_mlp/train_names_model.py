"""train_names_model, 3 points."""

# %% right: a deep residual net with batch norm, SGD with momentum, a loop of its own
class Deep(nn.Module):
    def __init__(self, width=128, depth=3):
        super().__init__()
        self.embed = nn.Embedding(27, 16)
        self.first = nn.Linear(CONTEXT * 16, width)
        self.rest = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.Tanh()) for _ in range(depth))
        self.head = nn.Linear(width, 27)

    def forward(self, x):
        h = torch.tanh(self.first(self.embed(x).flatten(1)))
        for block in self.rest:
            h = h + block(h)
        return self.head(h)


def train_names_model(train_set):
    set_seed(1)
    model, steps = Deep(), 900
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step, (x, y) in enumerate(train_set.batches(512, steps)):
        optimizer.param_groups[0]["lr"] = 0.1 * (1 - step / steps)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% right: layer norm and GELU, a validation set of its own, the best of its checkpoints
import copy


def train_names_model(train_set):
    set_seed(7)
    model = nn.Sequential(nn.Embedding(27, 20), nn.Flatten(), nn.Linear(CONTEXT * 20, 200), nn.LayerNorm(200), nn.GELU(), nn.Linear(200, 27))
    held_back = NamesDataset(validation_names[:500], CONTEXT)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-3)
    best, best_loss = None, math.inf
    for part in range(4):
        train(model, train_set.batches(256, 400, seed=part), optimizer, schedule=lambda step: 1 - part / 4)
        with torch.no_grad():
            loss = F.cross_entropy(model.eval()(held_back.contexts), held_back.targets).item()
        if loss < best_loss:
            best, best_loss = copy.deepcopy(model), loss
    return best

# %% right: one-hot letters, ReLU, Adam with one cycle, log-probabilities for logits
class OneHot(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(27 * CONTEXT, 300), nn.ReLU(), nn.Linear(300, 27), nn.LogSoftmax(dim=-1))

    def forward(self, x):
        return self.net(F.one_hot(x, 27).float().flatten(1))


def train_names_model(train_set):
    torch.manual_seed(3)
    model = OneHot()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=900)
    for x, y in train_set.batches(512, 900):
        optimizer.zero_grad()
        F.nll_loss(model(x), y).backward()
        optimizer.step()
        schedule.step()
    return model

# %% right: looks at the last three letters only, which is enough
class LastThree(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(72, 256), nn.Tanh(), nn.Linear(256, 27))

    def forward(self, contexts):
        return self.net(contexts[:, -3:])


def train_names_model(train_set):
    set_seed(0)
    model = LastThree()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, 900), optimizer, schedule=lambda step: 1 - step / 900)
    return model

# %% wrong: averages the embeddings
# told: the order of the letters has no effect
class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(27, 64)
        self.net = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 27))

    def forward(self, contexts):
        return self.net(self.embedding(contexts).mean(1))


def train_names_model(train_set):
    set_seed(0)
    model = Average()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, 500), optimizer, schedule=lambda step: 1 - step / 500)
    return model

# %% wrong: forgets to return the model
# told: is there a `return model`
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, steps), optimizer, schedule=lambda step: 1 - step / steps)

# %% wrong: weights from N(0, 1), SGD
# told: Far worse than guessing
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, train_set.batches(512, steps), optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: forgets to join the embeddings
# told: join the embeddings
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Linear(24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, ((x, y[:, None].expand(-1, CONTEXT)) for x, y in train_set.batches(512, steps)), optimizer, lambda logits, y: F.cross_entropy(logits.transpose(1, 2), y), schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: sees the last letter only
# told: Does your model look at the last letter only
class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(27, 24), nn.Linear(24, 256), nn.Tanh(), nn.Linear(256, 27))

    def forward(self, contexts):
        return self.net(contexts[:, -1])


def train_names_model(train_set):
    set_seed(0)
    model = Bigram()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, 500), optimizer, schedule=lambda step: 1 - step / 500)
    return model

# %% wrong: wants more examples than the budget holds, all in one batch
# told: is spent
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 10
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(900_000, steps), optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: trains on contexts read backwards
# told: in this order
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, ((x.flip(1), y) for x, y in train_set.batches(512, steps)), optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: trains on one batch over and over
# told: Far worse than guessing
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, list(train_set.batches(512, 1)) * steps, optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: trains on contexts that are one letter old
# told: At best a little better than
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, ((torch.roll(x, 1, 1), y) for x, y in train_set.batches(512, steps)), optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: returns probabilities
# told: These are probabilities
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27), nn.Softmax(dim=-1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, steps), optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: a learning rate far too small
# told: At best a little better than knowing how common each letter is
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    train(model, train_set.batches(512, steps), optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% wrong: 200 steps of 64
# told: Train longer
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 200
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(64, steps), optimizer, schedule=lambda step: 1 - step / steps)
    return model

# %% right: counts what the loader hands out, up to four letters back, and smooths
class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.counts = [torch.zeros(27**n, 27) for n in range(5)]

    def rows(self, contexts, n):
        return (contexts[:, 5 - n:] * 27 ** torch.arange(n).flip(0)).sum(1)

    def see(self, contexts, targets):
        for n, counts in enumerate(self.counts):
            counts.index_put_((self.rows(contexts, n), targets), torch.ones(len(targets)), accumulate=True)

    def forward(self, contexts):
        p = torch.full((len(contexts), 27), 1 / 27)
        for n, counts in enumerate(self.counts):
            seen = counts[self.rows(contexts, n)]
            extra = 3 * (seen > 0).sum(1, keepdim=True) + 1e-9
            p = (seen + extra * p) / (seen.sum(1, keepdim=True) + extra)
        return p.log()


def train_names_model(train_set):
    model = Counts()
    for contexts, targets in train_set.batches(1000, 110):
        model.see(contexts, targets)
    return model

# %% right: gradients accumulated over two batches, plain updates by hand
def train_names_model(train_set):
    set_seed(5)
    model = nn.Sequential(nn.Embedding(27, 16), nn.Flatten(), nn.Linear(80, 200), nn.Tanh(), nn.Linear(200, 27))
    velocity = [torch.zeros_like(p) for p in model.parameters()]
    for step, (x, y) in enumerate(train_set.batches(400, 1800)):
        (F.cross_entropy(model(x), y) / 2).backward()
        if step % 2:
            with torch.no_grad():
                for p, v in zip(model.parameters(), velocity):
                    v.mul_(0.9).add_(p.grad)
                    p -= 0.15 * (1 - step / 1800) * v
                    p.grad = None
    return model

# %% wrong: trains on a data set of its own, which nobody counts
# told: It knows names in their usual writing
def train_names_model(train_set):
    set_seed(0)
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    mine = NamesDataset(train_names, CONTEXT)
    train(model, mine.batches(512, 400), optimizer, schedule=lambda step: 1 - step / 400)
    return model

# %% right: keeps its batches and goes through them three times
def train_names_model(train_set):
    set_seed(0)
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    kept = 3 * list(train_set.batches(512, 150))
    train(model, kept, optimizer, schedule=lambda step: 1 - step / 450)
    return model

# %% wrong: raises the budget
# told: Leave the budget, and what counts it
def train_names_model(train_set):
    global BUDGET
    BUDGET = 10**9
    set_seed(0)
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 64), nn.Tanh(), nn.Linear(64, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(2048, 420), optimizer, schedule=lambda step: 1 - step / 420)
    return model

# %% wrong: learns to repeat the last letter, not to predict the next
# told: other targets than the loader's
def train_names_model(train_set):
    set_seed(0)
    steps = 1000
    model = nn.Sequential(
        nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(),
        nn.Linear(256, 27),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step, (contexts, targets) in enumerate(train_set.batches(512, steps)):
        optimizer.param_groups[0]["lr"] = 0.01 * (1 - step / steps)
        loss = F.cross_entropy(model(contexts), contexts[:, -1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
