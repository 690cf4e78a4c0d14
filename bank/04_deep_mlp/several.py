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

# %% right: whole notebook in ARENA's style
## encode
from torch import Tensor


def encode(name: str) -> list[int]:
    assert all(letter in ALPHABET[1:] for letter in name)
    return [ALPHABET.index(letter) for letter in name] + [0]


def decode(ids: list[int]) -> str:
    end = ids.index(0) if 0 in ids else len(ids)
    return "".join(ALPHABET[i] for i in ids[:end])

## build_dataset
def build_dataset(names: list[str], context_size: int) -> tuple[Tensor, Tensor]:
    contexts: list[list[int]] = []
    targets: list[int] = []
    for name in names:
        padded = [0] * context_size + encode(name)
        for i in range(len(name) + 1):
            contexts.append(padded[i : i + context_size])
            targets.append(padded[i + context_size])
    X = torch.tensor(contexts, dtype=torch.int64)
    Y = torch.tensor(targets, dtype=torch.int64)
    assert X.shape == (len(Y), context_size)
    return X, Y

## kaiming_std
def kaiming_std(fan_in: int, gain: float) -> float:
    return gain * fan_in**-0.5


def kaiming_weight(noise: Tensor, gain: float) -> Tensor:
    d_in, d_out = noise.shape
    return torch.einsum("io,->io", noise, torch.tensor(kaiming_std(d_in, gain)))

## DeepMLP
class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        context_size: int,
        d_embed: int,
        d_hidden: int,
        n_layers: int,
        residual: float | None = None,
        norm: bool = False,
    ):
        super().__init__()
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        in_feats_per_layer = [context_size * d_embed] + (n_layers - 1) * [d_hidden]
        self.layers = nn.ModuleList(
            [nn.Linear(in_feats, d_hidden) for in_feats in in_feats_per_layer]
        )
        self.norms = nn.ModuleList(
            [nn.BatchNorm1d(d_hidden) for _ in range(n_layers)] if norm else []
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts: Tensor) -> Tensor:
        assert contexts.ndim == 2
        x = self.embedding(contexts)
        batch, context, d_embed = x.shape
        x = x.reshape(batch, context * d_embed)
        norms = self.norms if len(self.norms) > 0 else [nn.Identity()] * len(self.layers)
        for i, (layer, norm) in enumerate(zip(self.layers, norms)):
            branch = torch.tanh(norm(layer(x)))
            if self.residual is None or i == 0:
                x = branch
            else:
                x = x + self.residual * branch
        return self.output(x)

## residual_backward
def residual_backward(
    dy: Tensor, x: Tensor, W: Tensor, b: Tensor, s: float
) -> tuple[Tensor, Tensor, Tensor]:
    z = torch.einsum("ni,io->no", x, W) + b
    dz = dy * s * (1 - torch.tanh(z) ** 2)
    dx = dy + torch.einsum("no,io->ni", dz, W)
    dW = torch.einsum("ni,no->io", x, dz)
    db = torch.einsum("no->o", dz)
    return dx, dW, db

## evaluate
@torch.inference_mode()
def evaluate(model: nn.Module, batches) -> float:
    training = model.training
    model.eval()
    total_loss, total_examples = 0.0, 0
    for contexts, targets in batches:
        logits = model(contexts)
        logprobs = logits.log_softmax(dim=-1)
        total_loss -= logprobs[torch.arange(len(targets)), targets].sum().item()
        total_examples += len(targets)
    model.train(training)
    return total_loss / total_examples


def perplexity(loss: float) -> float:
    return math.exp(loss)

## endless
from typing import Iterator


def endless(loader) -> Iterator:
    while True:
        for batch in loader:
            yield batch

## saturation
def saturation(activations: list[Tensor]) -> list[float]:
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight: Tensor, gradient: Tensor, learning_rate: float) -> float:
    assert weight.shape == gradient.shape
    return ((learning_rate * gradient).std() / weight.std()).item()


def reading() -> dict[str, str]:
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

## generate
@torch.inference_mode()
def generate(
    model: nn.Module,
    context_size: int,
    temperature: float = 1.0,
    max_length: int = 20,
    generator: torch.Generator | None = None,
) -> str:
    assert temperature >= 0, "Temperature should be non-negative"
    training = model.training
    model.eval()
    ids = torch.zeros(context_size, dtype=torch.int64)
    name = []
    for _ in range(max_length):
        logits = model(ids[None, -context_size:]).squeeze(0)
        if temperature == 0:
            next_id = logits.argmax()
        else:
            probs = (logits / temperature).softmax(dim=-1)
            next_id = torch.multinomial(probs, 1, generator=generator).squeeze()
        if next_id.item() == 0:
            break
        name.append(ALPHABET[next_id.item()])
        ids = torch.cat([ids, next_id.reshape(1)])
    model.train(training)
    return "".join(name)

