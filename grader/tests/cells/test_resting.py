"""The watch over by-hand tasks rests only where nothing a student names leads past elementary
operations."""

import pytest
from cells.ways_around import WAYS
from nbseal.cells.resting import resting
from nbseal.engine.reading import _holds_modules
from nbseal.records import CellOrder

OWN = """
import math
import torch
from torch import nn
import torch.nn.functional as F
from utils import sample
"""
TEST = """
x = _course_sample(2, 3, seed=1)
reference = nn.LayerNorm(3)
_course_by_hand(layer_norm, without='normalisation')
_course_expect('a', layer_norm(x))
"""
MODULES = ["torch", "torch.nn", "torch.nn.functional", "math", "utils"]
BY_HAND = """
def layer_norm(x):
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
"""


def rests(*cells, own=OWN, test=TEST, without=("normalisation",)):
    orders = [CellOrder(0, own, own=True)]
    orders += [CellOrder(number, cell) for number, cell in enumerate(cells, start=1)]
    orders += [CellOrder(99, test, "t", test=True)]
    return resting(orders, [(one,) for one in orders], {99: without}, MODULES) == [99]


HARMLESS = {
    "sums and means": BY_HAND,
    "a module": """
class Gain(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return self.scaled(x)

    def scaled(self, x):
        return self.gain * x

def layer_norm(x):
    return Gain(3)(x)
""",
    "a try in between": BY_HAND + "print(layer_norm(torch.randn(2, 3)))",
    "another task's": "def unused(x):\n    return torch.jit.script(x)\n" + BY_HAND,
    "modules again": "import torch\nfrom math import sqrt\n" + BY_HAND,
}


@pytest.mark.parametrize("what", HARMLESS)
def test_it_rests_for_elementary_operations(what):
    assert rests(HARMLESS[what])


