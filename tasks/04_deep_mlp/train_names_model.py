"""train_names_model, 3 points: a model that beats a count table. It is trained once for all probes, in one thread."""
from functools import cache

import torch
from utils import NamesDataset, load_names, split_names

task = Task("train_names_model", seconds=60)
CONTEXT = 5
TRAINING, VALIDATION, OTHERS = split_names(load_names())


def trained(recipe, Budgeted):
    """The model, and how many examples it took. Raises what the training raises, each time."""
    if not hasattr(recipe, "trained"):
        loader, threads = Budgeted(TRAINING, CONTEXT), torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            recipe.trained = recipe(loader), loader.spent
        except Exception as error:
            recipe.trained = error, None
        finally:
            torch.set_num_threads(threads)
    model, spent = recipe.trained
    if spent is None:
        raise model
    return model, spent


@cache
def one_position_each(names, seed):
    """As the notebook has it: one example of each name, at a random position."""
    examples = NamesDataset(list(names), CONTEXT)
    luck = torch.rand(len(examples), generator=torch.Generator().manual_seed(seed))
    rows = (examples.names + luck).argsort()
    counts = torch.bincount(examples.names)
    rows = rows[counts.cumsum(0) - counts]
    return examples.contexts[rows], examples.targets[rows]


@cache
def interpolated(n):
    """The table of n-grams, (27^(n-1), 27): counts, and as if it were more of them the table of (n-1)-grams."""
    if n == 0:
        return torch.full((1, 27), 1 / 27)
    seen = NamesDataset(TRAINING, max(n - 1, 1))
    rows = seen.contexts @ 27 ** torch.arange(n - 1).flip(0) if n > 1 else 0
    counts = torch.bincount(rows * 27 + seen.targets, minlength=27**n).view(-1, 27).float()
    shorter = interpolated(n - 1).repeat(27 if n > 1 else 1, 1)
    extra = 3 * (counts > 0).sum(-1, keepdim=True) + 1e-9
    return (counts + extra * shorter) / (counts.sum(-1, keepdim=True) + extra)


def table_loss(contexts, targets, n=3):
    rows = contexts[:, 1 - n:] @ 27 ** torch.arange(n - 1).flip(0)
    return -interpolated(n)[rows, targets].log().mean().item()


def shown(ids):
    return f"predict(train_names_model(Budgeted(train_names, 5)), tensor({ids}))"


AB, EB, BA = [0, 0, 0, 1, 2], [0, 0, 0, 5, 2], [0, 0, 0, 2, 1]


@task.probe("logits for 27 letters", where("logits of shape (2, 27)", lambda shape: shape == [2, 27]), shown=shown([AB, EB]) + ".shape",
            otherwise="The model returns one row of 27 numbers for each context, a logit for each character of ALPHABET.")
def _(train_names_model, Budgeted, predict):
    return list(predict(trained(train_names_model, Budgeted)[0], torch.tensor([AB, EB])).shape)


@task.probe("numbers, none of them NaN", True, shown=shown([AB, EB]), otherwise="There is NaN among the logits. Did training diverge? Take a smaller learning rate.")
def _(train_names_model, Budgeted, predict):
    return not predict(trained(train_names_model, Budgeted)[0], torch.tensor([AB, EB])).isnan().any().item()


@task.probe("logits, not probabilities", False, shown=shown([AB, EB]), otherwise="These are probabilities. Return logits: cross_entropy applies the softmax itself.")
def _(train_names_model, Budgeted, predict):
    p = predict(trained(train_names_model, Budgeted)[0], torch.tensor([AB, EB]))
    return bool((p >= 0).all() and ((p.sum(-1) - 1).abs() < 1e-3).all())


def apart(model):
    """Whether eb, and whether ba, is followed by something else than ab."""
    ab, eb, ba = model(torch.tensor([AB, EB, BA]))
    return [bool((ab - other).abs().max() > 1e-3) for other in (eb, ba)]


@task.probe("not all contexts get the same answer", True, shown=shown([AB, EB, BA]), otherwise="All three contexts get the same answer. Do their letters reach the "
            "logits, or are all units saturated or dead after training?")
