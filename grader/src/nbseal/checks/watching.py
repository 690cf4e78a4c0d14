"""The watch over by-hand tasks, from by_hand(...) to the end of the cell.

It sees what Python calls (sys.setprofile) and what torch is asked for from anywhere, compiled code
included (torch's modes). What it looks at is the *place* of a call, not its name in the source: a
ready-made operation counts wherever code of the notebook stands above it on the stack, whoever
wrote the lines between.

The test cell's own lines are the one exception: `F.layer_norm(x)` or `y.backward()` in it are the
test's words, and so is all that an answer_key block does. What such a line calls *of the
student's* counts: the target itself, whatever it is, and objects that calling it has made.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .failing import CheckFailed
from .frames import Stack, codes_of, name_in
from .modes import entered_modes, stands
from .operations import Finding, is_forbidden
from .places import is_notebooks, module_of_builtin, module_of_code
from .traps import EARLIER_THREAD, REACHES_PAST, TAKES_OFF, TOLD, Trap

LONGEST_NAME = 60
# the methods in which an object does what its class is named after
_DOES_ITS_WORK = frozenset({"forward", "__call__", "fit_transform", "transform"})
# as they are before a notebook's cells run
_set_profile, _get_profile = sys.setprofile, sys.getprofile


@dataclass
class _Seen:
    """What is known already of what is called, for tasks that must do without the same."""

    no_backward: bool = False
    # id of code -> the code, and the operation that it is
    codes: dict[int, tuple[types.CodeType, tuple[str, str] | None]] = field(default_factory=dict)
    harmless: set[str] = field(default_factory=set)  # names


class Watch:
    """Watches what is called while a test cell runs."""

    def __init__(self) -> None:
        self.tasks: list[tuple[Any, str, tuple[str, ...]]] = []  # target, its name, without
        self.found: dict[str, Finding] = {}  # the first of each kind
        self.stack: Stack | None = None
        self.paused = 0
        self._modes: list[Any] = []
        self._callback = self._profiler()  # one object, so that it can be looked for
        self._before: Any = None
        self._changing = self._hooked = False
        self._seen: dict[tuple[str, ...], _Seen] = {}
        self.now = _Seen()
        self._local = threading.local()

    # ---- its life -----------------------------------------------------------------------------

    def watch(self, target: Any, without: Sequence[str], caller: types.FrameType) -> None:
        """Watch until the cell ends, for this target too. caller: the frame of the test cell."""
        if self.stack is None:
            self._start(caller)
        assert self.stack
        self.stack.targets.append(target)
        self.tasks.append((target, name_in(caller, target), tuple(without)))
        words = tuple(sorted({word for _, _, without in self.tasks for word in without}))
        if words not in self._seen:
            self._seen[words] = _Seen(no_backward=self._forbids("backward"))
        self.now = self._seen[words]

    def _start(self, caller: types.FrameType) -> None:
        self.stack = Stack(caller)
        for thread, frame in sys._current_frames().items():
            if thread != threading.get_ident() and self._holds_notebook(frame):
                self._look(EARLIER_THREAD)
        self._modes = entered_modes(self)
        if not self._hooked:  # Python cannot take one off again, and neither can a student
            self._hooked = True
            traps: dict[Any, str] = {Trap(event, self._told): event for event in TOLD}
            sys.addaudithook(traps.get)
        self._before = _get_profile()
        self._set_profile(self._callback, self._in_thread)
        shell = _shell()
        if shell is not None:
            shell.events.register("post_run_cell", self.release)

    def _set_profile(self, here: Any, in_threads: Any) -> None:
        self._changing = True
        threading.setprofile(in_threads)
        _set_profile(here)
        self._changing = False

    def release(self, *_: Any) -> None:
        """Stop watching; called when the cell that called by_hand has run."""
        if self.stack is None:
            return
        if _get_profile() is self._callback:
            self._set_profile(self._before, None)
        for mode in reversed(self._modes):
            if stands(mode):
                mode.__exit__(None, None, None)
        shell = _shell()
        if shell is not None:
            shell.events.unregister("post_run_cell", self.release)
        self.stack, self.paused, self._modes = None, 0, []
        self.tasks.clear()
        self.found.clear()

    def findings(self) -> list[Finding]:
        """What was seen so far; also that the watch is no longer where it was put."""
        if self.stack is not None and not (
            _get_profile() is self._callback and all(map(stands, self._modes))
        ):
            self._note("off", self.tasks[0][1])
        return list(self.found.values())

    def raise_violation(self, label: str) -> None:
        for finding in self.findings():
            if finding.kind != "looked":
                raise CheckFailed(f"{label}\n  {finding.sentence(self._without(finding.target))}")

    def _without(self, target: str) -> tuple[str, ...]:
        return next(without for _, name, without in self.tasks if name == target)

    # ---- what it sees -------------------------------------------------------------------------

    def _profiler(self) -> Callable[[types.FrameType, str, Any], None]:
        """What Python tells of every call, some ten thousand times in a test: a closure, since
        its own names are found in half the time of an object's."""

        def profile(frame: types.FrameType, event: str, arg: Any) -> None:
            if self.stack is None:
                return
            if event == "call":
                code = frame.f_code
                codes = self.now.codes
                known = codes.get(id(code))
                if known is None:
                    known = codes[id(code)] = code, self._operation(code, frame.f_globals)
                if known[1]:
                    self._called(*known[1], frame.f_back)
            elif event == "c_call":
                name = getattr(arg, "__name__", "")
                if name not in self.now.harmless and self._is_suspect(name):
                    self._called(name, module_of_builtin(arg), frame)

        return profile

    def _is_suspect(self, name: str) -> bool:
        """Whether an operation of this name is to be looked at."""
        suspect = name in TAKES_OFF or self._forbids(name, None)
        if not suspect:
            self.now.harmless.add(name)
        return suspect

    def _in_thread(self, frame: types.FrameType, event: str, arg: Any) -> None:
        """What profiles a thread started meanwhile: torch's modes are of one thread alone."""
        if self.stack is not None and not hasattr(self._local, "modes"):
            self._local.modes = entered_modes(self)
        self._callback(frame, event, arg)

    def asked_torch(self, name: str) -> None:
        """torch is asked for an operation that is not known to be harmless; called by its modes.

        name: of a function, "layer_norm", or of an operation with its overload,
        "native_layer_norm.default"
        """
        operation = name.split(".")[0]
        if not self._is_suspect(operation):
            self.now.harmless.add(name)
        elif self.stack is not None:
            self._called(operation, "torch", sys._getframe(1))

    def went_backward(self) -> None:
        """torch does something in a backward pass; called by its modes."""
        if self.stack is not None:
            self._called("backward", "torch", sys._getframe(1), in_backward=True)

    def _told(self, event: str) -> None:
        """Python tells of what cannot be seen otherwise, or is done before it is seen."""
        if self.stack is None or self._changing:
            return
        self._changing = True
        try:
            if not self.stack.is_direct(sys._getframe(2)):
                return
            if event == "sys.setprofile":
                self._note("off", self.tasks[0][1] if self.tasks else "")
            else:
                self._look(REACHES_PAST[event])
        finally:
            self._changing = False

    # ---- what it makes of it ------------------------------------------------------------------

    def _operation(self, code: types.CodeType, names: Mapping[str, Any]) -> tuple[str, str] | None:
        """Name and module of the ready-made operation that code is, where it is a forbidden one."""
        if code.co_name in TAKES_OFF:
            return code.co_name, "torch"
        # class bodies and modules, which run once while a library is loaded, are no functions
        if not code.co_flags & inspect.CO_OPTIMIZED or is_notebooks(code, names):
            return None
        module = module_of_code(code, names)
        *owners, name = code.co_qualname.replace(".<locals>", "").split(".")
        if self._forbids(name, module):
            return name, module
        if owners and name in _DOES_ITS_WORK and self._forbids(owners[-1], module):
            return owners[-1], module
        if owners and name == "__init__" and self._forbids(owners[-1], ""):
            return owners[-1], module
        return None

    def _forbids(self, name: str, module: str | None = "torch") -> bool:
        return any(is_forbidden(name, without, module) for _, _, without in self.tasks)

    def _called(
        self, name: str, module: str, frame: types.FrameType | None, in_backward: bool = False
    ) -> None:
        """A forbidden operation is about to run; frame: the one that called it."""
        assert self.stack
        if name in TAKES_OFF:
            if self.stack.is_direct(frame):
                self._note("off", self.tasks[0][1])
        elif self.paused or "called" in self.found:
            return
        elif self._forbids(name, module) and self.stack.counts(frame, in_backward):
            self._note("called", self._task_of(frame, name, module), name, module)

    def _task_of(self, frame: types.FrameType | None, name: str, module: str) -> str:
        """The target that is at work, of those that must do without this operation."""
        tasks = [task for task in self.tasks if is_forbidden(name, task[2], module)]
        while frame is not None:
            for target, called, _ in tasks:
                if frame.f_code in codes_of(target):
                    return called
            frame = frame.f_back
        return tasks[0][1]

    def _note(self, kind: str, target: str, what: str = "", module: str = "") -> None:
        finding = Finding(kind, target[:LONGEST_NAME], what[:LONGEST_NAME], module[:LONGEST_NAME])
        self.found.setdefault(kind, finding)

    def _look(self, what: str) -> None:
        self._note("looked", self.tasks[0][1] if self.tasks else "a task", what)

    def _holds_notebook(self, frame: types.FrameType | None) -> bool:
        while frame is not None and self.stack is not None:
            if self.stack.is_notebooks(frame):
                return True
            frame = frame.f_back
        return False

    # ---- answer_key blocks ----------------------------------------------------------------------

    @contextlib.contextmanager
    def pause(self, frame: types.FrameType | None) -> Iterator[None]:
        """While a test cell computes expected values; what that binds is the test's, not the
        student's."""
        while frame is not None and self.stack is not None and not self.stack.is_test(frame):
            if self.stack.is_notebooks(frame):
                break  # not the test cell's own block
            frame = frame.f_back
        if frame is None or self.stack is None or not self.stack.is_test(frame):
            yield
            return
        before, self.paused = dict(frame.f_locals), self.paused + 1
        try:
            yield
        finally:
            self.paused -= 1
            self.stack.references += [
                value for name, value in frame.f_locals.items() if before.get(name) is not value
            ]


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
