"""by_hand: the ready-made operation is refused however it is reached, and only inside the task's
own code."""

import pytest
import torch
from nbseal.checks import CheckFailed, _by_hand, by_hand, expect
from torch import nn
from torch.nn import functional as F
from torch.nn.functional import layer_norm as alias

X = torch.randn(2, 3)


@pytest.fixture(autouse=True)
def watched_until_the_test_ends():
    yield
    _by_hand.release()


class Wraps(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LayerNorm(3)

    def forward(self, x):
        return self.inner(x)


def helper(x):
    return F.layer_norm(x, (3,))


@pytest.mark.parametrize(
    "way",
    [
        lambda x: F.layer_norm(x, (3,)),
        lambda x: torch.layer_norm(x, (3,)),
        lambda x: alias(x, (3,)),
        lambda x: getattr(torch, "layer" + "_norm")(x, (3,)),
        lambda x: nn.LayerNorm(3)(x),
        lambda x: helper(x),
        lambda x: torch.native_layer_norm(x, (3,), None, None, 1e-5),
        lambda x: torch.ops.aten.native_layer_norm(x, (3,), None, None, 1e-5),
    ],
)
def test_every_way_to_the_ready_made_layer_is_refused(way):
    by_hand(way, without=["layer_norm"])
    with pytest.raises(CheckFailed, match="to be written by hand"):
        way(X)


def test_a_class_that_wraps_the_layer_is_refused():
    by_hand(Wraps, without=["layer_norm"])
    with pytest.raises(CheckFailed, match="Wraps is to be written by hand"):
        Wraps()(X)


def test_catching_the_refusal_does_not_help():
    def sly(x):
        try:
            return F.layer_norm(x, (3,))
        except Exception:
            return x

    by_hand(sly, without=["layer_norm"])
    answer = sly(X)
    with pytest.raises(CheckFailed, match="by hand"):
        expect("label", answer, X)


def test_the_test_cell_itself_may_call_the_layer():
    def honest(x):
        return (x - x.mean(-1, keepdim=True)) / (
            x.var(-1, correction=0, keepdim=True) + 1e-5
        ).sqrt()

    by_hand(honest, without=["layer_norm"])
    expect("label", honest(X), F.layer_norm(X, (3,)))


def test_the_watch_ends_with_the_cell():
    by_hand(helper, without=["layer_norm"])
    _by_hand.release()
    assert helper(X).shape == X.shape


def test_what_is_no_function_is_named():
    with pytest.raises(CheckFailed, match="run the cell that defines it"):
        by_hand(None, without=["layer_norm"])
