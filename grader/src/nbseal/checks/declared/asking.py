"""Asking an implementation: a probe is a function of a namespace, and what it returns is an answer.

The same probe is asked of the student's code, of the reference and of every declared mistake.
Nothing else is ever compared.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import random
import re
import signal
import sys
import threading
import traceback
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..answers import NotAnAnswer, snapshot
from ..arrays import loaded
from ..inputs import _seed, current_key, set_key

Namespace = Mapping[str, Any]
PUBLIC = "notebook"  # the key that notebooks draw with
SECONDS = 10.0  # of processor time that one probe may take
MOST_ITEMS = 10_000  # that an iterator is asked for
DERIVED = object()  # the reference says what is wanted


@dataclass(frozen=True)
class How:
    """How the reference is asked. wide: in double precision; jiggled: a number, with inputs that
    are off by one rounding. A student's code is asked plainly."""

    wide: bool = False
    jiggled: int = 0


PLAIN = How()


@dataclass
class Probe:
    """One question. core: it decides points; care: it is shown as advice, in a notebook alone.

    drawn     its inputs are drawn with the key, and drawn again when it is graded
    hidden    it is asked when grading alone: a reading, or data held out
    wanted    a criterion or a value, where the reference does not say what is wanted; or a function
              that returns it, where it depends on what is drawn
    raises    the right answer is an error
    shown     the call as a student would write it
    sentences what is told where no mistake explains the answer: by the part of the answer, or by
              the name of what a call changed; "otherwise" for all others
    """

    label: str
    ask: Callable[[Namespace, How], Any]
    core: bool = True
    drawn: bool = False
    hidden: bool = False
    wanted: Any = DERIVED
    tolerance: float | None = None
    raises: bool = False
    shown: Callable[[], str] | None = None
    sentences: dict[str, str] = field(default_factory=dict)

    def said(self) -> Any:
        """What is wanted, where the author says it, drawn with the key of now."""
        return self.wanted() if callable(self.wanted) else self.wanted

    def answer(self, namespace: Namespace, how: How = PLAIN, seconds: float = SECONDS) -> Any:
        """What an implementation answers, as plain data; {"raised": ...} where it fails."""
        try:
            with _quiet(self.label), _at_most(seconds):
                return snapshot(self.ask(namespace, how))
        except NotAnAnswer as error:
            return {"raised": "TypeError", "says": f"the answer is {error}", "where": ""}
        except Exception as error:
            kinds = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins"]
            says = f"{type(error).__name__}: {error}"[:300]
            return {"raised": kinds[0].__name__, "says": says, "where": where_in_cell(error)}


def named(function: Callable) -> Callable[[Namespace, How], Any]:
    """A probe that a task file writes out: its parameters are names of the notebook."""
    wanted = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty
    ]

    def ask(namespace: Namespace, how: How) -> Any:
        return read_iterator(function(*(find(namespace, name) for name in wanted)))

    return ask


def find(namespace: Namespace, name: str) -> Any:
    """What the notebook binds to a name. Raises NameError, as the notebook would."""
    if name not in namespace:
        raise NameError(f"name {name!r} is not defined: run the cell that defines it")
    return namespace[name]


def read_iterator(value: Any) -> Any:
    """The items of a generator or another iterator, the first ones of many."""
    return list(islice(value, MOST_ITEMS)) if isinstance(value, Iterator) else value


def is_raised(answer: Any) -> bool:
    """Whether an answer says that the code failed."""
    return isinstance(answer, Mapping) and "raised" in answer


def likeness(raised: Mapping[str, Any]) -> int:
    """Of an error a number that depends on its text, but for the numbers in it."""
    said = re.sub(r"0x[0-9a-f]+|\d+", "", str(raised.get("says", "")))
    return int(raised.get("like", zlib.crc32(said.encode()) % 10_000))


def where_in_cell(error: BaseException) -> str:
    """The last lines of the notebook's own code in which it was raised."""
    ours = __file__.rpartition("/declared/")[0]
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((ours, sys.prefix, sys.base_prefix))
        and frame.filename != PROBES
    ]
    return "; ".join(f"line {frame.lineno} of {frame.name}" for frame in frames[-2:])


PROBES = "<probes>"  # the name under which task files are compiled


@contextlib.contextmanager
def drawn_with(key: str) -> Iterator[None]:
    """While inputs are drawn with this key."""
    before = current_key()
    set_key(key)
    try:
        yield
    finally:
        set_key(before)


@contextlib.contextmanager
def _quiet(label: str) -> Iterator[None]:
    """Without what the code prints, with gradients recorded, and from a random state that depends
    on key and label alone; afterwards that is as it was."""
    seed, torch, numpy = _seed("probe", label), loaded("torch"), loaded("numpy")
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.callback(random.setstate, random.getstate())
        random.seed(seed)
        if numpy is not None:
            stack.callback(numpy.random.set_state, numpy.random.get_state())
            numpy.random.seed(seed % 2**32)
        if torch is not None:
            stack.callback(torch.set_rng_state, torch.get_rng_state())
            stack.enter_context(torch.enable_grad())
            # torch.manual_seed notes a traceback for each kind of accelerator
            torch.default_generator.manual_seed(seed)
        yield


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the code that is asked, once it has computed for so long. Where no
    signal can be had, on Windows or in a thread, it goes on."""
    here = threading.current_thread() is threading.main_thread()
    if not here or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeoutError(f"no answer after {seconds:g} seconds: is there a loop without an end?")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before or signal.SIG_DFL)
