"""What takes the watch off, or reaches past it, and how Python tells of it."""

from __future__ import annotations

from collections.abc import Callable

# Counted where the notebook's own code calls it.
TAKES_OFF = frozenset(
    ("setprofile", "_setprofile", "_pop_mode", "_pop_mode_temporarily", "_disable_current_modes")
    + ("_pop_torch_dispatch_stack", "_pop_torch_function_stack")
)
REACHES_PAST = {
    "gc.get_objects": "searches the objects of the interpreter",
    "gc.get_referrers": "searches the objects of the interpreter",
    "sys._getframe": "reads the frames of its callers",
    "ctypes.dlopen": "uses ctypes",
    "ctypes.dlsym": "uses ctypes",
    "os.fork": "starts a process",
    "os.system": "starts a process",
    "os.posix_spawn": "starts a process",
    "subprocess.Popen": "starts a process",
    "_thread.start_new_thread": "starts a thread past Python's threading",
}
EARLIER_THREAD = "runs a thread that was there before the test"
# All that the watch says for a person to look at.
LOOKED = frozenset({*REACHES_PAST.values(), EARLIER_THREAD})
TOLD = (*REACHES_PAST, "sys.setprofile")


class Trap:
    """The key of a dictionary that tells when somebody looks its event up in there.

    Python hands every event, thousands in a test, to its audit hook. Where that hook is the `get`
    of a dictionary of traps, an event that is none of ours costs no line of Python: of two keys
    only those of equal hash are compared.
    """

    def __init__(self, event: str, tell: Callable[[str], None]):
        self.event, self.tell = event, tell

    def __hash__(self) -> int:
        return hash(self.event)

    def __eq__(self, other: object) -> bool:
        if self is other or other != self.event:
            return self is other
        self.tell(self.event)
        return True
