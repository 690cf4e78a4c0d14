"""changes and differs: what a call leaves changed, and for which inputs it answers otherwise."""

import sys

import pytest
import torch
from nbseal.checks import changes, differs, sample
from torch import nn

SETTINGS = {
    "seed": lambda: torch.manual_seed(1234),
    "gradients": lambda: torch.set_grad_enabled(False),
    "anomaly detection": lambda: torch.autograd.set_detect_anomaly(True),
    "default dtype": lambda: torch.set_default_dtype(torch.float64),
    "default device": lambda: torch.set_default_device("meta"),
    "threads": lambda: torch.set_num_threads(2),
    "deterministic algorithms": lambda: torch.use_deterministic_algorithms(True, warn_only=True),
    "precision of matrix products": lambda: torch.set_float32_matmul_precision("high"),
    "autocast": lambda: torch.set_autocast_enabled("cpu", True),
    "cudnn.benchmark": lambda: setattr(torch.backends.cudnn, "benchmark", True),
    "fast path": lambda: torch.backends.mha.set_fastpath_enabled(False),
    "warnings": lambda: torch.set_warn_always(True),
    "print options": lambda: torch.set_printoptions(precision=2),
    "cudnn.enabled": lambda: setattr(torch.backends.cudnn, "enabled", False),
    "filled memory": lambda: setattr(torch.utils.deterministic, "fill_uninitialized_memory", False),
    "threads of backward passes": lambda: torch._C._set_multithreading_enabled(False),
    "hooks of all modules": lambda: nn.modules.module.register_module_forward_hook(print),
    "denormal numbers": lambda: torch.set_flush_denormal(True),
}

# ---- changes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_is_left_changed_is_named_and_set_back(name):
    threads, dice = torch.get_num_threads(), torch.get_rng_state()
    assert changes(SETTINGS[name]) == [name]
    assert changes(SETTINGS[name]) == [name]
    assert changes(int) == []
    assert torch.get_num_threads() == threads and torch.equal(torch.get_rng_state(), dice)
    assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32
    assert sys.float_info.min / 2 > 0


def test_one_thread_is_a_setting_too_and_more_are_never_started():
    assert changes(lambda: torch.set_num_threads(1)) == ["threads"]
    real, seen = torch.get_num_threads(), []
    assert changes(lambda: seen.append((torch.set_num_threads(5), torch.get_num_threads()))) == [
        "threads"
    ]
    assert real == torch.get_num_threads() and seen == [(None, 5)]


def test_threads_that_are_set_back_are_not_named():
    def careful():
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        torch.set_num_threads(before)

    assert changes(careful) == []


def test_a_seed_that_is_set_again_is_named_and_numbers_drawn_are_not():
    assert changes(lambda: torch.manual_seed(torch.initial_seed())) == ["seed"]
    assert changes(torch.rand, 3) == []


def test_it_is_named_also_where_it_stood_so_before():
    """An earlier call may have left it."""
    torch.use_deterministic_algorithms(True)
    try:
        assert changes(SETTINGS["deterministic algorithms"]) == ["deterministic algorithms"]
        assert changes(int) == [] and torch.are_deterministic_algorithms_enabled()
    finally:
        torch.use_deterministic_algorithms(False)


def test_gradients_that_an_earlier_call_has_switched_off_are_named():
    with torch.no_grad():
        assert changes(SETTINGS["gradients"]) == ["gradients"]
        assert changes(int) == [] and not torch.is_grad_enabled()


LEFT = {
    "values": lambda x, layer, items: x.add_(1),
    "values of a parameter": lambda x, layer, items: layer[0].weight.data.zero_(),
    "values in a list": lambda x, layer, items: items[0].mul_(2),
    "requires_grad": lambda x, layer, items: x.requires_grad_(),
    "requires_grad of a parameter": lambda x, layer, items: layer[1].bias.requires_grad_(False),
    ".grad": lambda x, layer, items: setattr(x, "grad", None),
    ".grad of a parameter": lambda x, layer, items: layer.zero_grad(),
    ".grad that grows": lambda x, layer, items: layer[0](x).sum().backward(),
    "modes": lambda x, layer, items: layer[1].eval(),
    "attributes": lambda x, layer, items: setattr(layer[0], "was_training", True),
    "hooks": lambda x, layer, items: layer[0].weight.register_hook(print),
    "hooks of a module": lambda x, layer, items: layer[0].register_forward_hook(print),
    "order": lambda x, layer, items: items.reverse(),
}


@pytest.mark.parametrize("what", LEFT)
def test_what_a_call_leaves_changed_of_what_it_is_given_is_named(what):
    x, items = sample(2, 3, seed=1), [sample(2, seed=2), sample(2, seed=3)]
    layer = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    [name] = {"values", "requires_grad", ".grad", "modes", "order", "hooks", "attributes"} & {
        what.split(" ")[0]
    }
    assert changes(lambda a, b, c: LEFT[what](a, b, c), x, layer, items) == [name]
    assert x.grad is None and layer[0].weight.grad is None


