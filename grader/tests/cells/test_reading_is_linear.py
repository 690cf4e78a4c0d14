"""Whatever reads what a student wrote does so in time and memory that grow with its length.

`python grader/tests/cells/test_reading_is_linear.py 1000` reads so many generated sources of 100 kB
and prints the worst.
"""

import json
import random
import resource
import sys
import time
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbseal.cells import python, sharing
from nbseal.cells.by_hand import doubts
from nbseal.cells.sealing import ByHand
from nbseal.intake.damage import Damaged
from nbseal.intake.repair import cutting, elsewhere, likeness, reading
from nbseal.intake.repair.pieces import Piece
from nbseal.intake.repair.rebuilding import rebuilt
from nbseal.intake.repair.skeleton import Skeleton
from nbseal.records import CellOrder
from support.engine_tools import code, notebook

SIZE = 100_000
SECONDS = 20.0  # of CPU for all readers together, on one source; an ordinary laptop takes a tenth
MEGABYTES = 500

# What sources are made of: everything that some reader looks at, and what opens and never ends.
PIECES = (
    *(
        "'a'\n",
        "'",
        '"""',
        "f'{a}'\n",
        "#\n",
        "# c\n",
        "\\\n",
        "\\",
        "\n",
        " ",
        "\t",
        "\r",
        "\0",
        "é",
    ),
    *("(", ")", "[", "]", "{", "}", "a", "a.", "a.b", "a[0]", "=", "a=", "a=1\n", "a=1;", "a,"),
    *("1", "1,", "-", "not ", "lambda:", "lambda a=", "lambda x: ", "if a:\n ", "else:\n", "x if "),
    *(
        "/f a\n",
        "%time\n",
        "%%html\n",
        "!ls\n",
        "a=!b\n",
        "a?\n",
        "?",
        "%run a\n",
        ",f a\n",
        ";f\n",
    ),
    *(
        "def f():\n pass\n",
        "class A:\n x=1\n",
        "@d\n",
        "import a\n",
        "from a import b\n",
        "f(x)-f(x)",
    ),
    *(
        "def f(a=b): return a\n",
        "mine=f\n",
        "nn.LayerNorm",
        "getattr(a,b)\n",
        "/f(",
        "f(x)/",
        "a.a.a",
    ),
    *("exec", "torch.", "layer_norm", "async def f():\n await a\n", "match a:\n case b: pass\n"),
    *(
        "[a for a in b]\n",
        "a:int=1\n",
        "*a,=b\n",
        "x=y=z=",
        "global a\n",
        "del a\n",
        "0x1",
        "9" * 9,
    ),
    *(
        "```\n",
        "<<<<<<< a\n",
        "google.colab\n",
        "!pip install\n",
        "%cd /content\n",
        "a" * 99,
        "_" * 99,
    ),
)
NAMES = "".join(f"a{number}={number}\n" for number in range(9000))
WORST = {
    "functions behind lambdas": "lambda: 0\n" * 4000 + "def f(): f\n" * 4000,
    "methods": "class A:\n" + " def f(self): self.f = self.f\n" * 3000,
    "texts": "'abcdefghijkl'\n" * 6500,
    "texts in a task": "def mine():\n" + " 'layer norm'\n" * 7000,
    "a long name": "mine = a" + "Ab" * 49_000,
    "magics": "/f a\n" * 20_000,
    "names in one statement": "mine = " + "".join(f"a{n}=" for n in range(14_000)) + "1",
    "names read in one task": "mine = [" + "".join(f"a{n}," for n in range(14_000)) + "]\n",
    "names of their own": NAMES,
    "functions of one another": "".join(f"def a{n}(): a{n + 1}\n" for n in range(5000)),
    "a chain": "mine" + ".a" * 2000 + "=1\n",
    "lambdas": "mine = " + "lambda:" * 80 + "1\n",
    "lambdas in defaults": "mine = " + "lambda a=" * 60 + "1\n",
    "differences": "def mine(f, x):\n" + " a = f(x) - f(x)\n b = a / 2\n" * 3000,
    "comments above one line": "#\n" * 20_000 + "a=1;" * 14_000,
    "brackets": "(" * SIZE,
    "nested": "if a:\n" + "".join(" " * n + "if a:\n" for n in range(1, 95)) + " " * 95 + "a\n",
    "signs": "-" * SIZE,
    "unended texts": "'a\n" * 30_000,
    "backslashes": "\\\n" * 50_000,
    "tabs": "\t" * SIZE,
    "tabs beside what looks like a magic": "a,=b\n" + "\t" * SIZE,
    "blanks behind a line": "a\n" + " " * SIZE,  # and before it: it is read backwards as well
    "ends with a backslash": "a=1 ?\\",
    "other ends of lines": "a=1\r" * 30,
    "scopes": "def f():\n " + "".join(f"a{n}=1;" for n in range(1500)) + "lambda:0;" * 800,
}


