# wrong: puts the 0 in front
# fails: encode
# told: The 0 stands in front

# %% encode
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
