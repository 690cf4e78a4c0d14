"""torch's modes, by which a watch is told of every operation that torch is asked for."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from .arrays import loaded

if TYPE_CHECKING:
    from .watching import Watch


def entered_modes(watch: Watch) -> list[Any]:
    """What tells a watch of every operation that torch is asked for in this thread."""
    if not loaded("torch"):
        return []
    modes = [mode(watch) for mode in _mode_classes()]
    for mode in modes:
        mode.__enter__()
    return modes


@functools.cache
def _mode_classes() -> tuple[Any, ...]:
    """Both call as little as they can: whatever they call, the watch is told of."""
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    backward_pass = torch._C._current_graph_task_id

    class Asked(TorchFunctionMode):
        """Sees what Python asks for: also operations that torch puts together from others."""

        def __init__(self, watch: Watch):
            super().__init__()
            self.watch = watch

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            try:
                name = function.__name__
            except AttributeError:
                name = ""
            if name == "__get__":  # a tensor's attribute; with its grad_fn one can go backward
                name = getattr(getattr(function, "__self__", None), "__name__", "")
                name = name if name == "grad_fn" else ""
            if name not in self.watch.now.harmless:
                self.watch.asked_torch(name)
            return function(*args, **kwargs) if kwargs else function(*args)

    class Done(TorchDispatchMode):
        """Sees what is done in the end, whoever asked: also compiled code."""

        def __init__(self, watch: Watch):
            super().__init__()  # type: ignore[no-untyped-call]
            self.watch = watch

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # else the first operation loads torch's compiler: 800 modules, 2 s

        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            now = self.watch.now
            if function.__name__ not in now.harmless:
                self.watch.asked_torch(function.__name__)
            if now.no_backward and backward_pass() != -1:
                self.watch.went_backward()
            return function(*args, **kwargs) if kwargs else function(*args)

    return Asked, Done


def stands(mode: Any) -> bool:
    """Whether one of torch's modes is still entered."""
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    asked = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    stacks = asked, _get_current_dispatch_mode_stack()
    return any(mode is one for stack in stacks for one in stack)
