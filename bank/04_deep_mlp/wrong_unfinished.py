# wrong: stops after the third task
# fails: residual_backward, evaluate, endless, saturation, generate, train_names_model
# told: TODO

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
