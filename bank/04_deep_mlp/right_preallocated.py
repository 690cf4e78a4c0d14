# right: tensors filled row by row

# %% build_dataset
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


# %% evaluate
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
