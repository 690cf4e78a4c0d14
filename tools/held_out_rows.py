"""One position of each held-out name, in the form in which the hidden test of exercise 04 holds
them.

    python -m tools.held_out_rows            prints the two texts that stand in
    solutions/04_deep_mlp/deep_mlp.ipynb

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


if __name__ == "__main__":
    rows, answers = held_out_rows()
    for text in ("".join(rows), answers):
        print("\n".join(textwrap.wrap(text, 85)), end="\n\n")
