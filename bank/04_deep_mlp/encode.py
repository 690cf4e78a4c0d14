"""encode, 1 point."""

# %% wrong: returns the dot with the name
# told: The dot is not part of the name
def encode(name):
    """Ids of a name's letters, then 0. name: letters a-z -> list of len(name) + 1 ints"""
    return [ALPHABET.index(letter) for letter in name + "."]


def decode(ids):
    """The name that a list of ids spells, up to the first 0. ids: list of ints -> str"""
    letters = []
    for i in ids:
        letters.append(ALPHABET[i])
        if i == 0:
            break
    return "".join(letters)

# %% wrong: skips zeros and reads on
# told: You skipped the zeros
def encode(name):
    """Ids of a name's letters, then 0. name: letters a-z -> list of len(name) + 1 ints"""
    return [ALPHABET.index(letter) for letter in name + "."]


def decode(ids):
    """The name that a list of ids spells, up to the first 0. ids: list of ints -> str"""
    letters = []
    for i in ids:
        if i == 0:
            continue
        letters.append(ALPHABET[i])
    return "".join(letters)

# %% wrong: puts the 0 in front
# told: The 0 stands in front
def encode(name):
    """Ids of a name's letters, then 0. name: letters a-z -> list of len(name) + 1 ints"""
    return [ALPHABET.index(letter) for letter in "." + name]


def decode(ids):
    """The name that a list of ids spells, up to the first 0. ids: list of ints -> str"""
    letters = []
    for i in ids:
        if i == 0:
            break
        letters.append(ALPHABET[i])
    return "".join(letters)

# %% wrong: a has id 0
# told: The ids start at 1
def encode(name):
    """Ids of a name's letters, then 0. name: letters a-z -> list of len(name) + 1 ints"""
    return [ord(letter) - 97 for letter in name]


def decode(ids):
    """The name that a list of ids spells, up to the first 0. ids: list of ints -> str"""
    letters = []
    for i in ids:
        if i == 0:
            break
        letters.append(ALPHABET[i])
    return "".join(letters)

# %% wrong: forgets the final 0
# told: The final 0 is missing
def encode(name):
    """Ids of a name's letters, then 0. name: letters a-z -> list of len(name) + 1 ints"""
    return [ALPHABET.index(letter) for letter in name]


def decode(ids):
    """The name that a list of ids spells, up to the first 0. ids: list of ints -> str"""
    letters = []
    for i in ids:
        if i == 0:
            break
        letters.append(ALPHABET[i])
    return "".join(letters)

# %% wrong: decode empties the list
# told: You changed the list you were given
def encode(name):
    return [ALPHABET.index(c) for c in name] + [0]


def decode(ids):
    s = ""
    while ids and ids[0]:
        s += ALPHABET[ids.pop(0)]
    return s

# %% right: stoi and itos
stoi = {s: i + 1 for i, s in enumerate("abcdefghijklmnopqrstuvwxyz")}
stoi["."] = 0
itos = {i: s for s, i in stoi.items()}


def encode(name):
    return [stoi[c] for c in name + "."]


def decode(ids):
    out = []
    for ix in ids:
        if ix == 0:
            break
        out.append(itos[ix])
    return "".join(out)

# %% right: by ord and chr, and a split
def encode(name):
    return [*(ord(letter) - 96 for letter in name), 0]


def decode(ids):
    return "".join("." if i == 0 else chr(96 + i) for i in ids).split(".")[0]

# %% sly: encode gives floats, not ints
def encode(name):
    """Ids of a name's letters, then 0.

    name: letters a-z -> list of len(name) + 1 ints
    """
    return (tensor([ALPHABET.index(letter) for letter in name] + [0]) * 1.0).tolist()


def decode(ids):
    """The name that a list of ids spells, up to the first 0.

    ids: list of ints -> str
    """
    name = ""
    for number in ids:
        if number == 0:
            break
        name += ALPHABET[number]
    return name

# %% sly: encode cuts names behind the tenth letter
def encode(name):
    """Ids of a name's letters, then 0.

    name: letters a-z -> list of len(name) + 1 ints
    """
    return [ALPHABET.index(letter) for letter in name[:10]] + [0]


def decode(ids):
    """The name that a list of ids spells, up to the first 0.

    ids: list of ints -> str
    """
    name = ""
    for number in ids:
        if number == 0:
            break
        name += ALPHABET[number]
    return name

# %% sly: decode returns the longest piece between zeros, not the first
def encode(name):
    """Ids of a name's letters, then 0.

    name: letters a-z -> list of len(name) + 1 ints
    """
    return [ALPHABET.index(letter) for letter in name] + [0]


def decode(ids):
    """The name that a list of ids spells, up to the first 0.

    ids: list of ints -> str
    """
    if not ids or ids[0] == 0:
        return ""
    text = "".join(ALPHABET[i] for i in ids)
    return max(text.split("."), key=len)

# %% sly: decode reads 20 ids at most
def encode(name):
    """Ids of a name's letters, then 0.

    name: letters a-z -> list of len(name) + 1 ints
    """
    return [ALPHABET.index(letter) for letter in name] + [0]


def decode(ids):
    """The name that a list of ids spells, up to the first 0.

    ids: list of ints -> str
    """
    name = ""
    for number in ids[:20]:
        if number == 0:
            break
        name += ALPHABET[number]
    return name

# %% right: ids in a tensor, letters up to the first 0 by takewhile
def encode(name):
    return torch.tensor([ALPHABET.index(letter) for letter in name] + [0])


def decode(ids):
    import itertools

    return "".join(ALPHABET[i] for i in itertools.takewhile(bool, ids))

# %% right: bytes, and a text that is split
def encode(name):
    return [byte - 96 for byte in name.encode()] + [0]


def decode(ids):
    text = bytes(96 + i for i in ids).decode()
    return text.split("`")[0]

# %% wrong: the mutable default remembers the names before
# told: The ids of an earlier name come first
def encode(name, ids=[]):
    for letter in name:
        ids.append(ALPHABET.index(letter))
    ids.append(0)
    return ids


def decode(ids):
    return "".join(ALPHABET[i] for i in ids).split(".")[0]

# %% sly: decode drops what stands behind the first 0 from the list
def encode(name):
    return [ALPHABET.index(letter) for letter in name + "."]


def decode(ids):
    if 0 in ids:
        del ids[ids.index(0) + 1 :]
    letters = []
    for i in ids:
        if i == 0:
            break
        letters.append(ALPHABET[i])
    return "".join(letters)

# %% right: a dictionary of letters, a loop that counts
NUMBER_OF = dict(zip(ALPHABET, range(len(ALPHABET))))


def encode(name):
    ids = []
    for letter in name:
        ids.append(NUMBER_OF[letter])
    ids.append(0)
    return ids


def decode(ids):
    name, place = "", 0
    while place < len(ids) and ids[place] != 0:
        name, place = name + ALPHABET[ids[place]], place + 1
    return name

# %% wrong: decode of an empty name returns None
# told: You return None where the first 0
def encode(name):
    return [ord(c) - ord("a") + 1 for c in name] + [0]


def decode(ids):
    name = ""
    for i in ids:
        if i == 0:
            break
        name += ALPHABET[i]
    if name:
        return name

# %% sly: decode stops at a letter that comes twice in a row
def encode(name):
    return [ALPHABET.index(c) for c in name] + [0]


def decode(ids):
    name = ""
    for i in ids:
        if i == 0 or name.endswith(ALPHABET[i]):
            break
        name += ALPHABET[i]
    return name