def _(train_names_model, Budgeted, predict):
    return any(apart(lambda ids: predict(trained(train_names_model, Budgeted)[0], ids)))


@task.probe("it tells apart what follows ab and eb", True, shown=shown([AB, EB]), otherwise="ab and eb get the same answer. Does your model look at the last letter "
            "only? That is a bigram table at best.")
def _(train_names_model, Budgeted, predict):
    return apart(lambda ids: predict(trained(train_names_model, Budgeted)[0], ids))[0]


@task.probe("it tells apart what follows ab and ba", True, shown=shown([AB, BA]), otherwise="ab and ba get the same answer: the order of the letters has no effect. "
            "Are the embeddings added or averaged? Put them side by side.")
def _(train_names_model, Budgeted, predict):
    return apart(lambda ids: predict(trained(train_names_model, Budgeted)[0], ids))[1]


@task.probe("20,000 to 800,000 examples, taken from train_set.batches", between(20_000, 800_000), shown="train_set.spent",
            otherwise="Take all examples from train_set.batches, 20,000 to 800,000 of them: others do not count. Leave the budget as it is.")
def _(train_names_model, Budgeted):
    return trained(train_names_model, Budgeted)[1]


LADDER = [
    ("better than guessing", lambda *rows: 3.6, "Far worse than guessing (3.3). Are the first weights too large, or the learning rate? Did it see too few examples, "
     "again and again? Does it learn other targets than the loader's? Do gradients pile up (`zero_grad`)?"),
    ("better than knowing how common each letter is", lambda *rows: 2.8, "At best a little better than knowing how common each letter is (2.9). Does the loss fall at "
     "all? Was it trained on these contexts, in this order? Is the model that you return the one that was trained?"),
    ("better than the bigram table", lambda *rows: table_loss(*rows, 2) - 0.02, "At best a little better than the bigram table, which knows the last letter alone. Look "
     "at the loss at step 0 (should be about 3.3), then at the number of steps."),
    ("0.02 better than the interpolated trigram table", lambda *rows: table_loss(*rows) - 0.02, "Better than the bigram table, not yet 0.02 better than the trigram "
     "table. Train longer, or with a learning rate that falls to 0."),
]
for label, bound, otherwise in LADDER:
    rows = one_position_each(tuple(VALIDATION), 0)

    @task.probe(f"on the validation names, {label}", loss_at_most(rows[1], bound(*rows)), shown="the logits of one position of each validation name", otherwise=otherwise)
    def _(train_names_model, Budgeted, predict):
        return predict(trained(train_names_model, Budgeted)[0], one_position_each(tuple(VALIDATION), 0)[0])


def others():
    return one_position_each(tuple(OTHERS), int(sample_ids(10**6, 1, seed=81)))


def better():
    loss = table_loss(*others())
    return loss_at_most(others()[1], loss - 0.02, implausible=loss - 0.45)


@task.probe("on other names, 0.02 better than the interpolated trigram table", better, drawn=True, hidden=True,
            otherwise="If it passed on the validation names, that was luck, or it saw them in training: leave a larger margin.")
def _(train_names_model, Budgeted, predict):
    return predict(trained(train_names_model, Budgeted)[0], others()[0])


# %% mistakes
SHORT, LAYER = {"steps = 300": "steps = 40"}, "def train_names_model"


def layer(forward):
    return f"class Own(nn.Module):\n    def forward(self, x):\n        return {forward}\n\n\ndef train_names_model"


rows = "One row of logits a letter of the context: join the embeddings (nn.Flatten()), or return the row of the last position alone."
mistake(rows, SHORT, returns="nn.Sequential(model[0], nn.Linear(24, 27))")
mistake("The classes are the 27 characters of ALPHABET, the dot included.", SHORT, returns="nn.Sequential(model, nn.Linear(27, 26))")
mistake("Return the model that you trained: is there a `return model`?", SHORT, returns="None")
mistake("There is NaN among the logits. Did training diverge? Take a smaller learning rate.", SHORT | {"lr=0.01": "lr=1e30"})
mistake("These are probabilities. Return logits: cross_entropy applies the softmax itself.", SHORT, returns="nn.Sequential(model, nn.Softmax(-1))")
mistake("ab and eb get the same answer. Does your model look at the last letter only? That is a bigram table at best.",
        SHORT | {LAYER: layer("x[:, -1:]"), "nn.Embedding(27, 24)": "Own(), nn.Embedding(27, 24)", "CONTEXT * 24": "24"})
