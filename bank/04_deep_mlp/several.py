"""Solutions that fill in several cells."""

# %% right: endless by itertools.chain over repeated iterations; shares as tensors
## endless
import itertools


def endless(loader):
    return itertools.chain.from_iterable(itertools.repeat(loader))

## saturation
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return torch.stack([torch.mean(((a > 0.97) | (a < -0.97)).double()) for a in activations])


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (learning_rate * gradient).std(correction=0) / weight.std(correction=0)


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% right: letters and ids in two dictionaries; names cut with partition
## encode
stoi = {letter: i for i, letter in enumerate(ALPHABET)}
itos = {i: letter for letter, i in stoi.items()}


def encode(name):
    return [stoi[letter] for letter in name] + [0]


def decode(ids):
    return "".join(itos[int(i)] for i in ids).partition(".")[0]

## build_dataset
def build_dataset(names, context_size):
    X, Y = [], []
    for name in names:
        padded = [0] * context_size + encode(name)
        for end in range(context_size, len(padded)):
            X.append(padded[end - context_size:end])
            Y.append(padded[end])
    return torch.tensor(X), torch.tensor(Y)

# %% right: the loss from log_softmax and gather; endless as a class
## evaluate
def evaluate(model, batches):
    was_training = model.training
    if was_training:
        model.eval()
    with torch.no_grad():
        per_example = [-F.log_softmax(model(x), dim=1).gather(1, y[:, None])[:, 0] for x, y in batches]
    if was_training:
        model.train()
    return float(torch.cat(per_example).mean())


def perplexity(loss):
    return float(torch.exp(torch.as_tensor(loss, dtype=torch.float64)))

## endless
class endless:
    def __init__(self, loader):
        self.loader = loader
        self.epoch = iter(())

    def __iter__(self):
        return self

    def __next__(self):
        for batch in self.epoch:
            return batch
        self.epoch = iter(self.loader)
        return next(self.epoch)

# %% right: arithmetic with ord and chr, tensors instead of lists
## encode
def encode(name):
    return tuple(ord(letter) - 96 for letter in name) + (0,)


def decode(ids):
    name = ""
    for i in ids:
        if not i:
            return name
        name += chr(96 + i)
    return name

## build_dataset
def build_dataset(names, context_size):
    parts = []
    for name in names:
        ids = torch.tensor([0] * context_size + [ord(letter) - 96 for letter in name] + [0])
        parts.append(ids.unfold(0, context_size + 1, 1))
    windows = torch.cat(parts)
    return windows[:, :-1], windows[:, -1]

## kaiming_std
def kaiming_std(fan_in, gain):
    return gain * fan_in ** -0.5


def kaiming_weight(noise, gain):
    fan_in, fan_out = noise.shape
    return noise.mul(gain).div(fan_in ** 0.5)

# %% right: tensors filled row by row
## build_dataset
def build_dataset(names, context_size):
    count = sum(len(name) + 1 for name in names)
    X = torch.zeros(count, context_size, dtype=torch.long)
    Y = torch.zeros(count, dtype=torch.long)
    row = 0
    for name in names:
        window = torch.zeros(context_size, dtype=torch.long)
        for i in [ALPHABET.index(c) for c in name] + [0]:
            X[row] = window
            Y[row] = i
            window = torch.roll(window, -1)
            window[-1] = i
            row += 1
    return X, Y

## evaluate
@torch.inference_mode()
def evaluate(model, batches):
    mode = model.training
    model.eval()
    logits, targets = [], []
    for x, y in batches:
        logits.append(model(x))
        targets.append(y)
    model.train(mode)
    return F.cross_entropy(torch.cat(logits), torch.cat(targets))


def perplexity(loss):
    return torch.tensor(loss).exp()

