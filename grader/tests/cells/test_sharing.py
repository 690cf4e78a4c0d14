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
OWN = "# the instructor's\n"
IMPORTS = OWN + "import torch, math\nfrom torch import nn\nuse_course_style()"
PLAIN = "def f(x):\n    y = x - 1\n    y[0] = 2\n    return y"


def groups(*cells: str) -> list[str]:
    """The order in which cells are run; cells are 0, 1, ..., tests begin with `_course_expect`, the
    instructor's with OWN."""
    orders = [
        CellOrder(
            index, source, test=source.startswith("_course_expect"), own=source.startswith(OWN)
        )
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
    cells = [PLAIN, test(), "def g(): pass", OWN + "print(1)", test(), test(), "class A: pass"]
    assert groups(*cells) == ["0", "2", "1", "3", "6", "45"]
    assert groups() == [] and groups("1") == ["0"] and groups(test()) == ["0"]


@pytest.mark.parametrize(
    "cell",
    [
        "print(f(3))",
        "x = f(3)",
        "x = []",
        "f(3)",
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
    ],
)
def test_a_test_does_not_wait_for_a_cell_that_does_something(cell):
    assert groups(PLAIN, test(), cell, test()) == ["0", "1", "2", "3"]


def test_nor_after_it_did_once_or_the_instructor_s_did_something_with_what_the_student_made():
    assert groups(PLAIN, "print(f(3))", "def g(): pass", test(), test()) == [
        "0",
        "1",
        "2",
        "3",
        "4",
    ]
    assert groups(PLAIN, OWN + "figure = plot(f)", test(), test()) == ["0", "1", "2", "3"]
    assert groups(PLAIN, OWN + "figure = plot()", test(), test()) == ["0", "1", "23"]


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
    ],
)
def test_a_test_does_not_wait_for_names_that_were_asked_for(cell):
    assert groups("def helper(x): return x\ndef f(x): return helper(x)", test(), cell, test())[
        :3
    ] == ["0", "1", "2"]


def test_a_name_bound_in_an_inner_function_is_not_the_outer_one_s():
    source = (
        "def helper(x): pass\ndef f(x):\n    def inner():\n        helper = 1\n    return helper(x)"
    )
    assert groups(source, test(), "def helper(x): return x", test()) == ["0", "1", "2", "3"]


def test_a_name_that_the_test_binds_itself_is_its_own():
    binds = test() + "\nx = 3\n_course_expect('it', x)"
    assert groups(PLAIN, binds, "y = 4", binds, test()) == ["0", "2", "134"]
    assert groups(OWN + "x = [1]", PLAIN, binds, test("f(x)"), test()) == ["0", "1", "2", "3", "4"][
        :2
    ] + ["2", "3", "4"]