## train_names_model
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

# %% right: whole notebook in CS231n's style
## encode
char_to_ix = {ch: i for i, ch in enumerate(ALPHABET)}
ix_to_char = {i: ch for i, ch in enumerate(ALPHABET)}


def encode(name):
    return [char_to_ix[ch] for ch in name] + [char_to_ix["."]]


def decode(ids):
    txt = ""
    for ix in ids:
        ch = ix_to_char[ix]
        if ch == ".":
            break
        txt += ch
    return txt

## build_dataset
def build_dataset(names, context_size):
    X, y = [], []
    for name in names:
        window = [0] * context_size
        for ix in encode(name):
            X.append(list(window))
            y.append(ix)
            window.append(ix)
            window.pop(0)
    return torch.LongTensor(X), torch.LongTensor(y)

## kaiming_std
def kaiming_std(fan_in, gain):
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    weight_scale = kaiming_std(noise.shape[0], gain)
    W = weight_scale * noise
    return W

## DeepMLP
class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        self.use_batchnorm = norm
        self.num_layers = n_layers
        self.s = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList()
        self.norms = nn.ModuleList()
        dims = [context_size * d_embed] + [d_hidden] * n_layers
        for i in range(self.num_layers):
            self.layers.append(nn.Linear(dims[i], dims[i + 1]))
            if self.use_batchnorm:
                self.norms.append(nn.BatchNorm1d(dims[i + 1]))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        N = contexts.shape[0]
        out = self.embedding(contexts).view(N, -1)
        caches = {}
        for i in range(self.num_layers):
            affine = self.layers[i](out)
            if self.use_batchnorm:
                affine = self.norms[i](affine)
            caches[i] = torch.tanh(affine)
            if i > 0 and self.s is not None:
                out = out + self.s * caches[i]
            else:
                out = caches[i]
        scores = self.output(out)
        return scores

## residual_backward
def residual_forward(x, W, b, s):
    z = x.mm(W) + b
    a = torch.tanh(z)
    out = x + s * a
    cache = (x, W, a, s)
    return out, cache


def residual_backward(dy, x, W, b, s):
    _, cache = residual_forward(x, W, b, s)
    x, W, a, s = cache
    da = s * dy
    dz = (1 - a**2) * da
    dW = x.t().mm(dz)
    db = torch.sum(dz, axis=0)
    dx = dz.mm(W.t())
    dx = dx + dy
    return dx, dW, db

## evaluate
def evaluate(model, batches):
    mode = model.training
    model.eval()
    loss_sum = 0.0
    num_samples = 0
    with torch.no_grad():
        for x, y in batches:
            scores = model(x)
            shifted = scores - scores.max(dim=1, keepdim=True).values
            log_probs = shifted - torch.log(torch.sum(torch.exp(shifted), dim=1, keepdim=True))
            N = x.shape[0]
            loss_sum += -torch.sum(log_probs[range(N), y])
            num_samples += N
    model.train(mode)
    return float(loss_sum / num_samples)


def perplexity(loss):
    return math.e**loss

## endless
def endless(loader):
    epoch = 0
    while True:
        epoch += 1
        for data in loader:
            yield data

## saturation
def saturation(activations):
    fractions = []
    for a in activations:
        num_saturated = torch.sum(torch.abs(a) > 0.97)
        fractions.append(float(num_saturated) / a.numel())
    return fractions


def update_ratio(weight, gradient, learning_rate):
    update = -learning_rate * gradient
    update_scale = torch.std(update)
    param_scale = torch.std(weight)
    return float(update_scale / param_scale)


