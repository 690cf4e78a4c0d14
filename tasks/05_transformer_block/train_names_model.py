"""train_names_model, 3 points: a model that beats a count table. It is trained once for all probes, in one thread."""
from functools import cache

import torch
from torch.nn import functional as F
from utils import ALPHABET, NamesDataset, load_names, split_names

task = Task("train_names_model", seconds=60)
TOKENS = 12
TRAINING, VALIDATION, OTHERS = split_names(load_names())


def trained(recipe, Budgeted):
    """The model, and how many names it took. Raises what the training raises, each time."""
    if not hasattr(recipe, "trained"):
        loader, threads = Budgeted(TRAINING), torch.get_num_threads()
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


def spell(*names):
    return torch.tensor([[ALPHABET.index(letter) for letter in f".{name}".ljust(TOKENS, ".")] for name in names])


@cache
def rows(names):
    """Of names of at most 11 letters their ids, and what follows each token, the end included."""
    kept = [name for name in names if len(name) < TOKENS]
    ids = spell(*kept)
    return ids, F.pad(ids[:, 1:], (0, 1)), torch.tensor([len(name) + 1 for name in kept])


def drawn(names, seed):
    """One token of each name, drawn with the key: ids, places, answers."""
    ids, follows, lengths = rows(tuple(names))
    places = sample_ids(10**6, len(ids), seed=seed) % lengths
    return ids, places, follows[torch.arange(len(ids)), places]


@cache
def table():
    """Losses of the interpolated bigram table."""
    seen = NamesDataset(TRAINING, 1)
    counts = torch.bincount(seen.contexts[:, 0] * 27 + seen.targets, minlength=27**2).view(27, 27).float()
    letters, extra = torch.bincount(seen.targets, minlength=27) + 3.0, 3 * (counts > 0).sum(-1, keepdim=True)
    return -((counts + extra * letters / letters.sum()) / (counts.sum(-1, keepdim=True) + extra)).log()


def better(names, seed, by=None, bound=None):
    """Wanted of logits: a loss that is `by` below the table's, or at most `bound`."""
    def wanted():
        ids, places, answers = drawn(names, seed)
        loss = table()[ids[torch.arange(len(ids)), places], answers].mean().item()
        return loss_at_most(answers, loss - by if bound is None else bound, implausible=loss - 0.6)

    return wanted


@cache
def predicted(model, predict, names):
    return predict(model, rows(names)[0])


def logits(model, predict, names, seed):
    ids, places, _ = drawn(names, seed)
    return predicted(model, predict, tuple(names))[torch.arange(len(ids)), places]


@task.probe("logits for 27 letters at each of 12 tokens", where("logits of shape (2, 12, 27)", lambda shape: shape == [2, 12, 27]),
            shown="predict(train_names_model(Budgeted(train_names)), ids).shape",
            otherwise="One answer a name, or not 27 classes? Every token has an answer: (N, TOKENS, 27), a number for each character of ALPHABET, the "
            "dot included.")
def _(train_names_model, Budgeted, predict):
    return list(predict(trained(train_names_model, Budgeted)[0], spell("oskar", "li")).shape)


@task.probe("logits, not probabilities", False, otherwise="These are probabilities. Return logits: cross_entropy applies the softmax itself.")
def _(train_names_model, Budgeted, predict):
    p = predict(trained(train_names_model, Budgeted)[0], spell("oskar", "li"))
    return bool((p >= 0).all() and ((p.sum(-1) - 1).abs() < 1e-3).all())


@task.probe("the same names have the same answers twice", at_most(1e-3),
            otherwise="It answers differently each time: by chance (dropout in evaluation), or by something that it kept from the last call.")
def _(train_names_model, Budgeted, predict):
    model, ids = trained(train_names_model, Budgeted)[0], rows(tuple(VALIDATION))[0][:99]
    return (predict(model, ids) - predict(model, ids)).abs().max()


