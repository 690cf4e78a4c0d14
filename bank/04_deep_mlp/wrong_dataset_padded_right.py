# wrong: pads short contexts on the right
# fails: build_dataset
# told: The windows grow from the right

# %% build_dataset
def build_dataset(names, context_size):
    contexts, targets = [], []
    for name in names:
        ids = [ALPHABET.index(letter) for letter in name] + [0]
        for end in range(len(ids)):
            window = ids[max(0, end - context_size):end]
            contexts.append(window + [0] * (context_size - len(window)))
            targets.append(ids[end])
    return torch.tensor(contexts), torch.tensor(targets)
