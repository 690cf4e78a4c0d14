# right: batch means weighted by the size of the batch, the mode restored in finally

# %% evaluate
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


# %% endless
def endless(loader):
    iterator = iter(loader)
    while True:
        try:
            batch = next(iterator)
        except StopIteration:
            iterator = iter(loader)
            continue
        yield batch
