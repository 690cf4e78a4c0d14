# wrong: puts the newest letter in front
# fails: build_dataset
# told: The newest letter comes first

# %% build_dataset
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
