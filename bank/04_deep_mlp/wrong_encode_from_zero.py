# wrong: a has id 0
# fails: encode
# told: The ids start at 1

# %% encode
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