def reading():
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    mode = model.training
    model.eval()
    x = [0] * context_size
    ixes = []
    for t in range(max_length):
        y = model(torch.LongTensor([x]))
        if temperature == 0.0:
            ix = torch.argmax(y[0]).item()
        else:
            scaled = y[0] / temperature
            p = torch.exp(scaled - torch.max(scaled))
            p = p / torch.sum(p)
            ix = torch.multinomial(p, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        x = x[1:] + [ix]
        ixes.append(ix)
    model.train(mode)
    return "".join(ix_to_char[ix] for ix in ixes)

## train_names_model
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

# %% right: whole notebook in makemore's style
## encode
stoi = {s:i for i,s in enumerate(ALPHABET)}
itos = {i:s for s,i in stoi.items()}
encode = lambda w: [stoi[ch] for ch in w + '.']

def decode(ids):
  out = []
  for ix in ids:
    if ix == 0:
      break
    out.append(itos[ix])
  return ''.join(out)

## build_dataset
def build_dataset(words, block_size):
  X, Y = [], []
  for w in words:
    context = [0] * block_size
    for ch in w + '.':
      ix = stoi[ch]
      X.append(context)
      Y.append(ix)
      context = context[1:] + [ix] # crop and append
  X = torch.tensor(X)
  Y = torch.tensor(Y)
  return X, Y

## kaiming_std
kaiming_std = lambda fan_in, gain: gain / fan_in**0.5
kaiming_weight = lambda noise, gain: noise * gain / noise.shape[0]**0.5

## DeepMLP
class DeepMLP(nn.Module):

  def __init__(self, vocab_size, block_size, n_embd, n_hidden, n_layers, residual=None, norm=False):
    super().__init__()
    self.s = residual
    self.embedding = nn.Embedding(vocab_size, n_embd)
    self.layers = nn.ModuleList(
      [nn.Linear(n_embd * block_size, n_hidden)] + [nn.Linear(n_hidden, n_hidden) for _ in range(n_layers - 1)])
    self.norms = nn.ModuleList([nn.BatchNorm1d(n_hidden) for _ in self.layers] if norm else [])
    self.output = nn.Linear(n_hidden, vocab_size)

  def forward(self, Xb):
    emb = self.embedding.weight[Xb] # embed the characters into vectors
    h = emb.view(emb.shape[0], -1) # concatenate the vectors
    for i, lin in enumerate(self.layers):
      hpreact = h @ lin.weight.T + lin.bias
      if self.norms:
        hpreact = self.norms[i](hpreact)
      a = torch.tanh(hpreact)
      h = a if i == 0 or self.s is None else h + self.s * a
    return h @ self.output.weight.T + self.output.bias

## residual_backward
def residual_backward(dy, x, W, b, s):
  h = torch.tanh(x @ W + b)
  dh = s * dy
  dhpreact = (1.0 - h**2) * dh
  dx = dhpreact @ W.T
  dW = x.T @ dhpreact
  db = dhpreact.sum(0)
  return dx + dy, dW, db

## evaluate
@torch.no_grad() # this decorator disables gradient tracking
def evaluate(model, batches):
  training = model.training
  model.eval()
  lossi, n = 0.0, 0
  for Xb, Yb in batches:
    logits = model(Xb)
    logit_maxes = logits.max(1, keepdim=True).values
    norm_logits = logits - logit_maxes # subtract max for numerical stability
    logprobs = norm_logits - norm_logits.exp().sum(1, keepdim=True).log()
    lossi += -logprobs[range(len(Yb)), Yb].mean().item() * len(Yb)
    n += len(Yb)
  model.train(training)
  return lossi / n

perplexity = lambda loss: math.exp(loss)

## endless
def endless(loader):
  while True:
    yield from loader # a fresh order every epoch

## saturation
def saturation(activations):
  return [(t.abs() > 0.97).float().mean().item() for t in activations]

def update_ratio(p, grad, lr):
  return (lr*grad.std() / p.data.std()).item()

def reading():
  return {'plain': 'stuck', 'batch norm': 'stuck', 'residual, s = 1': 'stuck', 'residual, s = 1/√50': 'learns'}

## generate
@torch.no_grad()
def generate(model, block_size, temperature=1.0, max_length=20, generator=None):
  training = model.training
  model.eval()
  out = []
  context = [0] * block_size # initialize with all ...
  while len(out) < max_length:
    # forward pass the neural net
    logits = model(torch.tensor([context]))
    if temperature == 0:
      ix = logits.argmax(1).item()
    else:
      probs = F.softmax(logits / temperature, dim=1)
      # sample from the distribution
      ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
    # shift the context window and track the samples
    context = context[1:] + [ix]
    # if we sample the special '.' token, break
    if ix == 0:
      break
    out.append(ix)
  model.train(training)
  return ''.join(itos[i] for i in out)

## train_names_model
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

# %% right: whole notebook in the style of torch's own source
## encode
def encode(name):
    return list(map(ALPHABET.index, name + "."))


def decode(ids):
    name = []
    for index in iter(ids):
        if index == 0:
            break
        name.append(ALPHABET[index])
    return "".join(name)

## build_dataset
def build_dataset(names, context_size):
    contexts = []
    targets = []
    for name in names:
        ids = torch.tensor(encode(name), dtype=torch.long)
        padded = F.pad(ids, (context_size, 0), value=0)
        contexts.append(padded[:-1].unfold(0, context_size, 1))
        targets.append(ids)
    return torch.cat(contexts, dim=0), torch.cat(targets, dim=0)

## kaiming_std
def calculate_fan_in(tensor):
    if tensor.dim() < 2:
        raise ValueError("Fan in can not be computed for tensor with fewer than 2 dimensions")
    return tensor.size(0)


def kaiming_std(fan_in, gain):
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    std = kaiming_std(calculate_fan_in(noise), gain)
    return noise.detach().clone().mul_(std)

## DeepMLP
class DeepMLP(nn.Module):
    __constants__ = ["n_layers", "residual"]

    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        self.n_layers = n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList()
        self.norms = nn.ModuleList()
        in_features = context_size * d_embed
        for _ in range(n_layers):
            self.layers.append(nn.Linear(in_features, d_hidden))
            in_features = d_hidden
            if norm:
                self.norms.append(nn.BatchNorm1d(d_hidden))
        self.output = nn.Linear(d_hidden, vocab_size)
        self.reset_parameters()

    def reset_parameters(self):
        for layer in self.layers:
            nn.init.xavier_uniform_(layer.weight, gain=nn.init.calculate_gain("tanh"))
            nn.init.zeros_(layer.bias)

    def _branch(self, index, input):
        output = F.linear(input, self.layers[index].weight, self.layers[index].bias)
        if len(self.norms) > 0:
            output = self.norms[index](output)
        return torch.tanh(output)

    def forward(self, input):
        x = torch.flatten(self.embedding(input), 1)
        x = self._branch(0, x)
        for index in range(1, self.n_layers):
            if self.residual is None:
                x = self._branch(index, x)
            else:
                x = torch.add(x, self._branch(index, x), alpha=self.residual)
        return self.output(x)

    def extra_repr(self):
        return f"residual={self.residual}"

## residual_backward
def tanh_backward(grad_output, result):
    return grad_output * (1 - result * result)


def residual_backward(grad_output, input, weight, bias, scale):
    result = torch.tanh(torch.addmm(bias, input, weight))
    grad_preactivation = tanh_backward(grad_output * scale, result)
    grad_input = grad_output + torch.mm(grad_preactivation, weight.t())
    grad_weight = torch.mm(input.t(), grad_preactivation)
    grad_bias = grad_preactivation.sum(dim=0)
    return grad_input, grad_weight, grad_bias

## evaluate
@torch.no_grad()
def evaluate(model, batches):
    was_training = {module: module.training for module in model.modules()}
    model.eval()
    total, size = torch.zeros(()), 0
    for input, target in batches:
        total += F.nll_loss(F.log_softmax(model(input), dim=-1), target, reduction="sum")
        size += target.numel()
    for module, mode in was_training.items():
        module.training = mode
    return total / size


def perplexity(loss):
    return torch.exp(torch.tensor(loss)).item()

## endless
class _InfiniteIter:
    def __init__(self, loader):
        self._loader = loader
        self._iter = iter(loader)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self._iter)
        except StopIteration:
            self._iter = iter(self._loader)
            return next(self._iter)


