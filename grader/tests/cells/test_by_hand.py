"""What the grader says about by-hand tasks: what a session reports takes points, reading flags."""

import json

import pytest
from nbseal.cells.by_hand import doubts, told
from nbseal.cells.sealing import ByHand

HAND = ByHand("mine", ("normalisation", "autograd"), hidden=False)
IMPORTS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F"


def read(*sources: str) -> list[str]:
    return doubts(list(enumerate((IMPORTS, *sources))), [HAND])


def report(*parts: str) -> str:
    return json.dumps(parts)


def test_what_was_seen_at_work_fails_the_task():
    (failed,), seen = told([report("called", "mine", "layer_norm", "torch")], [HAND])
    assert (failed.target, failed.hidden, seen) == ("mine", False, [])
    assert failed.reason == (
        "mine is to be written by hand here, and it calls torch's ready-made layer_norm: "
        "use sums, means and products of your own"
    )


def test_a_report_under_another_name_counts_all_the_same():
    (failed,), _ = told([report("called", "other", "backward", "torch")], [HAND])
    assert failed.target == "mine"


def test_what_a_person_should_look_at_takes_no_points():
    assert told([report("looked", "mine", "starts a process", "")], [HAND]) == (
        [],
        ["mine is to be written by hand here, and the code starts a process"],
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", "{}", '["called"]', "[[[[", "[" * 5000, '["called", 1, 2, 3]'),
        report("called", "mine", "relu", "torch"),
        report("called", "mine", "the secret is layer_norm", "torch"),
        report("called", "mine", "layer_norm", "the secret"),
        report("unheard of", "mine", "layer_norm", "torch"),
        report("looked", "mine", "equals what another student handed in", ""),
    ],
)
def test_a_session_cannot_say_anything_else(text):
    assert told([text], [HAND]) == ([], [])


def test_without_a_by_hand_task_nothing_is_read():
    assert told([report("off", "mine", "", "")], []) == ([], [])
    assert doubts([(0, "import gc")], []) == []


@pytest.mark.parametrize(
    "source",
    [
        "import gc",
        "import ctypes",
        "from sys import _getframe",
        "torch.Tensor.usual = lambda x: x",
        "nn.functional.relu = None",
        "from torch.overrides import TorchFunctionMode as M\nM.__enter__ = None",
        "from torch import Tensor as T\nT.usual = None",
        "setattr(torch.Tensor, 'usual', f)",
        "exec(text)",
        "globals()['layer_norm'] = f",
        "from concurrent.futures import ThreadPoolExecutor",
        "import threading",
        "utils._by_hand.watch = None",
        "get_ipython().ast_transformers.append(x)",
        "kinds = nn.Module.__subclasses__()",
        "%run helpers.py",
        "names = !ls\nimport gc",
        "import sys\nsys.modules['torch']",
        "getattr(torch, name)",
        "getattr(torch, '_C')",
        "go, = map(getattr, [torch], ['_C'])",
        "torch.compile(f)",
        "x = '" + "y" * 200_000 + "'",
        "x = " + "-" * 50_000 + "1",
    ],
)
def test_what_reaches_past_the_watch_is_shown_to_a_person(source):
    found = read(source)
    assert found and all(what.endswith("in cell 2") for what in found)


@pytest.mark.parametrize(
    "source",
    [
        "model.eval()",
        "[m for m in model.modules()]",
        "torch.backends.cudnn.deterministic = True",
        "plt.rcParams['figure.figsize'] = (3, 3)",
        "%matplotlib inline",
        "%%time\n!ls",
        "class Net(nn.Module):\n    def __init__(self):\n        self.norm = nn.LayerNorm(3)",
        "assert torch.allclose(layer_norm(x), F.layer_norm(x, (3,)))",
        "import math, random, time",
        "import re\nre.compile('a')",
        "getattr(self, name), getattr(x, 'shape'), self.__dict__",
        "this is not Python",
    ],
)
def test_ordinary_cells_are_let_pass(source):
    assert read(source) == []


@pytest.mark.parametrize(
    "sources",
    [
        ["class mine(nn.LayerNorm): pass"],
        ["class Base(nn.LayerNorm): pass", "class mine(Base): pass"],
        ["def mine(x):\n    if x.numel() > 10**9: return F.layer_norm(x, (3,))\n    return x"],
        ["def helper(x): return torch.autograd.grad(x, x)", "def mine(x): return helper(x)"],
        ["def mine(f, x, h): return (f(x + h) - f(x)) / h"],
        ["def mine(f, x, h):\n    a, b = 1, 2\n    up = f(x + h)\n    return (up - f(x)) / h"],
        ["def mine(f, x, h):\n    gap = f(x + h).sum() - f(x).sum()\n    return gap / h"],
    ],
)
def test_what_a_definition_names_without_calling_it_is_shown(sources):
    assert read(*sources)


@pytest.mark.parametrize(
    "sources",
    [
        ["def other(x): return F.layer_norm(x, (3,))", "def mine(x): return x"],
        ["def mine(x): return F.layer_norm(x, (3,))", "def mine(x): return x - x.mean()"],
        ["def slope(f, x, h): return (f(x + h) - f(x)) / h", "def mine(x): return x"],
        ["def mine(x): return (x - x.mean()) / x.std()"],
        ["def mine(x): return (mean(x) - var(x)) / 2"],
        ["class mine:\n    def backward(self, grad): return self.layer_norm(grad).backward()"],
    ],
)
def test_of_other_definitions_nothing_is_said(sources):
    assert read(*sources) == []