@pytest.mark.parametrize(
    "function",
    [
        "def f(x, seen=[]): return x",
        "def f(x, w=torch.ones(3)): return x",
        "def f(x):\n    global calls\n    calls = x",
        "def f(x):\n    f.calls = x",
        "def f(x):\n    os.environ['a'] = 'b'",
        "import os\ndef f(x): os.chdir('/')",
        "def f(x):\n    import os\n    os.chdir('/')",
        "def f(x):\n    torch.Tensor.mean = x",
        "def f(x):\n    torch.set_grad_enabled(False)",
        "from torch import set_default_dtype\ndef f(x): set_default_dtype(x)",
        "def f(x):\n    torch.no_grad().__enter__()",
        "def f(x):\n    exec('y = 1')",
        "def f(x):\n    globals()['y'] = 1",
        "def f(x):\n    f.__dict__['y'] = 1",
        "def f(x):\n    setattr(torch, 'y', 1)",
        "cache = {}\ndef f(x):\n    cache[x] = 1",
        "cache = []\ndef f(x):\n    cache.append(x)",
        "def f(x): return f.seen.append(x)\nf.seen = []",
        "net = torch.nn.BatchNorm1d(3)\ndef f(x): return net(x)",
        "net = torch.nn.BatchNorm1d(3)\nf = lambda x: net(x)",
        "import functools\n@functools.lru_cache\ndef f(x): return x",
        "import functools\ndef f(x): return x\nf = functools.lru_cache(f)",
        "class f:\n    seen = []",
        "class f:\n    calls = 0\n    def __init__(self, x): type(self).calls += 1",
        "class f:\n    calls = 0\n    def __init__(self, x): self.__class__.calls += 1",
        "class f(metaclass=Counting): pass",
        "class f(make_base()): pass",
        "def make():\n    seen = []\n    return lambda x: seen.append(x)\nf = make()",
        "def f(x):\n    t = torch\n    t.x = 1",
        "def f(x): open('file', 'w')",
        "import threading\nthreading.Thread(target=print).start()\ndef f(x): return x",
        "def f(x):\n  return 1 +",
        "def f(x): return " + "(" * 500 + ")" * 500,
        "def f(x): return " + "1+" * 30_000 + "1",
        "f = 1 #" + "x" * 200_000,
        "a = %b'''0x]",
        "a=!b\n" * 20_000,
        "%%time\nnet = nn.Linear(2, 2)\ndef f(x): return net(x)",
        "from helpers import *\ndef f(x): return helper(x)",
        "net = nn.BatchNorm1d(3)\ndef f(x, net=net): return net(x)",
        "from helpers import Base\nclass f(Base): pass",
        "def wraps(g): return g\n@wraps\ndef f(x): return x",
        "net = []\nimport nothing_there\nnet = 3\ndef f(x): net.append(x)",
        "net = []\ndef f(x):\n    [net for net in range(3)]\n    net.append(1)",
        "def f(x):\n    import torch\n    torch.set_default_dtype(x)",
        "def f(x):\n    c = torch.no_grad()\n    c.__enter__()",
        "from utils import PALETTE\ndef f(x): PALETTE.update(x)",
        "def f(x): pass\nfor c in (f,): c.seen = []",
        "def f(x): pass\nN = 10 ** 10 ** 10",
    ],
)
def test_functions_that_keep_something_are_tested_one_by_one(function):
    assert groups(IMPORTS, function, test(), test()) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    "function",
    [
        "class f(torch.nn.Module):\n    '''Text.'''\n    size = 3\n    def __init__(self, n=3, act=torch.relu):\n        super().__init__()\n"
        "        self.weight = torch.nn.Parameter(torch.ones(n))\n        self.register_buffer('m', torch.zeros(n))\n"
        "    @property\n    def k(self): return self.size",
        "@torch.no_grad()\ndef f(x, model=None):\n    x.grad = None\n    model.eval() if x else x\n"
        "    with torch.no_grad():\n        return nn.functional.relu(x)",
        "def f(x):\n    seen = {}\n    def g(y):\n        seen[y] = 1\n    g(x)\n    return set(seen)",
        "from utils import set_seed\ndef f(x):\n    torch.manual_seed(0)\n    set_seed(0)\n    return torch.randn(3)",
    ],
)
def test_functions_that_keep_nothing_are_tested_together(function):
    modules = (*MODULES, "utils")
    orders = [
        CellOrder(0, IMPORTS, own=True),
        CellOrder(1, function),
        CellOrder(2, test(), test=True),
        CellOrder(3, test(), test=True),
    ]
    assert [len(step) for step in steps(orders, modules)] == [1, 1, 2]


def test_the_instructor_s_cells_may_do_and_hold_what_they_like():
    setup = OWN + "import os\n%matplotlib inline\nfound = [p for p in os.listdir('.')]"
    assert groups(setup, "def f(x): return [g for g in x]", test(), test()) == ["0", "1", "23"]


def test_more_than_can_be_read_is_not_read():
    assert groups(PLAIN, *["y = 1"] * 400, test(), test())[-2:] == ["401", "402"]
    assert groups(PLAIN, *["y = 1 #" + "x" * 10_000] * 20, test(), test())[-2:] == ["21", "22"]


def test_a_test_may_import_what_is_trusted_and_switch_gradients_on():
    bringing = "_course_expect('it', f)\nimport copy\nfrom copy import deepcopy as twin\n"
    switching = "_course_expect('it', f)\nwith torch.enable_grad():\n    f(1)"
    assert groups(OWN + "import torch", PLAIN, bringing + "twin(copy.copy(1))", switching, test())[
        2:
    ] == ["234"]
    for more in (
        "copy._dispatch[int] = f",
        "twin.a = 1",
        "c = copy",
        "import os",
        "def g(): import re",
    ):
        assert groups(PLAIN, bringing + more, test()) == ["0", "1", "2"], more


@pytest.mark.parametrize("source", ["f(net)", "f.__code__", "exec('f')", "setattr(f, 'a', 1)"])
def test_a_test_that_reads_or_changes_more_runs_alone_and_the_others_may_wait(source):
    assert groups(IMPORTS + "\nnet = nn.Linear(2, 2)", PLAIN, test(), test(source), test()) == [
        "0",
        "1",
        "3",
        "24",
    ]


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
