"""One position of each held-out name, in the form in which the hidden tests of exercises 04 and 05
hold them.

    python -m tools.held_out_rows            prints the two texts that stand in
    solutions/04_deep_mlp/deep_mlp.ipynb, and the two of 05_transformer_block

A sealed session may see what a model has to be asked, and must never see what the right answer is.
So each held-out name gives *one* row, at a position that its own hash decides, once and for all:
its context does not show the letter that follows, and neither does any other row, in this run or
the next. (With fresh positions in every run, the contexts of two runs would give a name away letter
by letter.) Rows are in the order of the hash, so their neighbours say nothing. The test takes a
part of the rows, in an order of its own, by the secret key of the run.
"""

import hashlib
import textwrap
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent
HELD_OUT = COURSE / "solutions" / "held_out_names.txt"
CONTEXT = 5  # letters before the one to guess, as in exercise 04
LONGEST = 11  # letters of a name, as in exercise 05


def held_out_rows(context_size: int = CONTEXT) -> tuple[list[str], str]:
    """The contexts (padded with dots on the left), and the letter or dot that follows each."""
    hashed = {
        name: hashlib.sha256(f"position {name}".encode()).digest()
        for name in HELD_OUT.read_text().split()
    }
    contexts, targets = [], []
    for name in sorted(hashed, key=hashed.get):
        position = int.from_bytes(hashed[name][-8:], "big") % (len(name) + 1)
        contexts.append(("." * context_size + name[:position])[-context_size:])
        targets.append((name + ".")[position])
    return contexts, "".join(targets)


def held_out_beginnings(longest: int = LONGEST) -> tuple[list[str], str]:
    """The same positions for models that read a name from its first letter: all letters before
    each, padded with dots on the left, and what follows. Beginnings that are too long are left
    out."""
    rows = [row for row in zip(*held_out_rows(longest)) if row[0].startswith(".")]
    return [begun for begun, _ in rows], "".join(answer for _, answer in rows)


if __name__ == "__main__":
    for rows, answers in (held_out_rows(), held_out_beginnings()):
        for text in ("".join(rows), answers):
            print("\n".join(textwrap.wrap(text, 85)), end="\n\n")