A_CLASS = """
class A:
    def __init__(self):
        self.ops = 1
"""
REACHING = {
    "it": "def layer_norm(x):\n    return F.layer_norm(x, x.shape[-1:])",
    "its module": "def layer_norm(x):\n    return nn.LayerNorm(3)(x)",
    "under another name": "from torch.nn.functional import layer_norm as f\n"
    "def layer_norm(x):\n    return f(x, x.shape[-1:])",
    "a helper": "def layer_norm(x):\n    return h(x)\ndef h(x):\n    return F.layer_norm(x, (3,))",
    "a variable": "ready = nn.LayerNorm(3)\ndef layer_norm(x):\n    return ready(x)",
    "the instructor's": "def layer_norm(x):\n    return sample(x)",
    "the test's": "def layer_norm(x):\n    return reference(x)",
    "the test's, bound elsewhere": "def layer_norm(x):\n    f = lambda reference: 1\n"
    "    return reference(x)",
    "the test's, bound before": "reference = 3\ndef layer_norm(x):\n    return reference(x)",
    "by a text": "def layer_norm(x):\n    return getattr(F, 'layer' + '_norm')(x, (3,))",
    "by a text, bound elsewhere": "def layer_norm(x):\n    def f(getattr): pass\n"
    "    return getattr(F, 'layer' + '_norm')(x, (3,))",
    "by its dictionary": "def layer_norm(x):\n    return F.__dict__['layer_norm'](x, (3,))",
    "by a pattern": "def layer_norm(x):\n    match F:\n        case object(layer_norm=f):\n"
    "            return f(x, (3,))",
    "torch.ops": "def layer_norm(x):\n    return torch.ops.aten.native_layer_norm(x, [3])[0]",
    "a compiler": "@torch.jit.script\ndef f(x):\n    return x\ndef layer_norm(x):\n    return f(x)",
    "another library": "import sklearn.preprocessing as p\n" + BY_HAND,
    "a method for another object": A_CLASS + "    def mean(self):\n        return self.ops\n"
    "def layer_norm(x):\n    return A.mean(torch)",
    "__init__ for another object": A_CLASS + "        self.x = self.ops\n"
    "def layer_norm(x):\n    A.__init__(torch)\n    return x",
    "self bound again": A_CLASS + "    def go(self):\n        import torch as self\n"
    "        return self.ops\ndef layer_norm(x):\n    return A().go()",
    "self of a lambda": A_CLASS
    + "    def go(self):\n        return (lambda self: self.ops)(torch)\n"
    "def layer_norm(x):\n    return A().go()",
    "self in a loop": A_CLASS + "    def go(self):\n        for self in [torch]:\n"
    "            return self.ops\ndef layer_norm(x):\n    return A().go()",
    "a call in a class": A_CLASS + "    y = __init__(torch)\n" + BY_HAND,
    "a module's own compiler": "class A(nn.Module):\n    def go(self):\n        self.compile = 1\n"
    "        return self.compile\ndef layer_norm(x):\n    return A().go()",
    "super's compiler": "class A(nn.Module):\n    def go(self):\n        return super().compile()\n"
    "def layer_norm(x):\n    return A().go()",
    "a method that torch calls": "class A:\n    def __torch_function__(self, f, t, a, k):\n"
    "        return f\ndef layer_norm(x):\n    return A()",
    "left in a list": "box = []\ndef g():\n    box.append(nn.LayerNorm(3))\ng()\n"
    "def layer_norm(x):\n    return box[0](x)",
    "left on a function": "def h(): pass\ndef g():\n    h.data = nn.LayerNorm(3)\ng()\n"
    "def layer_norm(x):\n    return h.data(x)",
    "torch patched": "torch.Tensor.mean = 3\n" + BY_HAND,
    "torch patched by a text": "setattr(torch.Tensor, 'mean', 3)\n" + BY_HAND,
    "patched by what was called": "def g():\n    return torch.compile(3)\ng()\n" + BY_HAND,
    "patched by a decorator": "def g(f):\n    return torch.compile(f)\n@g\ndef h(): pass\n"
    + BY_HAND,
    "patched by a default": "def h(x=torch.compile(3)): pass\n" + BY_HAND,
    "a base class": "class A(torch.jit.ScriptModule): pass\n" + BY_HAND,
    "a function called like a list's scope": "[1 for _ in [2]]\n"
    "def listcomp(x):\n    return reference(x)\ndef layer_norm(x):\n    return listcomp(x)",
    "a magic": "%run other.py\n" + BY_HAND,
    "all names of a module": "from torch.nn.functional import *\n" + BY_HAND,
    "IPython's names": "_oh = 1\ndef layer_norm(x):\n    return _oh",
    "no Python": "def layer_norm(x:",
    "too deep": "x = " + "(" * 3000 + ")" * 3000 + "\n" + BY_HAND,
    "an annotation": """
tools = []
def never() -> tools.extend([F.layer_norm]):
    return 0
def layer_norm(x):
    return tools[0](x, x.shape[-1:])
""",
    "an annotation of an argument": """
tools = []
def never(x: tools.append(F.layer_norm)):
    return 0
def layer_norm(x):
    return tools[0](x, x.shape[-1:])
""",
    "a method taken up by a default": """
class Peek:
    def __init__(self):
        self.builtins = self.getattr = 0
    def one(self):
        return self.builtins
    def two(self):
        return self.getattr
    def __call__(self, one=one, two=two):
        return two(one(torch))
def layer_norm(x):
    return Peek()()(F, "layer" + "_norm")(x, x.shape[-1:])
""",
    "a method taken up by a decorator": """
stash = []
class Peek:
    def __init__(self):
        self.builtins = 0
    @stash.append
    def one(self):
        return self.builtins
def layer_norm(x):
    Peek()
    return stash[0](torch)
""",
    "a method of a class by super": """
class Peek:
    def __init__(self):
        self.builtins = 0
    def forward(self):
        return self.builtins
class Sub(Peek):
    def __call__(self):
        return super(Sub, Sub).forward(torch)
def layer_norm(x):
    return Sub()()
""",
    "a method by super in a function within": """
class Peek:
    def __init__(self):
        self.builtins = 0
    def forward(self):
        return self.builtins
class Sub(Peek):
    def __call__(self):
        def inner(this):
            return super().forward
        return inner(Sub)(torch)
def layer_norm(x):
    return Sub()()
""",
    "a method by super of something else": """
class Peek:
    def __init__(self):
        self.builtins = 0
    def forward(self):
        return self.builtins
class Sub(Peek):
    def __call__(self):
        self = Sub
        return super().forward(torch)
def layer_norm(x):
    return Sub()()
""",
    "a comment that IPython breaks open": (
        BY_HAND + "# a note\u2028%pwd\u2028layer_norm = lambda x: F.layer_norm(x, x.shape[-1:])\n"
    ),
}


