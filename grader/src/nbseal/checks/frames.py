"""The stack of calls, frame by frame: which are the test cell's, the notebook's, a library's.

A frame tells which instruction it is at, and the instructions before it what is called there.
"""

from __future__ import annotations

import contextlib
import dis
import types
from collections.abc import Sequence
from typing import Any

from .arrays import is_array
from .places import is_course_module, is_notebooks, is_own_file


class Stack:
    """Reads the stack of calls: which frames are the test cell's, the notebook's, a library's."""

    def __init__(self, caller: types.FrameType):
        """caller: the frame of the test cell that called by_hand."""
        self.test_file = caller.f_code.co_filename
        outermost, frame = caller, caller.f_back
        while frame is not None and frame.f_code.co_filename == self.test_file:
            outermost, frame = frame, frame.f_back
        # what runs cells: a cell's statements may be compiled one by one, but it calls all of them
        self.runner = outermost.f_back and outermost.f_back.f_code
        self.targets: list[Any] = []
        self.references: list[Any] = []  # what answer_key blocks have made
        self._known: dict[int, tuple[types.CodeType, bool]] = {}
        self._parts: dict[tuple[int, int], tuple[types.CodeType, list[dis.Instruction]]] = {}

    def counts(self, frame: types.FrameType | None, in_backward: bool = False) -> bool:
        """Whether what is called in this frame is called by what the student wrote.

        in_backward: it is torch's backward pass that is called. What a student's own `backward`
        method does inside of one that the test asked for is the student's own work.
        """
        seen = 0
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return False  # a library that loads another
            if self.is_test(frame):
                if self._is_students(_callee(frame, self.targets, self._part(frame))):
                    return True
                if frame.f_back is None or frame.f_back.f_code is self.runner:
                    return False
            elif frame.f_code.co_name in _PASSES_ON and is_own_file(frame.f_code.co_filename):
                if self._is_students(frame.f_locals.get("function")):
                    return True
            elif (self.is_notebooks(frame) or self._is_method_of_theirs(frame)) and not (
                in_backward and _below_backward(frame)
            ):
                return True
            seen += not is_own_file(frame.f_code.co_filename)
            frame = frame.f_back
        # a thread that the notebook started; torch's own have no Python in them
        return seen > 0

    def _part(self, frame: types.FrameType) -> list[dis.Instruction]:
        """What _called_part says, which takes a while: a backward pass asks for each of its
        operations."""
        code, place = frame.f_code, (id(frame.f_code), frame.f_lasti)
        if place not in self._parts:
            self._parts[place] = code, _called_part(frame)  # with the code, which keeps its number
        return self._parts[place][1]

    def is_direct(self, frame: types.FrameType | None) -> bool:
        """Whether the notebook's code itself makes a call, and no library on its behalf."""
        while frame is not None and frame.f_code.co_filename == contextlib.__file__:
            frame = frame.f_back
        return frame is not None and not self.is_test(frame) and self.is_notebooks(frame)

    def is_test(self, frame: types.FrameType) -> bool:
        """Whether a frame is the test cell's own code."""
        return frame.f_code.co_filename == self.test_file

    def is_notebooks(self, frame: types.FrameType) -> bool:
        """Whether a frame runs code of another cell, or of a file beside the notebook."""
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            known = self._known[id(code)] = code, is_notebooks(code, frame.f_globals)
        return known[1]

    def _is_method_of_theirs(self, frame: types.FrameType) -> bool:
        """Whether a library's method runs for an object whose class the notebook defines."""
        code = frame.f_code
        if not code.co_argcount or code.co_varnames[0] not in ("self", "cls"):
            return False
        first = frame.f_locals.get(code.co_varnames[0])
        return type(first).__module__ == "__main__" or any(first is one for one in self.targets)

    def _is_students(self, value: Any) -> bool:
        """Whether what the test cell calls is the student's work."""
        if value is _MADE_OF_TARGET or any(value is target for target in self.targets):
            return True
        if value is None or any(value is reference for reference in self.references):
            return False
        if isinstance(value, (*_PLAIN_CALLABLES, types.ModuleType)) or is_array(value):
            return False
        return not is_course_module(type(value).__module__)


_MADE_OF_TARGET = object()
_PLAIN_CALLABLES = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
_PASSES_ON = frozenset({"raises", "printed", "changes", "differs"})  # they call a "function"


def _below_backward(frame: types.FrameType) -> bool:
    """Whether torch's backward pass, asked for in Python, stands above a frame."""
    above = frame.f_back
    while above is not None and above.f_code.co_name != "_engine_run_backward":
        above = above.f_back
    return above is not None


def _callee(frame: types.FrameType, targets: Sequence[Any], part: Sequence[dis.Instruction]) -> Any:
    """What the line that a frame is at calls, as far as the student may have made it; part: what
    _called_part says of it.

    The value of a name; _MADE_OF_TARGET for what calling a target has returned; None for what the
    test cell spells itself, such as F.layer_norm or y.backward.
    """
    names = [one for one in part if one.opname.startswith(_LOADS_NAME)]
    if not part or not names:
        return None
    if len(part) == 1 or (len(part) == 2 and part[1].opname.startswith(_LOADS_ATTRIBUTE)):
        return _value(frame, names[0].argval)
    if part[-1].opname.startswith(_LOADS_ATTRIBUTE):
        return None
    values = [_value(frame, one.argval) for one in names]
    if isinstance(values[0], types.ModuleType):  # torch.func.vmap(target): the test's own words
        return None
    return _MADE_OF_TARGET if any(v is t for v in values for t in targets) else None


_LOADS_NAME = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF", "LOAD_CLASSDEREF")
_LOADS_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_NO_PART = ("PUSH", "RESUME", "PRECALL", "KW_NAMES")


def _called_part(frame: types.FrameType) -> list[dis.Instruction]:
    """Where a frame is at a call, the instructions that load what it calls: those that stand where
    the call begins, and end before its arguments."""
    # up to where it is: a place within an instruction's cache is still that instruction
    *before, now = (
        one for one in dis.get_instructions(frame.f_code) if one.offset <= frame.f_lasti
    )
    span_of_call = _span(now)
    if "CALL" not in now.opname or span_of_call is None:
        return []
    begin, end = span_of_call
    spans = [
        (one, span)
        for one in before
        if (span := _span(one)) and not one.opname.startswith(_NO_PART)
    ]
    ends = [span[1] for _, span in spans if span[0] == begin and span[1] < end]
    return [one for one, span in spans if ends and begin <= span[0] and span[1] <= max(ends)]


def _span(instruction: dis.Instruction) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where in the source an instruction comes from: its first and its last place."""
    at = instruction.positions
    if at is None or at.lineno is None or at.col_offset is None:
        return None
    if at.end_lineno is None or at.end_col_offset is None:
        return None
    return (at.lineno, at.col_offset), (at.end_lineno, at.end_col_offset)


def _value(frame: types.FrameType, name: Any) -> Any:
    return frame.f_locals.get(name, frame.f_globals.get(name))


def name_in(caller: types.FrameType, target: Any) -> str:
    """What a test cell that hands a target on calls it."""
    code, own = caller.f_code, str(getattr(target, "__name__", type(target).__name__))
    names = (*code.co_names, *code.co_varnames, *code.co_freevars)
    return next((name for name in names if _value(caller, name) is target), own)


def codes_of(target: Any) -> list[types.CodeType]:
    """The code objects of a function, or of all methods of a class."""
    members = vars(target).values() if isinstance(target, type) else [target]
    functions = (getattr(member, "__func__", member) for member in members)
    return [f.__code__ for f in functions if isinstance(f, types.FunctionType)]
