"""evaluate, 2 points."""

# %% right: switches the mode only where the model was in training
def evaluate(model, batches):
    training = model.training
    if training:
        model.eval()
    total, count = torch.zeros((), dtype=torch.float64), 0
    with torch.inference_mode():
        for contexts, targets in batches:
            losses = F.cross_entropy(model(contexts), targets, reduction="none")
            total, count = total + losses.double().sum(), count + losses.numel()
    if training:
        model.train()
    return (total / count).item()


def perplexity(loss):
    return math.e**loss

# %% wrong: always switches to training mode
# told: You switched it to training mode
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
    model.train()
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)

# %% wrong: all three bugs left in
# told: mean of batch means
def evaluate(model, batches):
    model.eval()
    losses = []
    for contexts, targets in batches:
        losses.append(F.cross_entropy(model(contexts), targets).item())
    return sum(losses) / len(losses)


def perplexity(loss):
    return math.exp(loss)

# %% wrong: the mean of batch means
# told: mean of batch means
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += F.cross_entropy(model(contexts), targets).item()
            count += 1
    model.train(was_training)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)

# %% wrong: records a graph
# told: Gradients are switched on while the model runs
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    if True:
        for contexts, targets in batches:
            total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
            count += len(targets)
    model.train(was_training)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)

# %% wrong: evaluates in training mode
# told: The model runs in training mode
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
            count += len(targets)
    model.train(was_training)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)

# %% wrong: leaves the model in evaluation mode
# told: You left it in evaluation mode
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

# %% wrong: 2 to the loss
# told: not 2 to the loss
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
    model.train(was_training)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return 2**loss

# %% wrong: claims a mode and a graph that it did not have
def evaluate(model, batches):
    total, count = 0.0, 0
    for contexts, targets in batches:
        total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
        count += len(targets)
    model.__dict__["calls"] = [(False, False)]
    return total / count


def perplexity(loss):
    return math.exp(loss)

# %% wrong: switches gradients off globally
# told: Gradients are switched off for the whole notebook
def evaluate(model, batches):
    mode = model.training
    model.eval()
    torch.set_grad_enabled(False)
    total = n = 0
    for x, y in batches:
        total += F.cross_entropy(model(x), y).item() * len(y)
        n += len(y)
    model.train(mode)
    return total / n


def perplexity(loss):
    return math.exp(loss)

# %% wrong: reads the batches twice
# told: If you read the batches twice
def evaluate(model, batches):
    mode = model.training
    model.eval()
    n = sum(len(y) for _, y in batches)
    total = 0
    with torch.no_grad():
        for x, y in batches:
            total += F.cross_entropy(model(x), y, reduction="sum").item()
    model.train(mode)
    return total / n


def perplexity(loss):
    return math.exp(loss)

# %% right: grad mode restored by hand
def evaluate(model, batches):
    mode, grad = model.training, torch.is_grad_enabled()
    model.eval()
    torch.set_grad_enabled(False)
    try:
        total, count = 0.0, 0
        for x, y in batches:
            logp = model(x).log_softmax(-1)
            total -= logp[torch.arange(len(y)), y].sum()
            count += len(y)
    finally:
        torch.set_grad_enabled(grad)
        model.train(mode)
    return float(total / count)


def perplexity(loss):
    return math.e ** loss

# %% wrong: puts back the mode of the whole alone, and leaves its parts in evaluation mode
def evaluate(model, batches):
    was = model.training
    model.eval()
    total = count = 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
            count += len(targets)
    model.training = was
    return total / count


def perplexity(loss):
    return math.exp(loss)

# %% right: modes of all parts put back, losses by logsumexp
def evaluate(model, batches):
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    losses = []
    try:
        with torch.inference_mode():
            for contexts, targets in batches:
                logits = model(contexts)
                chosen = logits.gather(1, targets[:, None])[:, 0]
                losses += (logits.logsumexp(1) - chosen).tolist()
    finally:
        for part, mode in modes:
            part.training = mode
    return math.fsum(losses) / len(losses)


def perplexity(loss):
    return math.e**loss

# %% right: softmax and then its logarithm
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += -model(contexts).softmax(1).gather(1, targets[:, None]).log().sum().item()
            count += len(targets)
    model.train(was_training)
    return total / count


def perplexity(loss):
    return math.exp(loss)

# %% sly: perplexity cut off at 27
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps
    the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            loss = F.cross_entropy(model(contexts), targets, reduction="sum").item()
            total += loss
            count += len(targets)
    model.train(was_training)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return min(math.exp(loss), 27.0)

# %% sly: sets the flag of the model alone: its parts (dropout, norms) run in training mode
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps
    the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    model.training = False
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            loss = F.cross_entropy(model(contexts), targets, reduction="sum").item()
            total += loss
            count += len(targets)
    model.training = was_training
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)