@task.probe("what comes later does not move the answers before it", at_most(1e-3), drawn=True,
            otherwise="Tokens see what comes after them: the model copies the answer in training, and has nothing to copy when it matters. Give the blocks "
            "a mask; and no mean, norm, convolution or second direction may reach later tokens.")
def _(train_names_model, Budgeted, predict):
    model, (ids, places, _) = trained(train_names_model, Budgeted)[0], drawn(VALIDATION, 202)
    ids, seen = ids[:200], torch.arange(TOKENS) <= places[:200, None]
    other = torch.where(seen, ids, 1 + sample_ids(26, *ids.shape, seed=203))
    return (predict(model, other) - predict(model, ids))[seen].abs().max()


@task.probe("other names in the batch do not move a name's answers", at_most(1e-3),
            otherwise="Other names move the answers: is batch_first=True missing, or is something normalised over, or taken from, the batch?")
def _(train_names_model, Budgeted, predict):
    model = trained(train_names_model, Budgeted)[0]
    alone = predict(model, spell("maria"))[0]
    company = [predict(model, spell("maria", "oskar", "li", "ann"))[0], predict(model, spell("oskar", "li", "ann", "maria"))[3]]
    return torch.stack([(alone - answer).abs().max() for answer in company]).max()


def apart(one, other):
    def ask(train_names_model, Budgeted, predict):
        pair = predict(trained(train_names_model, Budgeted)[0], spell(one, other))
        return (pair[0, len(one)] - pair[1, len(other)]).abs().max()

    return ask


more = where("more than 0.001", lambda moved: bool(moved > 1e-3))
task.probe("it tells apart what follows ab and abb", more, otherwise="ab and abb have the same answer: does every token get the same one, or does the last "
           "letter alone decide?")(apart("ab", "abb"))
task.probe("it tells apart what follows ab and eb", more, otherwise="Your model looks at the last letter and its place only, and not at what stands "
           "before. Where do its tokens meet?")(apart("ab", "eb"))

LADDER = [
    ("better than guessing", dict(bound=3.6), "Far worse than guessing (3.3), or no number. Were the tokens behind the end left out of the loss, and do the targets fit "
     "the tokens? Did training diverge (take a smaller learning rate), or does some token see nobody?"),
    ("better than knowing how common each letter is", dict(bound=2.8), "No better than knowing how common each letter is. Does the loss fall at all? Is the model "
     "you return the one you trained? The targets are shifted already: do they stand in the order of the logits?"),
    ("better than the interpolated bigram table", dict(by=0.02), "No better than the bigram table. Look at the loss at step 0 (should be about 3.3), then at "
     "learning rate and number of steps."),
    ("0.1 better than the interpolated bigram table", dict(by=0.1), "Better than the bigram table, but not yet by 0.1. Train longer, or with a learning rate that falls to 0."),
]
for label, bound, otherwise in LADDER:
    @task.probe(f"on the validation names: {label}", better(VALIDATION, 204, **bound), otherwise=otherwise)
    def _(train_names_model, Budgeted, predict):
        return logits(trained(train_names_model, Budgeted)[0], predict, VALIDATION, 204)


@task.probe("names taken from train_set.batches, where they are counted", between(1_000, 12_800),
            otherwise="Too few names came from train_set.batches, or more than 12,800. Take your steps there: others do not count.")
def _(train_names_model, Budgeted):
    return trained(train_names_model, Budgeted)[1]


@task.probe("on other names, 0.1 better than the interpolated bigram table", better(OTHERS, 205, by=0.1), drawn=True, hidden=True,
            otherwise="If it passed on the validation names, that was luck, or it saw them in training: leave a larger margin.")
def _(train_names_model, Budgeted, predict):
    return logits(trained(train_names_model, Budgeted)[0], predict, OTHERS, 205)


# %% mistakes
guessing = ("Far worse than guessing (3.3), or no number. Were the tokens behind the end left out of the loss, and do the targets fit "
    "the tokens? Did training diverge (take a smaller learning rate), or does some token see nobody?")
