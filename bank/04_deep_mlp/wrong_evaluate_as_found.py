# wrong: all three bugs left in
# fails: evaluate
# told: mean of batch means

# %% evaluate
def evaluate(model, batches):
    model.eval()
    losses = []
    for contexts, targets in batches:
        losses.append(F.cross_entropy(model(contexts), targets).item())
    return sum(losses) / len(losses)


def perplexity(loss):
    return math.exp(loss)