SKELETON = Skeleton(
    notebook(
        "import torch",
        code("def mine(x):\n    pass", "mine", solution=True),
        code("expect('a', mine(1), 1)", "mine_test", test=True),
    )
)
CELL = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}


def read(source: str) -> None:
    """All that the grader does to read a cell of a student's."""
    hands = [ByHand("mine", ("normalisation", "autograd"), hidden=False)]
    parsed = python.tree(source)
    if parsed is not None:
        python.bound_names(parsed)
        python.read_before_bound(parsed)
    python.python_of(source)
    python.runs(source)
    python.defines(source)
    doubts([(0, source), (1, source)], hands)
    test = CellOrder(1, "_course_expect('a', mine())\n", "t", True)
    sharing.steps([CellOrder(0, source), test, CellOrder(2, source[:19_000]), test], ())
    elsewhere.without_elsewhere(source)
    cutting._definitions(source)
    rebuilt([Piece("code", source), Piece("code", source[::-1])], SKELETON)
    with suppress(Damaged):
        reading.parse(source.encode("utf-8", "surrogatepass"))
    with suppress(Damaged):  # a notebook that breaks off
        reading.parse(json.dumps({"cells": [CELL | {"source": source}] * 2})[:-20].encode())
    likeness.similarity(source, source[::-1], 0.5)


def cost(source: str) -> float:
    """Seconds of CPU that reading a source takes."""
    started = time.process_time()
    read(source)
    return time.process_time() - started


def peak() -> int:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


@pytest.mark.parametrize("source", WORST.values(), ids=WORST)
def test_what_took_long_once_takes_no_longer(source):
    before = peak()
    assert cost(source[:SIZE]) < SECONDS
    assert peak() - before < MEGABYTES


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6),
    st.sampled_from((1_000, SIZE)),
    st.text(),
)
def test_any_source_is_read_in_time(pieces, size, more):
    part = "".join(pieces)
    before = peak()
    assert cost((part * (size // len(part) + 1) + more)[:size]) < SECONDS
    assert peak() - before < MEGABYTES


def test_twice_as_long_takes_about_twice_as_long():
    for part in ("a = b.c(1, 'x')\n", "/f a\n", "def f(x):\n    return x - 1\n"):
        half, whole = (part * (size // len(part)) for size in (SIZE // 2, SIZE))
        assert min(cost(whole), cost(whole)) < 4 * max(cost(half), 0.05)


def generated(seed: int) -> str:
    """A source of 100 kB: a few pieces over and over, or many in any order."""
    draws = random.Random(seed)
    few = draws.choices(PIECES, k=draws.choice((1, 2, 3, 5, 8)))
    if draws.random() < 0.3:
        few = draws.choices(few, k=2000)
    head = "".join(draws.choices(PIECES, k=draws.choice((0, 0, 1, 3))))
    part = "".join(few)
    return (head + part * (SIZE // len(part) + 1))[:SIZE]


if __name__ == "__main__":
    worst, total = (0.0, 0), 0.0
    first, count = (int(word) for word in ("0", *sys.argv[1:])[-2:])
    for done, seed in enumerate(range(first, first + count), start=1):
        seconds = cost(generated(seed))
        worst, total = max(worst, (seconds, seed)), total + seconds
        if done % 500 == 0 or done == count:
            print(
                f"worst of {done}: {worst[0]:.2f} s (source {worst[1]}), {peak()} MB in all, "
                f"{total / done:.2f} s in the mean",
                flush=True,
            )