@pytest.mark.parametrize("what", REACHING)
def test_it_is_on_where_anything_else_is_named(what):
    assert not rests(REACHING[what])


@pytest.mark.parametrize("what", WAYS)
def test_it_is_on_where_people_got_around_it(what):
    assert not rests(*WAYS[what])


@pytest.mark.parametrize(
    "more, cells",
    [
        ("from torch.nn import *", ["if False:\n    LayerNorm = 0", "LayerNorm(3)"]),
        ("from torch.nn import LayerNorm", ["LayerNorm(3)"]),
        ("from torch.nn import LayerNorm as Reference", ["Reference(3)"]),
        (
            "def setup():\n    global ready\n    ready = F.layer_norm",
            ["if False:\n    ready = 0", "ready"],
        ),
        ("nn.LayerNorm(3)", ["if False:\n    _ = 0", "_"]),
    ],
)
def test_what_the_instructors_cells_bind_is_no_students(more, cells):
    *before, called = cells
    by_it = f"def layer_norm(x):\n    return {called}(x)"
    assert not rests(*before, by_it, own=f"{OWN}\n{more}\n")
    assert rests(BY_HAND, own=f"{OWN}\n{more}\n") or "*" in more


def test_an_operation_by_its_own_name_may_have_a_sign():
    assert not rests("def layer_norm(x):\n    return x @ x.T", without=("matmul",))


def test_what_a_task_must_do_without_is_its_own():
    softmax = "def layer_norm(x):\n    return x.softmax(-1)"
    assert rests(softmax) and not rests(softmax, without=("softmax",))
    loss = "def layer_norm(x):\n    return F.cross_entropy(x, x)"
    assert rests(loss) and not rests(loss, without=("softmax",))


def test_what_ran_before_in_the_process_counts():
    """It could have changed what torch's functions do."""
    cells = [
        CellOrder(0, OWN, own=True),
        CellOrder(1, BY_HAND + "def other():\n    return torch.compile(3)"),
        CellOrder(2, "_course_expect('b', other())", "b", test=True),
        CellOrder(3, TEST, "t", test=True),
    ]
    words = {3: ("normalisation",)}
    alone = [(cell,) for cell in cells]
    assert resting(cells, alone, words, MODULES) == [3]
    assert resting(cells, [*alone[:2], tuple(cells[2:])], words, MODULES) == []


def test_what_the_instructors_cells_call_has_run_before():
    """It could have changed torch, in the session itself."""
    other = "def other():\n    return torch.compile(3)\n"
    assert rests(BY_HAND + other)
    assert not rests(BY_HAND + other, own=OWN + "other()\n")
    assert not rests(BY_HAND + other, own=OWN + "def picture():\n    return other()\n")


def test_it_is_on_where_the_test_cannot_be_read():
    assert not rests(BY_HAND, test=TEST + "(" * 3000 + ")" * 3000)


def test_a_line_that_runs_as_a_magic_counts():
    later = "if False:\n    run = helper = 0"
    by_helper = "def layer_norm(x):\n    return helper(x)"
    assert not rests('run ["x"]', by_helper, later)
    assert not rests("sx ['ls']", by_helper, later.replace("run", "sx"))


def test_files_that_could_be_imported_have_it_on(tmp_path):
    (tmp_path / "data.csv").touch()
    assert not _holds_modules(tmp_path)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "shutil.py").touch()
    assert _holds_modules(tmp_path)
