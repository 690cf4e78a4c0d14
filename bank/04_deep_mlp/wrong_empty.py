# wrong: hands the notebook in as it was given out
# fails: encode, build_dataset, kaiming_std, DeepMLP, residual_backward, evaluate, endless, saturation, generate, train_names_model
# told: TODO

# %% encode
def encode(name):
    """Ids of a name's letters, then 0. name: letters a-z -> list of len(name) + 1 ints"""
    raise NotImplementedError("TODO: write your solution here")


def decode(ids):
    """The name that a list of ids spells, up to the first 0. ids: list of ints -> str"""
    raise NotImplementedError("TODO: write your solution here")


# %% build_dataset
def build_dataset(names, context_size):
    """All examples of a list of names, name after name, from the first letter to the final dot.

    returns: (contexts (N, context_size), targets (N,)), both int64
    """
    raise NotImplementedError("TODO: write your solution here")


# %% kaiming_std
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    raise NotImplementedError("TODO: write your solution here")


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    raise NotImplementedError("TODO: write your solution here")


# %% DeepMLP
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


# %% residual_backward
def residual_backward(dy, x, W, b, s):
    """Gradients of y = x + s tanh(x W + b).

    dy, x: (N, D); W: (D, D); b: (D,); s: a number
    returns: dx (N, D), dW (D, D), db (D,)
    """
    raise NotImplementedError("TODO: write your solution here")


# %% evaluate
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    raise NotImplementedError("TODO: write your solution here")


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    raise NotImplementedError("TODO: write your solution here")


# %% endless
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew. loader: iterable -> iterator"""
    raise NotImplementedError("TODO: write your solution here")


# %% saturation
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


# %% generate
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    raise NotImplementedError("TODO: write your solution here")


# %% train_names_model
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    raise NotImplementedError("TODO: write your solution here")