def endless(loader):
    return _InfiniteIter(loader)

## saturation
def saturation(activations):
    return [
        torch.count_nonzero(activation.abs() > 0.97).item() / activation.numel()
        for activation in activations
    ]


def update_ratio(weight, gradient, learning_rate):
    return (gradient.mul(learning_rate).std() / weight.std()).item()


def reading():
    answer = dict.fromkeys(["plain", "batch norm", "residual, s = 1"], "stuck")
    answer["residual, s = 1/√50"] = "learns"
    return answer

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context = torch.zeros(1, context_size, dtype=torch.long)
    name = []
    while len(name) < max_length:
        logits = model(context)
        if temperature == 0:
            index = logits.argmax(dim=-1, keepdim=True)
        else:
            probs = F.softmax(logits / temperature, dim=-1)
            index = torch.multinomial(probs, 1, generator=generator)
        if index.item() == 0:
            break
        name.append(index.item())
        context = torch.cat([context[:, 1:], index], dim=1)
    model.train(was_training)
    return "".join(ALPHABET[index] for index in name)

## train_names_model
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

# %% right: whole notebook, numpy first
## encode
import numpy as np

letters = np.array(list(ALPHABET))


def encode(name):
    return np.array([ord(letter) - ord("a") + 1 for letter in name] + [0]).tolist()


