"""encode, 1 point: names to ids and back."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"

task = Task("encode")
e, d = task.function("encode"), task.function("decode", unchanged=True)


@task.probe("the same name twice: the second answer is as long as the first", 0, shown='len(encode("abe")) - len(encode("abe"))')
def _(encode):
    return len(encode("abe")) - len(encode("abe"))


e.look("encode a name", "abe", of=list)
d.look("decode goes back", [1, 2, 5, 0])
d.look("decode stops at the first 0", [1, 2, 5, 0, 0, 7])
d.look("decode reads ids without a 0 to their end", [26, 15, 5])
d.look("decode an empty name", [0, 3])
e.look("letters from a to z", "az", of=list)
d.look("a letter twice in a row", [1, 14, 14, 1, 0])


def names():
    return ["".join(LETTERS[i] for i in row) for row in sample_ids(26, 5, 12, seed=11).tolist()]


@task.probe("names of twelve letters, and the alphabet", drawn=True)
def _(encode):
    return [list(encode(name)) for name in [*names(), LETTERS]]


@task.probe("the same names, there and back", drawn=True)
def _(encode, decode):
    return [decode(encode(name)) for name in [*names(), LETTERS]]


@task.probe("ids with zeros in the middle, and without any", drawn=True)
def _(decode):
    rows = [[1 + LETTERS.index(letter) for letter in name] for name in names()]
    return [[decode(row[:3] + [0] + row[3:] + [0]), decode(row[:7] + [0] + row[7:]), decode(row)] for row in rows]


# %% mistakes
IDS = "[ALPHABET.index(letter) for letter in {}]"
mistake("The ids start at 1: 0 belongs to the dot.", of="encode", returns="[ord(letter) - 97 for letter in name] + [0]")
mistake("The ids start at 1, and a final 0 ends the name.", of="encode", returns="[ord(letter) - 97 for letter in name]")
mistake("The final 0 is missing: without it a model never learns where names end.", of="encode", returns=IDS.format("name"))
mistake("There is a 0 in front. The padding comes with the contexts; encode only ends the name.", of="encode", returns=IDS.format("'.' + name + '.'"))
mistake("The 0 stands in front. It belongs to the end of the name.", of="encode", returns=IDS.format("'.' + name"))
mistake("Only the 0 is there. The ids of the letters come before it.", of="encode", returns="[0]")
mistake("The ids of an earlier name come first: a list made once (`ids=[]` in the def line) remembers them. Make a new one in each call.",
        {"def encode(name):": "def encode(name, ids=[]):"}, of="encode", returns="ids.extend(ALPHABET.index(letter) for letter in name + '.') or ids")
mistake("The ids come in the order of the letters.", of="encode", returns=IDS.format("name[::-1] + '.'"))
mistake("Letters have the ids 1 to 26: z has 26.", of="encode", returns="[ALPHABET.index(letter) % 26 for letter in name] + [0]")
mistake("The dot is not part of the name: stop before it.", {"        if i == 0:\n            break\n": "",
        "letters.append(ALPHABET[i])": "letters.append(ALPHABET[i])\n        if i == 0:\n            break"})
mistake("Your letters are shifted by one: id 1 is a.", {"ALPHABET[i]": "chr(97 + i)"})
mistake("This is a list of letters. Return one text: join them, and leave it joined.", of="decode", returns="letters")
mistake("Join the letters with nothing between them.", of="decode", returns="'_'.join(letters)")
mistake("No letter comes out. Go from the front, stop at a 0, not at the first letter, and join what comes before it.", {"i == 0": "i != 0"})
mistake("You skipped the zeros and read on. The first 0 ends the name.", {"break": "continue"})
mistake("You read on behind the first 0. It ends the name.", {"break": "pass"})
mistake("You dropped the last id without looking. Stop at the first 0, wherever it stands.", of="decode", returns="''.join(ALPHABET[i] for i in ids[:-1])")
mistake("The last letter is missing. Stop at a 0, or at the end. (find gives -1 where there is no 0.)",
        of="decode", returns="(text := ''.join(ALPHABET[i] for i in ids))[: text.find('.')]")
popped = "You changed the list you were given: pop and remove write into it."
mistake(popped, {"for i in ids:": "while ids:\n        i = ids.pop(0)"})
mistake(popped, {"for i in ids:": "while ids and ids[0]:\n        i = ids.pop(0)"})
mistake("You return None where the first 0 comes first. The name is the empty text then: is it returned, too?", of="decode", returns="''.join(letters) or None")
mistake("The first 0 ends the name, also where it comes first.", {"i == 0": "i == 0 and letters", "letters.append(ALPHABET[i])": "letters += [ALPHABET[i]] if i else []"})

# %% right: by ord and chr, and a split
def encode(name):
    return [*(ord(letter) - 96 for letter in name), 0]


def decode(ids):
    return "".join("." if i == 0 else chr(96 + i) for i in ids).split(".")[0]

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

# %% right: letters and ids in two dictionaries; names cut with partition
stoi = {letter: i for i, letter in enumerate(ALPHABET)}
itos = {i: letter for letter, i in stoi.items()}


def encode(name):
    return [stoi[letter] for letter in name] + [0]


def decode(ids):
    return "".join(itos[int(i)] for i in ids).partition(".")[0]

# %% right: arithmetic with ord and chr, tensors instead of lists
def encode(name):
    return tuple(ord(letter) - 96 for letter in name) + (0,)


def decode(ids):
    name = ""
    for i in ids:
        if not i:
            return name
        name += chr(96 + i)
    return name

# %% right: ARENA
from torch import Tensor


def encode(name: str) -> list[int]:
    assert all(letter in ALPHABET[1:] for letter in name)
    return [ALPHABET.index(letter) for letter in name] + [0]


def decode(ids: list[int]) -> str:
    end = ids.index(0) if 0 in ids else len(ids)
    return "".join(ALPHABET[i] for i in ids[:end])

# %% right: CS231n
char_to_ix = {ch: i for i, ch in enumerate(ALPHABET)}
ix_to_char = {i: ch for i, ch in enumerate(ALPHABET)}


def encode(name):
    return [char_to_ix[ch] for ch in name] + [char_to_ix["."]]


def decode(ids):
    txt = ""
    for ix in ids:
        ch = ix_to_char[ix]
        if ch == ".":
            break
        txt += ch
    return txt

# %% right: makemore
stoi = {s:i for i,s in enumerate(ALPHABET)}
itos = {i:s for s,i in stoi.items()}
encode = lambda w: [stoi[ch] for ch in w + '.']

def decode(ids):
  out = []
  for ix in ids:
    if ix == 0:
      break
    out.append(itos[ix])
  return ''.join(out)

# %% right: torch source
def encode(name):
    return list(map(ALPHABET.index, name + "."))


def decode(ids):
    name = []
    for index in iter(ids):
        if index == 0:
            break
        name.append(ALPHABET[index])
    return "".join(name)

# %% right: numpy first
import numpy as np

letters = np.array(list(ALPHABET))


def encode(name):
    return np.array([ord(letter) - ord("a") + 1 for letter in name] + [0]).tolist()


def decode(ids):
    ids = np.array(ids, dtype=int)
    ends = np.flatnonzero(ids == 0)
    return "".join(letters[ids[: ends[0]] if len(ends) else ids])

# %% right: plain loops
def encode(name):
    ids = []
    for letter in name:
        for i in range(len(ALPHABET)):
            if ALPHABET[i] == letter:
                ids.append(i)
    ids.append(0)
    return ids


def decode(ids):
    name = ""
    for i in ids:
        if i == 0:
            return name
        name = name + ALPHABET[i]
    return name
