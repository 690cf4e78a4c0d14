"""build_dataset, 2 points."""

# %% wrong: returns float contexts
# told: got dtype float32
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
            context = context[1:] + [i]
    return torch.tensor(contexts, dtype=torch.float32), torch.tensor(targets)

# %% wrong: puts the newest letter in front
# told: The newest letter comes first
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

# %% wrong: leaves the final dot out
# told: The example of the final dot is missing
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

# %% wrong: never resets the context
# told: The second name still sees the first one
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

# %% wrong: pads short contexts on the right
# told: The zeros stand on the right
def build_dataset(names, context_size):
    contexts, targets = [], []
    for name in names:
        ids = [ALPHABET.index(letter) for letter in name] + [0]
        for end in range(len(ids)):
            window = ids[max(0, end - context_size):end]
            contexts.append(window + [0] * (context_size - len(window)))
            targets.append(ids[end])
    return torch.tensor(contexts), torch.tensor(targets)

# %% wrong: the target is part of its context
# told: The target is already part of its context
def build_dataset(names, context_size):
    """All examples of a list of names, name after name, from the first letter to the final dot.

    returns: (contexts (N, context_size), targets (N,)), both int64
    """
    contexts, targets = [], []
    for name in names:
        context = [0] * context_size
        for letter in name + ".":
            i = ALPHABET.index(letter)
            context = context[1:] + [i]
            contexts.append(context)
            targets.append(i)
    return torch.tensor(contexts), torch.tensor(targets)

# %% wrong: changes the stored list in place
# told: All rows are the last context
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

# %% wrong: int32
# told: Ids are whole numbers
def build_dataset(names, context_size):
    X, Y = [], []
    for w in names:
        context = [0] * context_size
        for ch in w + ".":
            ix = ALPHABET.index(ch)
            X.append(context)
            Y.append(ix)
            context = context[1:] + [ix]
    return torch.tensor(X, dtype=torch.int32), torch.tensor(Y, dtype=torch.int32)

# %% right: padded strings
def build_dataset(names, context_size):
    rows = []
    for name in names:
        ids = [0] * context_size + encode(name)
        rows += [ids[i:i + context_size + 1] for i in range(len(name) + 1)]
    data = torch.tensor(rows)
    return data[:, :-1], data[:, -1]

# %% right: all letters in one row, windows by unfold
def build_dataset(names, context_size):
    contexts, targets = [], []
    for name in names:
        ids = torch.tensor([ALPHABET.index(letter) for letter in "." * context_size + name + "."])
        windows = ids.unfold(0, context_size + 1, 1)
        contexts.append(windows[:, :-1])
        targets.append(windows[:, -1])
    return torch.cat(contexts), torch.cat(targets)

# %% wrong: equal names count once
def build_dataset(names, context_size):
    contexts, targets = [], []
    for name in dict.fromkeys(names):
        context = [0] * context_size
        for letter in name + ".":
            i = ALPHABET.index(letter)
            contexts.append(context)
            targets.append(i)
            context = context[1:] + [i]
    return torch.tensor(contexts), torch.tensor(targets)

# %% sly: names are cut after 15 ids: the dot of long names is missing
def build_dataset(names, context_size):
    """All examples of a list of names, name after name, from the first letter to the
    final dot.

    returns: (contexts (N, context_size), targets (N,)), both int64
    """
    contexts, targets = [], []
    for name in names:
        context = [0] * context_size
        for target in ([ALPHABET.index(letter) for letter in name] + [0])[:15]:
            contexts.append(context)
            targets.append(target)
            context = context[1:] + [target]
    return tensor(contexts), tensor(targets)

# %% right: a deque that forgets
def build_dataset(names, context_size):
    import collections

    rows, answers = [], []
    for name in names:
        window = collections.deque([0] * context_size, maxlen=context_size)
        for letter in (*name, "."):
            rows.append(tuple(window))
            answers.append(ALPHABET.index(letter))
            window.append(answers[-1])
    return torch.tensor(rows, dtype=torch.int64), torch.tensor(answers)

# %% right: columns instead of rows: each column is the targets moved by a step
def build_dataset(names, context_size):
    targets = tensor([i for name in names for i in encode(name)], dtype=torch.long)
    place = tensor(
        [n for name in names for n in range(len(name) + 1)], dtype=torch.long
    )
    rows = torch.arange(len(targets))
    contexts = torch.zeros(len(targets), context_size, dtype=torch.long)
    for back in range(1, context_size + 1):
        known = place >= back
        contexts[known, -back] = targets[rows[known] - back]
    return contexts, targets

# %% right: tensors written place by place into zeros
def build_dataset(names, context_size):
    total = sum(len(name) + 1 for name in names)
    contexts = torch.zeros(total, context_size, dtype=torch.int64)
    targets = torch.zeros(total, dtype=torch.int64)
    row = 0
    for name in names:
        ids = torch.tensor([ALPHABET.index(letter) for letter in name], dtype=torch.long)
        for n in range(len(ids) + 1):
            seen = ids[max(0, n - context_size) : n]
            if len(seen):
                contexts[row, -len(seen) :] = seen
            if n < len(ids):
                targets[row] = ids[n]
            row += 1
    return contexts, targets