# %% right: batch means weighted by the size of the batch, the mode restored in finally
## evaluate
def evaluate(model, batches):
    before = model.training
    try:
        model.train(False)
        losses, sizes = [], []
        for contexts, targets in batches:
            with torch.no_grad():
                losses.append(F.cross_entropy(model(contexts), targets))
            sizes.append(targets.numel())
        sizes = torch.tensor(sizes, dtype=torch.float)
        return (torch.stack(losses) * sizes).sum() / sizes.sum()
    finally:
        model.train(before)


def perplexity(loss):
    return math.e ** loss

## endless
def endless(loader):
    iterator = iter(loader)
    while True:
        try:
            batch = next(iterator)
        except StopIteration:
            iterator = iter(loader)
            continue
        yield batch

# %% wrong: hands the notebook in as it was given out
# fails: encode, build_dataset, kaiming_std, DeepMLP, residual_backward, evaluate, endless, saturation, generate, train_names_model
# told: TODO
## encode
def encode(name):
    """Ids of a name's letters, then 0. name: letters a-z -> list of len(name) + 1 ints"""
    raise NotImplementedError("TODO: write your solution here")


def decode(ids):
    """The name that a list of ids spells, up to the first 0. ids: list of ints -> str"""
    raise NotImplementedError("TODO: write your solution here")

## build_dataset
def build_dataset(names, context_size):
    """All examples of a list of names, name after name, from the first letter to the final dot.

    returns: (contexts (N, context_size), targets (N,)), both int64
    """
    raise NotImplementedError("TODO: write your solution here")

## kaiming_std
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    raise NotImplementedError("TODO: write your solution here")


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    raise NotImplementedError("TODO: write your solution here")

## DeepMLP
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        raise NotImplementedError("TODO: write your solution here")

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        raise NotImplementedError("TODO: write your solution here")

## residual_backward
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    raise NotImplementedError("TODO: write your solution here")

## evaluate
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    raise NotImplementedError("TODO: write your solution here")


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    raise NotImplementedError("TODO: write your solution here")

## endless
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew. loader: iterable -> iterator"""
    raise NotImplementedError("TODO: write your solution here")

## saturation
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    raise NotImplementedError("TODO: write your solution here")


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    raise NotImplementedError("TODO: write your solution here")


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    raise NotImplementedError("TODO: write your solution here")

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    raise NotImplementedError("TODO: write your solution here")

## train_names_model
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    raise NotImplementedError("TODO: write your solution here")

# %% wrong: leaves models in evaluation mode, in two tasks
# fails: evaluate, generate
# told: You left it in evaluation mode
## evaluate
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
            count += len(targets)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    return name

# %% wrong: stops after the third task
# fails: residual_backward, evaluate, endless, saturation, generate, train_names_model
# told: TODO
## residual_backward
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    raise NotImplementedError("TODO: write your solution here")

## evaluate
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    raise NotImplementedError("TODO: write your solution here")


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    raise NotImplementedError("TODO: write your solution here")

## endless
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew. loader: iterable -> iterator"""
    raise NotImplementedError("TODO: write your solution here")

## saturation
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    raise NotImplementedError("TODO: write your solution here")


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    raise NotImplementedError("TODO: write your solution here")


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    raise NotImplementedError("TODO: write your solution here")

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    raise NotImplementedError("TODO: write your solution here")

## train_names_model
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    raise NotImplementedError("TODO: write your solution here")

# %% wrong: the newest letter in front, in the data set and when drawing
# fails: build_dataset, generate
# told: The newest letter comes first
## build_dataset
def build_dataset(names, context_size):
    """All examples of a list of names, name after name, from the first letter to the final dot.

    returns: (contexts (N, context_size), targets (N,)), both int64
    """
    contexts, targets = [], []
    for name in names:
        context = [0] * context_size
        for letter in name + ".":
            i = ALPHABET.index(letter)
            contexts.append(context)
            targets.append(i)
            context = [i] + context[:-1]
    return torch.tensor(contexts), torch.tensor(targets)

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = [i] + context[:-1]
    model.train(was_training)
    return name
