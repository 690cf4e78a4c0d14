# wrong: changes the stored list in place
# fails: build_dataset
# told: All rows are the same list

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
            context.pop(0)
            context.append(i)
    return torch.tensor(contexts), torch.tensor(targets)
