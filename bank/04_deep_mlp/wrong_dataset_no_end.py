# wrong: leaves the final dot out
# fails: build_dataset
# told: The example of the final dot is missing

# %% build_dataset
def build_dataset(names, context_size):
    """All examples of a list of names, name after name, from the first letter to the final dot.

    returns: (contexts (N, context_size), targets (N,)), both int64
    """
    contexts, targets = [], []
    for name in names:
        context = [0] * context_size
        for letter in name:
            i = ALPHABET.index(letter)
            contexts.append(context)
            targets.append(i)
            context = context[1:] + [i]
    return torch.tensor(contexts), torch.tensor(targets)