def test_a_gradient_that_is_put_back_as_a_copy_is_as_it_was():
    def measured(x):
        kept = x.grad.clone()
        x.grad = None
        (2 * x).sum().backward()
        x.grad = kept

    x = sample(3, seed=1).requires_grad_()
    assert changes(measured, x) == [] and x.grad is None


def test_a_module_that_is_called_is_looked_at_itself():
    class Forgetful(nn.Linear):
        def forward(self, x):
            self.zero_grad()
            return super().forward(x)

    x = sample(2, 3, seed=1)
    assert changes(Forgetful(3, 2), x) == [".grad"]
    norm = nn.BatchNorm1d(3)
    assert changes(norm, x) == [] and changes(norm.eval(), x) == []
    assert changes(lambda bn: bn.running_mean.add_(1), norm) == ["buffers"]


def test_nothing_is_named_where_all_is_as_it_was():
    def careful(x, *, scale):
        with torch.no_grad(), torch.random.fork_rng():
            torch.manual_seed(3)
        return scale * torch.randn_like(x) + x

    x = sample(3, seed=1)
    x.grad = sample(3, seed=2)
    assert changes(careful, x, scale=2) == []
    assert torch.equal(x.grad, sample(3, seed=2))
    assert changes(careful, x.requires_grad_() * 1, scale=2) == []
    with torch.no_grad():
        assert changes(torch.set_grad_enabled, True) == ["gradients"]
        assert not torch.is_grad_enabled()


def test_what_the_call_raises_is_the_callers_and_all_comes_back():
    def fails(x):
        torch.set_default_dtype(torch.float64)
        raise ZeroDivisionError

    x = sample(3, seed=1)
    with pytest.raises(ZeroDivisionError):
        changes(fails, x)
    assert torch.get_default_dtype() == torch.float32 and x.grad is None


def test_without_torch_it_calls_and_names_nothing(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    called = [2]
    assert changes(called.append, 1) == [] and called == [2, 1]
    assert differs(abs, -1) == [] and differs(called.pop) == ["again"]


# ---- differs -------------------------------------------------------------------------------------


def counts_calls():
    seen = []

    def counts(x):
        seen.append(x)
        return x * len(seen)

    return counts


def one_memory():
    memory = torch.zeros(2, 3)

    def answers(x):
        memory.copy_(x if torch.is_grad_enabled() else -x)
        return memory

    return answers


def one_memory_without_gradients():
    memory = torch.zeros(2, 3)

    def answers(x):
        return x + 0 if torch.is_grad_enabled() else memory.copy_(x)

    return answers


def another_memory():
    memory = torch.zeros(2, 3)
    return lambda x: memory.copy_(x)


OTHERWISE = {
    ("again", "views", ".grad", "no_grad"): counts_calls(),
    (".grad",): lambda x: x if x.grad is None else x + x.grad,
    ("views",): lambda x: x if x.is_contiguous() else x + 1,
    ("no_grad",): lambda x: x if torch.is_grad_enabled() else x + 1,
    ("no_grad", "kept"): one_memory(),
    ("kept",): another_memory(),
    ("kept", ""): one_memory_without_gradients(),
    (): lambda x: (x.sum(0), [x.mean(), 3]),
}


@pytest.mark.parametrize("forms", OTHERWISE)
def test_the_forms_for_which_an_answer_is_another_are_named(forms):
    assert differs(OTHERWISE[forms], sample(2, 3, seed=1)) == [*filter(None, forms)]


def test_inputs_that_are_computed_are_tried_where_they_want_gradients():
    def cut(x):
        return x + 1 if x.is_leaf else x

    x = sample(2, 3, seed=1)
    assert differs(cut, x) == []
    assert differs(cut, x.requires_grad_()) == ["computed"]


def test_a_gradient_of_a_parameter_that_was_there_before_is_tried_and_is_there_again():
    def gathers(layer, x):
        layer(x).sum().backward()
        found, layer.bias.grad = layer.bias.grad, None
        return found

    layer, x = nn.Linear(3, 2), sample(4, 3, seed=1)
    layer.weight.grad = there = sample(2, 3, seed=2)
    assert differs(gathers, layer, x, forms=("again", ".grad")) == [".grad"]
    assert layer.weight.grad is there and layer.bias.grad is None


def test_a_form_can_be_left_out_and_tensors_in_lists_are_changed_too():
    def two(pair):
        return [one if one.is_contiguous() else 2 * one for one in pair]

    pair = (sample(2, seed=1), sample(2, seed=2))
    assert differs(two, pair) == ["views"]
    assert differs(two, pair, forms=("again", "no_grad")) == []