mistake("ab and ba get the same answer: the order of the letters has no effect. Are the embeddings added or averaged? Put them side by side.",
        SHORT | {LAYER: layer("x.mean(1)"), "nn.Flatten()": "Own()", "CONTEXT * 24": "24"})
mistake("All three contexts get the same answer. Do their letters reach the logits, or are all units saturated or dead after training?", SHORT | {LAYER: layer("0 * x"), "nn.Flatten()": "Own(), nn.Flatten()"})
spent = "The budget of 800,000 examples is spent: take fewer steps, or smaller batches."
mistake(spent, SHORT | {"512, steps": "800_001, steps"})
mistake("Take all examples from train_set.batches, 20,000 to 800,000 of them: others do not count. Leave the budget as it is.", SHORT | {"train_set.batches": "NamesDataset(train_names, CONTEXT).batches"})
far, common, bigram, trigram = [
    "Far worse than guessing (3.3). Are the first weights too large, or the learning rate? Did it see too few examples, again and again? Does it learn other targets "
    "than the loader's? Do gradients pile up (`zero_grad`)?",
    "At best a little better than knowing how common each letter is (2.9). Does the loss fall at all? Was it trained on these contexts, in this order? Is the model that "
    "you return the one that was trained?",
    "At best a little better than the bigram table, which knows the last letter alone. Look at the loss at step 0 (should be about 3.3), then at the number of steps.",
    "Better than the bigram table, not yet 0.02 better than the trigram table. Train longer, or with a learning rate that falls to 0.",
]
LOADER = "train_set.batches(512, steps)"
mistake(far, SHORT | {"    optimizer =": "    for parameter in model.parameters():\n        nn.init.normal_(parameter, std=3.)\n    optimizer =", "AdamW(model.parameters(), lr=0.01)": "SGD(model.parameters(), lr=0.01)"})
mistake(far, SHORT | {LOADER: "[(x, x[:, -1]) for x, _ in " + LOADER + "]", "lr=0.01": "lr=0.03"})
mistake(common, SHORT | {"lr=0.01": "lr=1e-5"})
mistake(common, SHORT, returns="nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 27))")
mistake(bigram, {"steps = 300": "steps = 60", "lr=0.01": "lr=0.002"})
mistake(trigram, {"steps = 300": "steps = 130", "lr=0.01": "lr=0.004"})

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

# %% right: keeps its batches and goes through them three times
def train_names_model(train_set):
    set_seed(0)
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    kept = 3 * list(train_set.batches(512, 150))
    train(model, kept, optimizer, schedule=lambda step: 1 - step / 450)
    return model

# %% right: ARENA
from torch import Tensor


class CharMLP(nn.Module):
    def __init__(self, d_embed: int = 24, d_hidden: int = 256):
        super().__init__()
        self.embedding = nn.Embedding(27, d_embed)
        self.hidden = nn.Linear(CONTEXT * d_embed, d_hidden)
        self.output = nn.Linear(d_hidden, 27)

    def forward(self, contexts: Tensor) -> Tensor:
        x = self.embedding(contexts).flatten(start_dim=1)
        return self.output(torch.tanh(self.hidden(x)))