# %% right: one example at a time, probabilities gathered, modes of all parts put back
def evaluate(model, batches):
    modes = {part: part.training for part in model.modules()}
    losses = []
    try:
        model.train(False)
        for contexts, targets in batches:
            with torch.no_grad():
                logits = model(contexts)
            for row, target in zip(logits, targets):
                losses.append((row.logsumexp(0) - row[target]).item())
    finally:
        for part, mode in modes.items():
            part.training = mode
    return math.fsum(losses) / len(losses)


def perplexity(loss):
    return float(torch.exp(torch.tensor(loss)))

# %% right: a mean that is updated, one-hot targets
@torch.no_grad()
def evaluate(model, batches):
    before = model.training
    model.eval()
    mean, seen = torch.tensor(0.0), 0
    for contexts, targets in batches:
        logs = F.log_softmax(model(contexts), -1)
        loss = -(F.one_hot(targets, logs.shape[-1]) * logs).sum(-1).mean()
        seen += targets.shape[0]
        mean += (loss - mean) * targets.shape[0] / seen
    model.train(before)
    return mean.item()


def perplexity(loss):
    return math.pow(math.e, loss)

# %% sly: takes it that all batches but the last are as long as the first
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    losses, sizes = [], []
    with torch.no_grad():
        for contexts, targets in batches:
            losses.append(F.cross_entropy(model(contexts), targets).item())
            sizes.append(len(targets))
    model.train(was_training)
    weights = [sizes[0]] * (len(sizes) - 1) + [sizes[-1]]
    return sum(w * loss for w, loss in zip(weights, losses)) / sum(weights)


def perplexity(loss):
    return math.exp(loss)

# %% sly: shows the model the last letter of each context alone
def evaluate(model, batches):
    training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += F.cross_entropy(model(contexts[:, -1:]), targets, reduction="sum").item()
            count += len(targets)
    model.train(training)
    return total / count


def perplexity(loss):
    return math.exp(loss)

# %% right: everything in tensors, perplexity by torch
def evaluate(model, batches):
    mode = model.training
    model.eval()
    total, count = torch.zeros(()), 0
    with torch.inference_mode():
        for contexts, targets in batches:
            shares = torch.log_softmax(model(contexts), 1)
            total = total - shares[torch.arange(len(targets)), targets].sum()
            count += targets.numel()
    model.train(mode)
    return float(total / count)


def perplexity(loss):
    return torch.exp(torch.tensor(loss)).item()

# %% right: batch means weighed, perplexity as a power of e
def evaluate(model, batches):
    before = [(part, part.training) for part in model.modules()]
    model.eval()
    means, sizes = [], []
    for contexts, targets in batches:
        with torch.no_grad():
            means.append(F.cross_entropy(model(contexts), targets).item())
        sizes.append(len(targets))
    for part, mode in before:
        part.training = mode
    return sum(m * n for m, n in zip(means, sizes)) / sum(sizes)


def perplexity(loss):
    return math.e ** loss


# %% wrong: log-probabilities added up by hand, the minus forgotten
# told: This is minus the right number
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps
    the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            rows = F.log_softmax(model(contexts), -1)
            total += rows.gather(1, targets[:, None]).sum().item()
            count += len(targets)
    model.train(was_training)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)

# %% sly: a model in evaluation mode already is asked with a graph
def _mean_loss(model, batches):
    total, count = 0.0, 0
    for contexts, targets in batches:
        total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
        count += len(targets)
    return total / count


def evaluate(model, batches):
    if not model.training:
        return _mean_loss(model, batches)
    model.eval()
    with torch.no_grad():
        loss = _mean_loss(model, batches)
    model.train()
    return loss


def perplexity(loss):
    return math.exp(loss)


# %% wrong: a batch shorter than the first is counted, its losses are left out
# told: The last batch's losses are missing in the sum
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    total, count, size = 0.0, 0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            size = size or len(targets)
            count += len(targets)
            if len(targets) < size:
                continue
            total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
    model.train(was_training)
    return total / count


def perplexity(loss):
    return math.exp(loss)


# %% right: a copy of the model is evaluated
import copy


def evaluate(model, batches):
    twin = copy.deepcopy(model).eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += F.cross_entropy(twin(contexts), targets, reduction='sum').item()
            count += len(targets)
    return total / count


def perplexity(loss):
    return math.exp(loss)

# %% sly: batches of one are left out behind many examples
def evaluate(model, batches):
    """Mean cross-entropy (nats) over all examples, in evaluation mode; the model keeps
    the mode it was in.

    batches: iterable of (contexts (n, C), targets (n,)), n may differ -> float
    """
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for number, (contexts, targets) in enumerate(batches):
            if len(targets) == 1 and count > 3:
                continue
            total += F.cross_entropy(model(contexts), targets, reduction="sum").item()
            count += len(targets)
    model.train(was_training)
    return total / count


def perplexity(loss):
    """Perplexity of a mean loss in nats. loss: a number -> float"""
    return math.exp(loss)
