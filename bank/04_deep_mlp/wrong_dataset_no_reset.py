# wrong: never resets the context
# fails: build_dataset
# told: The second name still sees the first one

# %% build_dataset
def build_dataset(names, context_size):
    """All examples of a list of names, name after name, from the first letter to the final dot.

    returns: (contexts (N, context_size), targets (N,)), both int64
    """
    contexts, targets = [], []
    context = [0] * context_size
    for name in names:
        for letter in name + ".":
            i = ALPHABET.index(letter)
            contexts.append(context)
            targets.append(i)
            context = context[1:] + [i]
    return torch.tensor(contexts), torch.tensor(targets)