def decode(ids):
    ids = np.array(ids, dtype=int)
    ends = np.flatnonzero(ids == 0)
    return "".join(letters[ids[: ends[0]] if len(ends) else ids])

## build_dataset
def build_dataset(names, context_size):
    windows = []
    for name in names:
        padded = np.concatenate([np.zeros(context_size, dtype=np.int64), encode(name)])
        windows.append(np.lib.stride_tricks.sliding_window_view(padded, context_size + 1))
    windows = np.concatenate(windows)
    return torch.from_numpy(windows[:, :-1].copy()), torch.from_numpy(windows[:, -1].copy())

## kaiming_std
def kaiming_std(fan_in, gain):
    return gain / np.sqrt(fan_in)


def kaiming_weight(noise, gain):
    W = noise.detach().numpy() * np.float32(kaiming_std(noise.shape[0], gain))
    return torch.from_numpy(W)

## DeepMLP
class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        widths = np.full(n_layers + 1, d_hidden)
        widths[0] = context_size * d_embed
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(
            [nn.Linear(int(a), int(b)) for a, b in np.stack([widths[:-1], widths[1:]], axis=1)]
        )
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden) for _ in range(n_layers * norm)])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = torch.concatenate(
            [self.embedding(contexts[:, i]) for i in range(contexts.shape[1])], axis=-1
        )
        for l in range(len(self.layers)):
            z = self.layers[l](h)
            if len(self.norms) > 0:
                z = self.norms[l](z)
            a = torch.tanh(z)
            if l == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

## residual_backward
def residual_backward(dy, x, W, b, s):
    dy, x, W, b = (value.detach().numpy() for value in (dy, x, W, b))
    a = np.tanh(x @ W + b)
    dz = s * dy * (1 - a**2)
    dx, dW, db = dy + dz @ W.T, x.T @ dz, dz.sum(axis=0)
    return torch.from_numpy(dx), torch.from_numpy(dW), torch.from_numpy(db)

## evaluate
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    losses = []
    with torch.no_grad():
        for contexts, targets in batches:
            logits = model(contexts).numpy()
            top = logits.max(axis=1, keepdims=True)
            log_norm = top[:, 0] + np.log(np.exp(logits - top).sum(axis=1))
            losses.append(log_norm - logits[np.arange(len(logits)), targets.numpy()])
    model.train(was_training)
    return float(np.concatenate(losses).mean())


def perplexity(loss):
    return float(np.exp(loss))

## endless
from itertools import chain, repeat


def endless(loader):
    return chain.from_iterable(repeat(loader))

## saturation
def saturation(activations):
    return [float(np.mean(np.abs(a.detach().numpy()) > 0.97)) for a in activations]


def update_ratio(weight, gradient, learning_rate):
    step = learning_rate * gradient.detach().numpy()
    return float(np.std(step) / np.std(weight.detach().numpy()))


def reading():
    names = ["plain", "batch norm", "residual, s = 1", "residual, s = 1/√50"]
    return dict(zip(names, ["stuck", "stuck", "stuck", "learns"]))

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context = np.zeros(context_size, dtype=np.int64)
    name = []
    while len(name) < max_length:
        logits = model(torch.from_numpy(context[None, :].copy()))[0].numpy().astype(np.float64)
        if temperature == 0:
            i = int(np.argmax(logits))
        else:
            z = logits / temperature
            p = np.exp(z - z.max())
            p /= p.sum()
            u = torch.rand(1, generator=generator).item()
            i = min(int(np.searchsorted(np.cumsum(p), u, side="right")), 26)
        if i == 0:
            break
        name.append(letters[i])
        context = np.append(context[1:], i)
    model.train(was_training)
    return "".join(name)

## train_names_model
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

# %% right: whole notebook with a beginner's loops
## encode
def encode(name):
    ids = []
    for letter in name:
        for i in range(len(ALPHABET)):
            if ALPHABET[i] == letter:
                ids.append(i)
    ids.append(0)
    return ids


def decode(ids):
    name = ""
    for i in ids:
        if i == 0:
            return name
        name = name + ALPHABET[i]
    return name

