"""build_dataset, 2 points: names to examples."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"

task = Task("build_dataset", by_hand="NamesDataset")
f = task.function(unchanged=True)
f.look("the four examples of abe", ["abe"], 2)
f.look("the context starts afresh with every name", ["ab", "e"], 2)
f.look("both are int64", ["ab"], 2, of=lambda parts: [str(part.dtype) for part in parts])
f.look("a context longer than the name", ["e"], 3)


def names():
    words = ["".join(LETTERS[i] for i in row[: 3 + n]) for n, row in enumerate(sample_ids(26, 6, 10, seed=12).tolist())]
    return [*words, "ab", "ab", words[4] + words[5]]


f.case("nine names, contexts of one letter", lambda: (names(), 1))
f.case("nine names, contexts of three letters", lambda: (names(), 3))
f.case("nine names, contexts of five letters", lambda: (names(), 5))

# %% mistakes
mistake("The zeros stand on the right: pad on the left, so that the last letter is always the last id.",
        {"contexts.append(context)": "contexts.append([i for i in context if i] + [0] * context.count(0))"})
mistake("All rows are the last context: is one list stored, then changed in place? Store a copy.", {"context = context[1:] + [i]": "context[:] = context[1:] + [i]"})
mistake("The newest letter comes first in your contexts. Append it at the end.", {"context[1:] + [i]": "[i] + context[:-1]"})
mistake("The example of the final dot is missing: a model has to learn where names end.", {'name + "."': "name"})
mistake("The target is already part of its context: append it after you have stored the example.",
        {"            contexts.append(context)\n": "", "            context = context[1:] + [i]": "            context = context[1:] + [i]\n            contexts.append(context)"})
mistake("The first examples are missing: contexts with fewer than C letters are padded with 0.",
        {"    return": "    kept = [k for k, context in enumerate(contexts) if 0 not in context]\n    contexts, targets = [contexts[k] for k in kept], [targets[k] for k in kept]\n    return"})
mistake("You padded with 1, which is a. Pad with 0, the dot.", {"[0] * context_size": "[1] * context_size"})
mistake("Targets have shape (N,), one id each.", returns="torch.tensor(contexts), torch.tensor(targets)[:, None]")
mistake("The final dot is missing among the targets.", returns="torch.tensor(contexts), torch.tensor([i for i in targets if i])")
mistake("These are the contexts. The targets come second.", returns="torch.tensor(targets), torch.tensor(contexts)")
mistake("These are the contexts. The targets come second.", returns="torch.tensor(contexts), torch.tensor(contexts)")
mistake("The second name still sees the first one. Reset the context to zeros for each name.",
        {"        context = [0] * context_size\n": "", "contexts, targets = [], []": "contexts, targets, context = [], [], [0] * context_size"})
whole = "Ids are whole numbers: make int64 tensors (torch.long), which nn.Embedding and cross_entropy take."
mistake(whole, returns="torch.tensor(contexts, dtype=torch.float32), torch.tensor(targets)")
mistake(whole, returns="torch.tensor(contexts, dtype=torch.int32), torch.tensor(targets, dtype=torch.int32)")
mistake("Each context has context_size ids, here 3. Is another number written into your code, or is a short name not padded?", {"[0] * context_size": "[0] * 2"})
mistake("A name that comes twice makes its examples twice: leave none out.", {"in names": "in dict.fromkeys(names)"})

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

# %% right: tensors filled row by row
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

# %% right: ARENA
from torch import Tensor


def build_dataset(names: list[str], context_size: int) -> tuple[Tensor, Tensor]:
    contexts: list[list[int]] = []
    targets: list[int] = []
    for name in names:
        padded = [0] * context_size + encode(name)
        for i in range(len(name) + 1):
            contexts.append(padded[i : i + context_size])
            targets.append(padded[i + context_size])
    X = torch.tensor(contexts, dtype=torch.int64)
    Y = torch.tensor(targets, dtype=torch.int64)
    assert X.shape == (len(Y), context_size)
    return X, Y

# %% right: CS231n
def build_dataset(names, context_size):
    X, y = [], []
    for name in names:
        window = [0] * context_size
        for ix in encode(name):
            X.append(list(window))
            y.append(ix)
            window.append(ix)
            window.pop(0)
    return torch.LongTensor(X), torch.LongTensor(y)

# %% right: makemore
stoi = {s:i for i,s in enumerate(ALPHABET)}

def build_dataset(words, block_size):
  X, Y = [], []
  for w in words:
    context = [0] * block_size
    for ch in w + '.':
      ix = stoi[ch]
      X.append(context)
      Y.append(ix)
      context = context[1:] + [ix] # crop and append
  X = torch.tensor(X)
  Y = torch.tensor(Y)
  return X, Y

# %% right: torch source
def build_dataset(names, context_size):
    contexts = []
    targets = []
    for name in names:
        ids = torch.tensor(encode(name), dtype=torch.long)
        padded = F.pad(ids, (context_size, 0), value=0)
        contexts.append(padded[:-1].unfold(0, context_size, 1))
        targets.append(ids)
    return torch.cat(contexts, dim=0), torch.cat(targets, dim=0)

# %% right: numpy first
import numpy as np


def build_dataset(names, context_size):
    windows = []
    for name in names:
        padded = np.concatenate([np.zeros(context_size, dtype=np.int64), encode(name)])
        windows.append(np.lib.stride_tricks.sliding_window_view(padded, context_size + 1))
    windows = np.concatenate(windows)
    return torch.from_numpy(windows[:, :-1].copy()), torch.from_numpy(windows[:, -1].copy())

# %% right: plain loops
def build_dataset(names, context_size):
    contexts = []
    targets = []
    for name in names:
        ids = encode(name)
        for position in range(len(ids)):
            context = []
            for back in range(context_size, 0, -1):
                if position - back < 0:
                    context.append(0)
                else:
                    context.append(ids[position - back])
            contexts.append(torch.tensor(context))
            targets.append(torch.tensor(ids[position]))
    return torch.stack(contexts), torch.stack(targets)
