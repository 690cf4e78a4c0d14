# wrong: leaves models in evaluation mode, in two tasks
# fails: evaluate, generate
# told: You left it in evaluation mode

# %% evaluate
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


# %% generate
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
