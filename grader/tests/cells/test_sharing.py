"""Which tests share a process: only those between which nothing can be carried by honest code."""

import random
import re

import pytest
from nbseal.cells.sharing import steps
from nbseal.engine.engine import Engine
from nbseal.records import CellOrder, Limits, Work
from support.engine_tools import code, notebook
from support.one_engine import limited

MODULES = ("torch", "math", "os")
PLAIN = "def f(x):\n    y = x - 1\n    y[0] = 2\n    return y"


def groups(*cells: str) -> list[str]:
    """The order in which cells are run; cells are 0, 1, ..., tests begin with `_course_expect`."""
    orders = [
        CellOrder(index, source, test=source.startswith("_course_expect"))
        for index, source in enumerate(cells)
    ]
    return ["".join(str(cell.index) for cell in step) for step in steps(orders, MODULES)]


def test(source: str = "f(1)") -> str:
    return f"_course_expect('it', {source})"


test.__test__ = False


def test_tests_of_functions_wait_for_each_other():
    assert groups(
        PLAIN, test(), "def g(x): return x", test("g(1)"), "'text'\nEPS = 1e-5", test("f(2)")
    ) == ["0", "2", "4", "135"]


def test_every_cell_is_run_once_and_cells_keep_their_order():
    cells = [PLAIN, test(), "def g(): pass", "print(1)", test(), test(), "class A: pass"]
    assert groups(*cells) == ["0", "2", "1", "3", "6", "45"]
    assert groups() == [] and groups("1") == ["0"] and groups(test()) == ["0"]


@pytest.mark.parametrize(
    "cell",
    [
        "print(f(3))",
        "x = g(3)",
        "x = []",
        "g(3)",
        "!ls",
        "%matplotlib inline",
        "for i in range(3): pass",
        "import unheard_of",
        "from torch import *",
        "del f",
        "this is no Python",
        "torch.manual_seed(0)",
        "assert f(1)",
        "await f(1)",
        "x: list = [1]",
        "torch.Tensor",
        "g.x = torch.Tensor",
        "def g(x, w=torch.ones(3)): return x",
        "@cached(3)\ndef g(x): return x",
        "class g(metaclass=Counting): pass",
        "class g(make_base()): pass",
        "class g:\n    seen = []",
        "class g:\n    print(1)",
        "@register\nclass g: pass",
        "g.seen = 3",
        "def g(x): return " + "(" * 500 + ")" * 500,
        "g = 1 #" + "x" * 200_000,
        "a = %b'''0x]",
    ],
)
def test_a_test_does_not_wait_for_a_cell_that_does_something(cell):
    assert groups(PLAIN, test(), cell, test())[:3] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "cell",
    [
        "def f(x): return x",
        "def helper(x): return x",
        "import math as helper",
        "helper = 3",
        "class f: pass",
        "from os import getpid as helper",
        "import os as f",
        "def sum(x): return x",
        "told = 3",
    ],
)
def test_a_test_does_not_wait_for_names_that_any_cell_before_holds(cell):
    before = "def helper(x): return sum(x)\ndef f(x): return globals()['told']"
    assert groups(before, test(), cell, test()) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    "cell",
    [
        "class g(torch.nn.Module):\n    '''Text.'''\n    size = 3\n"
        "    def __init__(self, n=-3, act=torch.relu):\n        super().__init__()\n"
        "    @property\n    def k(self): return self.size",
        "@torch.no_grad\ndef g(x, model=None):\n    return torch.ones(x)",
        "import math\nfrom os import getpid as g",
        "async def g(): pass",
        "g = h = (1, -2, 'three')",
        "g = torch.Tensor",
    ],
)
def test_a_test_waits_for_definitions(cell):
    assert groups("import numpy", test("one(1)"), cell, test()) == ["0", "2", "13"]


def test_to_import_the_same_once_more_changes_nothing():
    bring = "from os import getpid as g\nimport math\n"
    assert groups(bring, test(), bring + "def h(x): return g()", test("h")) == ["0", "2", "13"]
    other = "from os import getppid as g"
    assert groups(bring, test(), other, test(), bring) == ["0", "1", "2", "3", "4"]
    assert groups(bring, "g = print()", test(), bring) == ["0", "1", "2", "3"]


def test_more_than_can_be_read_is_not_read():
    assert groups(PLAIN, *["y = 1 #" + "x" * 10_000] * 20, test(), test())[-2:] == ["21", "22"]


# --------------------------------------------------------------------------------------------------
# What runs together, runs as if it were alone
# --------------------------------------------------------------------------------------------------