common = ("No better than knowing how common each letter is. Does the loss fall at all? Is the model "
    "you return the one you trained? The targets are shifted already: do they stand in the order of the logits?")
bigram = ("No better than the bigram table. Look at the loss at step 0 (should be about 3.3), then at "
    "learning rate and number of steps.")
not_yet = "Better than the bigram table, but not yet by 0.1. Train longer, or with a learning rate that falls to 0."
SHORT = {"steps = Reader(), 200": "steps = Reader(), 20"}
RATE = {"lr=0.01": "lr=0.00001"}
shape = ("One answer a name, or not 27 classes? Every token has an answer: (N, TOKENS, 27), a number for each character of ALPHABET, the dot included.")
OUT = "self.out(self.norm(x))"
mistake(shape, SHORT | {"            return " + OUT: "            return " + OUT + " if self.training else " + OUT + "[:, -1]"})
mistake(shape, SHORT | {"            return " + OUT: "            return " + OUT + " if self.training else " + OUT + "[..., 1:]"})
mistake("These are probabilities. Return logits: cross_entropy applies the softmax itself.", SHORT | {OUT: OUT + ".softmax(-1)"})
mistake("It answers differently each time: by chance (dropout in evaluation), or by something that it kept from the last call.",
        SHORT | {OUT: "F.dropout(" + OUT + ", 0.1)"})
later = ("Tokens see what comes after them: the model copies the answer in training, and has nothing to copy when it matters. Give the blocks a mask; and no "
         "mean, norm, convolution or second direction may reach later tokens.")
mistake(later, SHORT | {", src_mask=later": ""})
mistake(later, SHORT | {"            for block in self.blocks": "            x = x + x.mean(1, keepdim=True)\n            for block in self.blocks"})
mistake(later, SHORT | {"            for block in self.blocks": "            x = x + torch.roll(x, 1, 1)\n            for block in self.blocks"})
others = "Other names move the answers: is batch_first=True missing, or is something normalised over, or taken from, the batch?"
mistake(others, SHORT | {"                    batch_first=True,\n": "", "torch.ones(T, T)": "torch.ones(len(ids), len(ids))"})
mistake(others, SHORT | {OUT: "self.out(F.batch_norm(x.transpose(1, 2), None, None, training=True).transpose(1, 2))"})
mistake("ab and abb have the same answer: does every token get the same one, or does the last letter alone decide?",
        SHORT | {"self.letters(ids) + self.places(torch.arange(T))": "self.letters(ids)", "            for block in self.blocks:\n                x = block(x, src_mask=later)\n": ""})
mistake("Your model looks at the last letter and its place only, and not at what stands before. Where do its tokens meet?",
        SHORT | {"            for block in self.blocks:\n                x = block(x, src_mask=later)\n": ""})
mistake(guessing, SHORT | {OUT: "100 * " + OUT})
mistake(common, SHORT | RATE)
mistake(common, {"steps = Reader(), 200": "steps = Reader(), 16", "    return model": "    return Reader()"})
mistake(bigram, {"steps = Reader(), 200": "steps = Reader(), 16"})
mistake(not_yet, {"steps = Reader(), 200": "steps = Reader(), 75", "lr=0.01": "lr=0.003"})
mistake("Too few names came from train_set.batches, or more than 12,800. Take your steps there: others do not count.",
        {"train_set.batches(64, steps)": "minibatches(*rows(train_names), batch_size=64, steps=steps)"})
mistake("Your training took more names than there are: at most 12,800, so take fewer steps, or smaller batches.", {"batches(64, steps)": "batches(12801, 1)"})
mistake("Return the model that you trained: is there a `return model`?", SHORT | {"    return model": "    return None"})

# %% right: ARENA
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

# %% right: CS231n
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

# %% right: makemore
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

# %% right: torch source
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

# %% right: numpy first
import numpy as np


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

# %% right: plain loops
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
