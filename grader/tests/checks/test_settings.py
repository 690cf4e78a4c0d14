"""changed_settings: what a call leaves changed in torch."""

import sys

import pytest
import torch
from nbseal.checks import changed_settings, sample

TOUCHES = {
    "seed": lambda: torch.manual_seed(1234),
    "gradients": lambda: torch.set_grad_enabled(False),
    "anomaly detection": lambda: torch.autograd.set_detect_anomaly(True),
    "default dtype": lambda: torch.set_default_dtype(torch.float64),
    "default device": lambda: torch.set_default_device("meta"),
    "threads": lambda: torch.set_num_threads(2),
    "deterministic algorithms": lambda: torch.use_deterministic_algorithms(True, warn_only=True),
    "precision of matrix products": lambda: torch.set_float32_matmul_precision("high"),
    "autocast": lambda: torch.set_autocast_enabled("cpu", True),
    "denormal numbers": lambda: torch.set_flush_denormal(True),
}


@pytest.mark.parametrize("name", TOUCHES)
def test_a_setting_that_is_left_changed_is_named_and_set_back(name):
    threads, dice = torch.get_num_threads(), torch.get_rng_state()
    assert changed_settings(TOUCHES[name]) == [name]
    assert changed_settings(TOUCHES[name]) == [name]
    assert changed_settings(int) == []
    assert torch.get_num_threads() == threads and torch.equal(torch.get_rng_state(), dice)
    assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32
    assert sys.float_info.min / 2 > 0


def test_it_is_named_also_where_it_stood_so_before():
    """An earlier call may have left it."""
    torch.use_deterministic_algorithms(True)
    try:
        assert changed_settings(TOUCHES["deterministic algorithms"]) == ["deterministic algorithms"]
        assert changed_settings(int) == [] and torch.are_deterministic_algorithms_enabled()
    finally:
        torch.use_deterministic_algorithms(False)


def test_nothing_is_named_where_all_is_as_it_was():
    def careful(x, *, scale):
        with torch.no_grad(), torch.random.fork_rng():
            torch.manual_seed(3)
        return scale * torch.randn_like(x)

    assert changed_settings(careful, sample(3, seed=1), scale=2) == []
    with torch.no_grad():
        assert changed_settings(torch.set_grad_enabled, True) == ["gradients"]
        assert not torch.is_grad_enabled()


def test_what_the_call_raises_is_the_callers_and_settings_come_back():
    def fails():
        torch.set_default_dtype(torch.float64)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        changed_settings(fails)
    assert torch.get_default_dtype() == torch.float32


def test_without_torch_it_calls_and_names_nothing(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    called = []
    assert changed_settings(called.append, 1) == [] and called == [1]
