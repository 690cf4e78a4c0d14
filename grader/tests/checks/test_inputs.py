"""sample, sample_ids, fill_, raises, printed: keyed inputs that the global random state does not
touch."""

import json

import pytest
import torch
from nbseal.checks import fill_, inputs, printed, raises, sample, sample_ids, set_key
from torch import nn


@pytest.fixture(autouse=True)
def notebook_key(monkeypatch):
    monkeypatch.setattr(inputs, "_key", "notebook")


def test_samples_do_not_depend_on_the_global_state_nor_change_it():
    torch.manual_seed(0)
    a, after = sample(3, 4, seed=1), torch.rand(1)
    torch.manual_seed(1)
    torch.rand(7)
    assert torch.equal(a, sample(3, 4, seed=1))
    torch.manual_seed(0)
    assert torch.equal(after, torch.rand(1))


def test_samples_differ_by_seed_shape_and_key():
    a, ids = sample(50, seed=1), sample_ids(1000, 50, seed=1)
    assert not torch.equal(a, sample(50, seed=2)) and not torch.equal(
        a, sample(50, 1, seed=1)[:, 0]
    )
    set_key("another")
    assert not torch.equal(a, sample(50, seed=1)) and not torch.equal(
        ids, sample_ids(1000, 50, seed=1)
    )


def test_sample_ids_cover_their_range():
    ids = sample_ids(5, 1000, seed=3)
    assert ids.dtype == torch.int64 and sorted(ids.unique().tolist()) == [0, 1, 2, 3, 4]


def test_fill_is_keyed_by_name_and_shape_not_by_order():
    class One(nn.Module):
        def __init__(self, swap):
            super().__init__()
            for name in ("a", "b")[:: -1 if swap else 1]:
                setattr(self, name, nn.Linear(3, 2))

    one, two = fill_(One(False), seed=1), fill_(One(True), seed=1)
    assert all(torch.equal(one.state_dict()[k], two.state_dict()[k]) for k in one.state_dict())
    assert not torch.equal(one.a.weight, one.b.weight)
    assert not torch.equal(one.a.weight, fill_(One(False), seed=2).a.weight)


def test_fill_leaves_buffers_that_are_not_persistent_as_they_are():
    linear = nn.Linear(3, 2)
    linear.register_buffer("scale", torch.tensor(0.25), persistent=False)
    linear.register_buffer("mean", torch.tensor(0.25))
    fill_(linear, seed=1)
    assert linear.scale == 0.25 and linear.mean != 0.25


def test_fill_sets_buffers_and_keeps_variances_positive():
    norm = fill_(nn.BatchNorm1d(200), seed=1)
    assert float(norm.running_var.min()) > 0 and float(norm.running_mean.std()) > 0.5
    assert int(norm.num_batches_tracked) == 0


def test_raises_names_the_nearest_built_in_exception():
    def fail(error):
        raise error

    class Mine(ValueError):
        pass

    assert raises(fail, KeyError("x")) == "KeyError"
    assert raises(fail, Mine()) == "ValueError"
    assert raises(json.loads, "{") == "ValueError"
    assert raises(len, "abc") is None


def test_printed_returns_what_is_printed():
    assert printed(print, "a", 1) == "a 1\n"


def test_inputs_are_drawn_on_the_cpu_and_stand_where_tensors_stand(monkeypatch):
    """A generator of the CPU fills no tensor of a GPU: torch refuses, as the stand-ins here do."""

    def strict(function):
        def drawn(*args, generator, device=None):
            where = torch.device(device or torch.get_default_device())
            assert where.type == generator.device.type == "cpu"
            return function(*args, generator=generator, device=device)

        return drawn

    for name in ("rand", "randn", "randint"):
        monkeypatch.setattr(torch, name, strict(getattr(torch, name)))
    linear = nn.Linear(3, 2)  # on the CPU
    torch.set_default_device("meta")
    try:
        assert sample(2, 3, seed=1).is_meta and sample_ids(5, 4, seed=1).is_meta
        before = linear.weight.clone()
        assert not torch.equal(fill_(linear, seed=1).weight, before)
    finally:
        torch.set_default_device(None)