def train_names_model(train_set) -> nn.Module:
    set_seed(1)
    model = CharMLP()
    steps = 400
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for contexts, targets in train_set.batches(512, steps):
        loss = F.cross_entropy(model(contexts), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
    return model

# %% right: CS231n
def train_names_model(train_set):
    torch.manual_seed(231)
    hidden_dim, embed_dim, num_steps = 200, 20, 500
    model = nn.Sequential(
        nn.Embedding(27, embed_dim),
        nn.Flatten(),
        nn.Linear(CONTEXT * embed_dim, hidden_dim),
        nn.ReLU(),
        nn.Linear(hidden_dim, 27),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    loss_history = []
    for it, (x, y) in enumerate(train_set.batches(512, num_steps)):
        for group in optimizer.param_groups:
            group["lr"] = 8e-3 * (1 - it / num_steps)
        scores = model(x)
        loss = F.cross_entropy(scores, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss_history.append(loss.item())
    return model

# %% right: makemore
def train_names_model(train_set):
  g = torch.Generator().manual_seed(2147483647) # for reproducibility
  n_embd, n_hidden, max_steps, batch_size = 24, 200, 1500, 256
  C  = torch.randn((27, n_embd),                  generator=g)
  W1 = torch.randn((n_embd * CONTEXT, n_hidden),  generator=g) * (5/3)/((n_embd * CONTEXT)**0.5)
  b1 = torch.randn(n_hidden,                      generator=g) * 0.01
  W2 = torch.randn((n_hidden, 27),                generator=g) * 0.01
  b2 = torch.randn(27,                            generator=g) * 0
  model = nn.Sequential(nn.Embedding(27, n_embd), nn.Flatten(), nn.Linear(n_embd * CONTEXT, n_hidden), nn.Tanh(), nn.Linear(n_hidden, 27))
  for p, init in zip(model.parameters(), [C, W1.T, b1, W2.T, b2]):
    p.data = init.clone()
  velocity = [torch.zeros_like(p) for p in model.parameters()]
  for i, (Xb, Yb) in enumerate(train_set.batches(batch_size, max_steps)):
    # forward pass
    loss = F.cross_entropy(model(Xb), Yb)
    # backward pass
    for p in model.parameters():
      p.grad = None
    loss.backward()
    # update
    lr = 0.1 * (1 - i / max_steps)
    for p, v in zip(model.parameters(), velocity):
      v.mul_(0.9).add_(p.grad)
      p.data += -lr * v
  return model

# %% right: torch source
class NextLetter(nn.Module):
    def __init__(self, d_embed, d_hidden):
        super().__init__()
        self.embedding = nn.Embedding(27, d_embed)
        self.linear1 = nn.Linear(CONTEXT * d_embed, d_hidden)
        self.dropout = nn.Dropout(0.05)
        self.linear2 = nn.Linear(d_hidden, 27)

    def forward(self, input):
        x = torch.flatten(self.embedding(input), 1)
        return self.linear2(self.dropout(F.gelu(self.linear1(x))))


def train_names_model(train_set):
    torch.manual_seed(0)
    model = NextLetter(24, 256)
    steps = 600
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.008, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=steps)
    model.train()
    for input, target in train_set.batches(512, steps):
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(input), target)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return model

# %% right: numpy first
import numpy as np


def train_names_model(train_set):
    set_seed(2)
    np.random.seed(2)
    model = nn.Sequential(
        nn.Embedding(27, 16), nn.Flatten(), nn.Linear(CONTEXT * 16, 256), nn.Tanh(), nn.Linear(256, 27)
    )
    rates = np.concatenate([np.linspace(0.001, 0.012, 40), np.linspace(0.012, 0, 460)])
    optimizer = torch.optim.Adam(model.parameters())
    for (contexts, targets), rate in zip(train_set.batches(512, len(rates)), rates):
        optimizer.param_groups[0]["lr"] = float(rate)
        loss = F.cross_entropy(model(contexts), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% right: plain loops
def train_names_model(train_set):
    set_seed(0)
    model = nn.Sequential(
        nn.Embedding(27, 24),
        nn.Flatten(),
        nn.Linear(5 * 24, 256),
        nn.Tanh(),
        nn.Linear(256, 27),
    )
    steps = 400
    step = 0
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for contexts, targets in train_set.batches(512, steps):
        optimizer.param_groups[0]["lr"] = 0.01 * (1 - step / steps)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(contexts), targets)
        loss.backward()
        optimizer.step()
        step += 1
    return model
