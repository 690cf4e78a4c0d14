# right: letters and ids in two dictionaries; names cut with partition

# %% encode
stoi = {letter: i for i, letter in enumerate(ALPHABET)}
itos = {i: letter for letter, i in stoi.items()}


def encode(name):
    return [stoi[letter] for letter in name] + [0]


def decode(ids):
    return "".join(itos[int(i)] for i in ids).partition(".")[0]


# %% build_dataset
def build_dataset(names, context_size):
    X, Y = [], []
    for name in names:
        padded = [0] * context_size + encode(name)
        for end in range(context_size, len(padded)):
            X.append(padded[end - context_size:end])
            Y.append(padded[end])
    return torch.tensor(X), torch.tensor(Y)
