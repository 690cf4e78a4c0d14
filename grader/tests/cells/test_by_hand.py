"""Reading whether a task is written by hand: what must be found, what must be let pass, what must
be shown to a person."""

import pytest
from nbseal.cells.by_hand import canonical, read

WITHOUT = ["layer_norm", "batch_norm", "normalize", "grad", "backward"]
IMPORTS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F"


def reading(*sources, target="mine"):
    return read(list(enumerate([IMPORTS, *sources])), target, WITHOUT)


@pytest.mark.parametrize(
    "sources",
    [
        ["def mine(x): return F.layer_norm(x, x.shape[-1:])"],
        ["def mine(x): return torch.nn.functional.layer_norm(x, (3,))"],
        ["def mine(x): return torch.layer_norm(x, (3,))"],
        ["def mine(x): return torch.ops.aten.native_layer_norm(x, [3], None, None, 0.)[0]"],
        ["def mine(x): return nn.LayerNorm(3)(x)"],
        ["def mine(x): return nn.BatchNorm1d(3)(x)"],
        ["mine = F.layer_norm"],
        ["mine = lambda x: F.layer_norm(x, (3,))"],
        ["import functools\nmine = functools.partial(F.layer_norm, normalized_shape=(3,))"],
        ["class mine(nn.LayerNorm): pass"],
        ["class mine(nn.Module):\n    def __init__(self):\n        self.inner = nn.LayerNorm(3)"],
        ["from torch.nn.functional import layer_norm as mine"],
        ["from torch.nn.functional import layer_norm as ln\ndef mine(x): return ln(x, (3,))"],
        ["from torch.nn.functional import *", "def mine(x): return layer_norm(x, (3,))"],
        ["from torch.nn import *", "def mine(x): return LayerNorm(3)(x)"],
        [
            "def mine(x):\n    from torch.nn.functional import layer_norm\n    return layer_norm(x, (3,))"
        ],
        ["def helper(x): return F.layer_norm(x, (3,))", "def mine(x): return helper(x)"],
        ["def c(x): return F.layer_norm(x, (3,))\ndef b(x): return c(x)\ndef mine(x): return b(x)"],
        ["norm = F.layer_norm", "def mine(x): return norm(x, (3,))"],
        ["ops = {'n': F.layer_norm}", "def mine(x): return ops['n'](x, (3,))"],
        ["if True:\n    norm = F.layer_norm\ndef mine(x): return norm(x, (3,))"],
        ["def mine(x): return getattr(F, 'layer_norm')(x, (3,))"],
        [
            "import operator\ndef mine(x): return operator.attrgetter('nn.functional.layer_norm')(torch)(x, (3,))"
        ],
        ["def mine(x, f=F.layer_norm): return f(x, (3,))"],
        ["@F.normalize\ndef mine(x): return x"],
        ["def mine(x):\n    y = x.sum()\n    y.backward()\n    return x.grad"],
        ["def mine(x): return torch.autograd.grad(x.sum(), x)"],
        ["def mine(x): return x\nmine.__code__ = F.layer_norm.__code__"],
    ],
)
def test_ready_made_operations_are_found(sources):
    assert reading(*sources).violation


@pytest.mark.parametrize(
    "sources",
    [
        [
            "def mine(x):\n    'Like F.layer_norm, by hand.'\n    return (x - x.mean()) / x.std()  # F.layer_norm"
        ],
        ["def layer_norm(x): return x - x.mean()", "def mine(x): return layer_norm(x)"],
        [
            "class mine(nn.Module):\n    def __init__(self):\n        self.layer_norm = self.helper\n    def helper(self, x): return x\n"
            "    def forward(self, x): return self.layer_norm(x)"
        ],
        ["F.layer_norm(torch.ones(3), (3,))", "def mine(x): return x"],
        ["def other(x): return F.layer_norm(x, (3,))", "def mine(x): return x"],
        ["norm = nn.LayerNorm(3)", "def mine(x, norm): return norm(x)"],
        ["def mine(x): return F.layer_norm(x, (3,))", "def mine(x): return x - x.mean()"],
        [
            "def helper(x): return F.layer_norm(x, (3,))",
            "def helper(x): return x",
            "def mine(x): return helper(x)",
        ],
        ["def mine(dy):\n    grad = 2 * dy\n    return grad"],
        [
            "def mine(x): return torch.var(x, correction=0) + torch.rsqrt(x) + torch.einsum('i,i', x, x) + x.norm()"
        ],
        ["%matplotlib inline\ndef mine(x): return x"],
        ["this does not parse", "def mine(x): return x"],
    ],
)
def test_work_by_hand_passes(sources):
    found = reading(*sources)
    assert found.violation is None and found.undecided == ()


@pytest.mark.parametrize(
    "sources",
    [
        ["def mine(x): return eval('F.layer' + '_norm')(x, (3,))"],
        ["exec('def mine(x): return 1')"],
        ["name = 'layer' + '_norm'", "def mine(x): return getattr(F, name)(x, (3,))"],
        ["import helper", "def mine(x): return helper.norm(x)"],
        ["from helper import norm", "def mine(x): return norm(x)"],
        ["import importlib", "def mine(x): return importlib.import_module('torch.nn')"],
        ["import sys", "def mine(x): return sys.modules['torch']"],
        ["def mine(x): return globals()['F']"],
        ["def mine(x): return F.__dict__.get('layer_norm')(x, (3,))"],
        ["norms = {'layer_norm': lambda x: x}", "def mine(x): return norms.get('layer_norm')(x)"],
        ["def mine(x): return " + "-" * 3000 + "x"],
        ["name = 'layer_norm'", "def mine(x): return [name]"],
        [],
    ],
)
def test_what_hides_from_reading_is_shown_to_a_person(sources):
    found = reading(*sources)
    assert found.violation is None and found.undecided


def test_one_spelling_for_an_operation():
    names = ["layer_norm", "LayerNorm", "native_layer_norm", "_layer_norm", "layer_norm_"]
    assert {canonical(name) for name in names} == {"layernorm"}
    assert canonical("BatchNorm1d") == canonical("batch_norm")