## build_dataset
def build_dataset(names, context_size):
    contexts = []
    targets = []
    for name in names:
        ids = encode(name)
        for position in range(len(ids)):
            context = []
            for back in range(context_size, 0, -1):
                if position - back < 0:
                    context.append(0)
                else:
                    context.append(ids[position - back])
            contexts.append(torch.tensor(context))
            targets.append(torch.tensor(ids[position]))
    return torch.stack(contexts), torch.stack(targets)

## kaiming_std
def kaiming_std(fan_in, gain):
    return gain / fan_in**0.5


def kaiming_weight(noise, gain):
    rows = []
    for row in noise:
        numbers = []
        for number in row:
            numbers.append(number * kaiming_std(len(noise), gain))
        rows.append(torch.stack(numbers))
    return torch.stack(rows)

## DeepMLP
class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        self.residual = residual
        self.norm = norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        layers = []
        norms = []
        for i in range(n_layers):
            if i == 0:
                layers.append(nn.Linear(context_size * d_embed, d_hidden))
            else:
                layers.append(nn.Linear(d_hidden, d_hidden))
            if norm == True:
                norms.append(nn.BatchNorm1d(d_hidden))
        self.layers = nn.ModuleList(layers)
        self.norms = nn.ModuleList(norms)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        rows = []
        for context in contexts:
            vectors = []
            for letter in context:
                vectors.append(self.embedding(letter))
            rows.append(torch.cat(vectors))
        h = torch.stack(rows)
        for i in range(len(self.layers)):
            z = self.layers[i](h)
            if self.norm:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if i == 0:
                h = a
            elif self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

## residual_backward
def residual_backward(dy, x, W, b, s):
    N = len(x)
    D = len(b)
    dx = torch.zeros(N, D)
    dW = torch.zeros(D, D)
    db = torch.zeros(D)
    for n in range(N):
        for j in range(D):
            z = b[j].item()
            for i in range(D):
                z += x[n, i].item() * W[i, j].item()
            dz = s * dy[n, j].item() * (1 - math.tanh(z) ** 2)
            db[j] += dz
            for i in range(D):
                dx[n, i] += dz * W[i, j].item()
                dW[i, j] += dz * x[n, i].item()
        for i in range(D):
            dx[n, i] += dy[n, i].item()
    return dx, dW, db

## evaluate
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    losses = []
    with torch.no_grad():
        for contexts, targets in batches:
            for i in range(len(targets)):
                logits = model(contexts[i : i + 1])[0]
                loss = torch.logsumexp(logits, 0) - logits[targets[i]]
                losses.append(loss.item())
    if was_training == True:
        model.train()
    return sum(losses) / len(losses)


def perplexity(loss):
    return 2.718281828459045**loss

## endless
def endless(loader):
    iterator = iter(loader)
    while True:
        try:
            batch = next(iterator)
        except StopIteration:
            iterator = iter(loader)
            batch = next(iterator)
        yield batch

## saturation
def saturation(activations):
    shares = []
    for a in activations:
        count = 0
        numbers = a.flatten().tolist()
        for number in numbers:
            if number > 0.97 or number < -0.97:
                count += 1
        shares.append(count / len(numbers))
    return shares


def std(numbers):
    mean = sum(numbers) / len(numbers)
    total = 0
    for number in numbers:
        total += (number - mean) ** 2
    return (total / (len(numbers) - 1)) ** 0.5


def update_ratio(weight, gradient, learning_rate):
    step = [learning_rate * number for number in gradient.flatten().tolist()]
    return std(step) / std(weight.flatten().tolist())


def reading():
    answer = {}
    answer["plain"] = "stuck"
    answer["batch norm"] = "stuck"
    answer["residual, s = 1"] = "stuck"
    answer["residual, s = 1/√50"] = "learns"
    return answer

## generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context = []
    for i in range(context_size):
        context.append(0)
    name = ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0].tolist()
        if temperature == 0:
            letter = logits.index(max(logits))
        else:
            largest = max(logits)
            weights = []
            for logit in logits:
                weights.append(math.exp((logit - largest) / temperature))
            luck = torch.rand(1, generator=generator).item() * sum(weights)
            letter = 0
            while luck >= weights[letter] and letter < 26:
                luck = luck - weights[letter]
                letter = letter + 1
        if letter == 0:
            break
        name = name + ALPHABET[letter]
        context.append(letter)
        context.pop(0)
    if was_training:
        model.train()
    return name

## train_names_model
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
