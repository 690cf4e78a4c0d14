# wrong: evaluates in training mode
# fails: evaluate
# told: The model runs in training mode

# %% evaluate
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
