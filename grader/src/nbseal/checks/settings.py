"""torch's settings: what it has one of for a whole process, or for a thread."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_NUMBER = 2**61 - 1  # a seed that nobody sets
_THREADS = 7  # a number of threads that few set


class _Threads:
    """The number of threads, as far as a function may be told and may set it. In a forked process
    more than one would wait for each other forever."""

    def __init__(self) -> None:
        self.number = _THREADS

    def read(self) -> int:
        return self.number

    def write(self, number: int) -> None:
        self.number = int(number)


@contextlib.contextmanager
def _pretended(torch: Any) -> Iterator[_Threads]:
    """Has torch's functions for the number of threads tell and set one that nothing follows."""
    threads, functions = _Threads(), (torch.get_num_threads, torch.set_num_threads)
    torch.get_num_threads, torch.set_num_threads = threads.read, threads.write
    try:
        yield threads
    finally:
        torch.get_num_threads, torch.set_num_threads = functions


class _Setting(NamedTuple):
    name: str
    read: Callable[[], Any]
    write: Callable[[Any], object]
    usual: Any


@contextlib.contextmanager
def usual_settings(torch: Any) -> Iterator[Callable[[], list[str]]]:
    """Lets torch be as it starts, with one thread; the device, and whether gradients are recorded,
    stay. Yields what says which settings are others now, "seed" among them where one was set.
    Afterwards all are as they were before."""
    settings, dice = list(_settings(torch)), torch.get_rng_state()
    before = [setting.read() for setting in settings]

    def changed() -> list[str]:
        names = {setting.name for setting in settings if setting.read() != setting.usual}
        if threads.number != _THREADS:
            names.add("threads")
        # set again, to what it was, it begins from the start
        if torch.initial_seed() != _NUMBER or torch.equal(torch.get_rng_state(), start):
            names.add("seed")
        return sorted(names)

    try:
        for setting in settings:
            _set(setting, setting.usual)
        torch.default_generator.manual_seed(_NUMBER)  # the one that is looked at
        start = torch.get_rng_state()
        torch.rand(())
        with _pretended(torch) as threads:
            yield changed
    finally:
        for setting, value in zip(settings, before):
            _set(setting, value)
        torch.set_rng_state(dice)


def _set(setting: _Setting, value: Any) -> None:
    if setting.read() != value:  # some load parts of torch where they are set
        setting.write(value)


def _settings(torch: Any) -> Iterator[_Setting]:
    records, device = torch.is_grad_enabled(), torch.get_default_device()
    yield _Setting("default device", torch.get_default_device, torch.set_default_device, device)
    yield _Setting("gradients", torch.is_grad_enabled, torch.set_grad_enabled, records)
    yield _Setting(
        "anomaly detection", torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly, False
    )
    yield _Setting("default dtype", torch.get_default_dtype, torch.set_default_dtype, torch.float32)
    yield _Setting("threads", torch.get_num_threads, torch.set_num_threads, 1)
    yield _Setting(
        "deterministic algorithms",
        torch.get_deterministic_debug_mode,
        torch.set_deterministic_debug_mode,
        0,
    )
    yield _Setting(
        "precision of matrix products",
        torch.get_float32_matmul_precision,
        torch.set_float32_matmul_precision,
        "highest",
    )
    yield _Setting(
        "autocast",
        lambda: torch.is_autocast_enabled("cpu"),
        lambda on: torch.set_autocast_enabled("cpu", on),
        False,
    )
    # the processor's, so Python's, too
    yield _Setting(
        "denormal numbers",
        lambda: sys.float_info.min / 2 > 0,
        lambda kept: torch.set_flush_denormal(not kept),
        True,
    )
    cudnn, fast, memory = torch.backends.cudnn, torch.backends.mha, torch.utils.deterministic
    for name in ("benchmark", "deterministic", "enabled", "allow_tf32"):
        usual = name in ("enabled", "allow_tf32")
        yield _Setting(f"cudnn.{name}", *_attribute(cudnn, name), usual)
    yield _Setting("filled memory", *_attribute(memory, "fill_uninitialized_memory"), True)
    threads = torch.autograd.is_multithreading_enabled, torch._C._set_multithreading_enabled
    yield _Setting("threads of backward passes", *threads, True)
    yield _Setting("hooks of all modules", *_hooks_of_all_modules(torch), 0)
    yield _Setting("fast path", fast.get_fastpath_enabled, fast.set_fastpath_enabled, True)
    yield _Setting("warnings", torch.is_warn_always_enabled, torch.set_warn_always, False)
    shown = torch._tensor_str.PRINT_OPTS
    usual_ones = vars(type(shown)())
    yield _Setting("print options", vars(shown).copy, vars(shown).update, usual_ones)


def _hooks_of_all_modules(torch: Any) -> tuple[Callable[[], int], Callable[[int], None]]:
    """What counts them, and what takes those away that have come last."""
    held = vars(torch.nn.modules.module)
    kinds = [held[f"_global_{kind}_hooks"] for kind in ("forward", "forward_pre", "backward")]

    def drop(number: int) -> None:
        for hooks in kinds:
            while hooks and sum(map(len, kinds)) > number:
                hooks.popitem()

    return lambda: sum(map(len, kinds)), drop


def _attribute(owner: Any, name: str) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """What reads and what writes it."""
    return lambda: getattr(owner, name), lambda value: setattr(owner, name, value)
