"""Cells that meddle with what a by-hand task is watched with are pointed out; ordinary cells are
not."""

import time

import pytest
from nbseal.cells.by_hand import read
from nbseal.cells.meddling import meddling


@pytest.mark.parametrize(
    "source",
    [
        "import gc",
        "import ctypes",
        "from sys import _getframe",
        "torch.Tensor.usual = lambda x: x",
        "nn.functional.relu = None",
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
        "x = '" + "y" * 200_000 + "'",
        "%time\n" * 60 + "y = 1\n" * 2000,
        "a=!b\n" * 5000,
        "a?\n" * 5000,
        "x = " + "-" * 5000 + "1",
    ],
)
def test_it_is_pointed_out(source):
    (found, *_) = meddling([(4, source)])
    assert found.endswith("in cell 5")


@pytest.mark.parametrize(
    "source",
    [
        "model.eval()",
        "torch.backends.cudnn.deterministic = True",
        "plt.rcParams['figure.figsize'] = (3, 3)",
        "%matplotlib inline",
        "%%time\n!ls",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.norm = nn.LayerNorm(3)",
        "assert torch.allclose(layer_norm(x), F.layer_norm(x, (3,)))",
        "import math, random, time",
        "this is not Python",
    ],
)
def test_it_is_let_pass(source):
    assert meddling([(0, source)]) == []


@pytest.mark.parametrize(
    "source",
    [
        "def mine(x): return torch._native_batch_norm_legit(x, None, None, True, 0., 1e-5)[0]",
        "def mine(x): return torch._batch_norm_impl_index(x, None, None, None, None, True, 0., 1e-5, False)[0]",
        "def mine(x): return nn.TransformerEncoderLayer(4, 1).norm1(x)",
        "unit = torch.jit.CompilationUnit('def f(x): return torch.layer_norm(x, [3])')\ndef mine(x): return unit.f(x)",
        "import pydoc\nready = pydoc.locate('torch.nn.functional.layer' + '_norm')\ndef mine(x): return ready(x)",
    ],
)
def test_what_hides_in_a_task_is_undecided(source):
    reading = read(
        [(0, "import torch\nfrom torch import nn\n" + source)], "mine", ["layer_norm", "batch_norm"]
    )
    assert reading.undecided or reading.violation


def test_names_that_only_resemble_a_forbidden_one_pass():
    source = "class mine:\n    def f(self, layer): return layer.normalized_shape, layer.normaliser, self.layer_norm_eps"
    assert read([(0, source)], "mine", ["normalize", "layer_norm"]).undecided == ()


def test_reading_takes_no_longer_than_it_may():
    started = time.process_time()
    slow = "\n".join(f"%magic{n}" for n in range(600)) + "\nx = '" + "y" * 100_000 + "'"
    meddling([(0, slow)])
    read([(0, slow)], "mine", ["layer_norm"])
    assert time.process_time() - started < 1