SETUP = "import itertools, random\nfrom utils import *\nrandom.seed(5)"
NAMES = ("one", "two", "three")
RIGHT = {name: f"def {name}(x):\n    return random.random() and x + 1" for name in NAMES}
TESTS = [
    code(f"x = sample(3, seed=1)[0]\nexpect('it', {name}(x), x + 1)", f"{name}_test", test=True)
    for name in NAMES
]
# Python's own stack ends
CRASH = "    for _ in range(1_000_000): x = itertools.chain(x)\n    next(x)"


@pytest.fixture(scope="module")
def engine(shared_engine):
    source = notebook(SETUP, *RIGHT.values(), *TESTS)
    with limited(shared_engine, Limits(cell_seconds=4)) as engine:
        engine.prepare(source, source, name="n")
        yield engine


def outcomes(engine: Engine, *cells) -> list[str]:
    """How each test of a submission ended; all of them have shared a process."""
    work = Work("ada", "n", notebook(SETUP, *cells))
    order = engine._prepared["n"].order(work, "", Limits(), frozenset())
    assert [len(step) for step in steps(order.cells, order.modules) if step[0].test] == [len(TESTS)]
    result = engine.submit(work).result(timeout=120)
    assert result.problem is None
    return [
        "passed" if verdict.passed else verdict.checks[0].detail.split("\n")[0].rstrip()
        for verdict in result.verdicts
    ]


@pytest.mark.parametrize(
    "body, outcome",
    [
        (CRASH, "it crashed Python"),
        ("    while True: pass", "it took too long"),
        ("    raise SystemExit", "your code raised SystemExit:"),
        ("    raise KeyboardInterrupt", "your code raised KeyboardInterrupt:"),
        ("    return [[x] * 1000] * 2000", "got something else"),
    ],
)
@pytest.mark.parametrize("place", range(3))
def test_harm_costs_its_own_test_alone(engine, body, outcome, place):
    name = NAMES[place]
    found = outcomes(engine, *(RIGHT | {name: f"def {name}(x):\n{body}"}).values(), *TESTS)
    assert found.pop(place) == outcome or outcome == "got something else"
    assert found == ["passed", "passed"]


def test_all_of_them_can_break_off(engine):
    cells = [f"def {name}(x):\n{CRASH}" for name in NAMES]
    assert outcomes(engine, *cells, *TESTS) == ["it crashed Python"] * 3


def test_random_numbers_do_not_reach_the_next_test(engine):
    """A function that is right only with the first random number."""
    two = (
        f"def two(y):\n    return y + 1 if random.random() == {random.Random(5).random()!r} else 0"
    )
    assert outcomes(engine, *(RIGHT | {"two": two}).values(), *TESTS) == ["passed"] * 3


@pytest.mark.parametrize(
    "body",
    [
        "    mark(two)",
        "    mark(Keeper)",
        "    for kind in (two,):\n        kind.seen = True",
        "    Keeper.keep()",
        "    Keeper().keep()",
        "    Below.keep()",
    ],
)
def test_what_a_reading_does_not_see_is_seen_at_work(engine, body):
    """`two` is right only before `one` has been called."""
    one = (
        "def mark(kind): kind.seen = True\nclass Keeper:\n    @classmethod\n    def keep(kind): kind.seen = True\n"
        f"class Below(Keeper): pass\ndef one(x):\n{body}\n    return x + 1"
    )
    two = "def two(y):\n    return 0 if any(hasattr(kind, 'seen') for kind in (two, Keeper, Below)) else y + 1"
    assert outcomes(engine, *(RIGHT | {"one": one, "two": two}).values(), *TESTS) == ["passed"] * 3


def test_finalizers_are_their_own_test_s(engine):
    """What `one` leaves behind ends slowly, which is not `two`'s fault."""
    one = (
        "class Slow:\n    def __init__(self): self.me = self\n    def __del__(self):\n        for _ in iter(int, 1): pass\n"
        "def one(x):\n    Slow()\n    return x + 1"
    )
    assert outcomes(engine, *(RIGHT | {"one": one}).values(), *TESTS)[1:] == ["passed"] * 2


def test_cells_after_a_waiting_test_are_counted_as_in_a_kernel(engine):
    cells = [
        SETUP,
        RIGHT["one"],
        TESTS[0],
        RIGHT["two"],
        RIGHT["three"],
        TESTS[1],
        TESTS[2],
        "1 / 0",
    ]
    result = engine.submit(Work("ada", "n", notebook(*cells))).result(timeout=60)
    failed = result.cells[len(cells) - 1]
    assert failed.execution_count == 8
    assert "Cell In[8]" in re.sub(r"\x1b\[[0-9;]*m", "", "".join(failed.outputs[0].traceback))
