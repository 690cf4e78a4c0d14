"""The battery for functions of plain Python: calls, errors, iterators; the same call again, and
what it was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from .asking import How, Namespace, Probe, find, read_iterator

KEPT = "You changed what you were given: work on a copy of it."
AGAIN = (
    "The same call gives another answer the second time: keep nothing between two calls "
    "(a default value like [] is made only once)."
)


class Function:
    """A function that the task asks for, of whatever Python has.

    unchanged: what it is given must stay as it is, and that decides points, too
    again: the same call must give the same answer
    """

    def __init__(self, task: Any, name: str, unchanged: bool = False, again: bool = True):
        self.task, self.name, self.unchanged, self.again = task, name, unchanged, again
        self.calls: list[Callable[[], tuple[Sequence[Any], dict[str, Any]]]] = []

    def look(
        self,
        label: str,
        *args: Any,
        otherwise: str | None = None,
        tolerance: float | None = None,
        of: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> None:
        """A call that can be followed by hand. of: what is made of the answer before it is
        compared."""
        probe = self._call(label, lambda: (deepcopy(args), deepcopy(options)), of)
        probe.tolerance = tolerance
        if otherwise:
            probe.sentences["otherwise"] = otherwise

    def case(
        self,
        label: str,
        make: Callable[[], Sequence[Any]],
        tolerance: float | None = None,
        of: Callable[[Any], Any] | None = None,
    ) -> None:
        """A call with what `make` returns, drawn by sample and sample_ids."""
        probe = self._call(label, lambda: (make(), {}), of)
        probe.tolerance, probe.drawn = tolerance, True

    def raises(self, label: str, *args: Any, otherwise: str | None = None, **options: Any) -> None:
        """A call that must fail, with the error that the reference raises."""
        probe = self._call(label, lambda: (deepcopy(args), deepcopy(options)), None)
        probe.raises = True
        if otherwise:
            probe.sentences["otherwise"] = otherwise
        self.calls.pop()

    def _call(self, label: str, make: Callable[[], Any], of: Callable | None) -> Probe:
        def ask(namespace: Namespace, how: How) -> Any:
            args, options = make()
            out = read_iterator(find(namespace, self.name)(*args, **options))
            return of(out) if of else out

        def shown() -> str:
            args, options = make()
            given = [*map(repr, args), *(f"{name}={value!r}" for name, value in options.items())]
            return f"{self.name}({', '.join(given)})"

        self.calls.append(make)
        probe = Probe(label, ask, shown=shown)
        self.task.add(probe)
        return probe

    def battery(self) -> list[Probe]:
        """What holds for every function."""
        told = {"otherwise": KEPT}
        kept = Probe(f"{self.name} leaves what it is given as it is", self._kept, self.unchanged)
        kept.wanted, kept.sentences = [], told
        again = Probe(f"{self.name} gives the same answer to the same call", self._again)
        again.wanted, again.sentences = [], {"otherwise": AGAIN}
        return [kept, again] if self.again else [kept]

    def _kept(self, namespace: Namespace, how: How) -> list[str]:
        found = []
        for make in self.calls:
            (args, options), (before, named) = make(), make()
            read_iterator(find(namespace, self.name)(*args, **options))
            if repr((args, options)) != repr((before, named)):
                found.append(f"{self.name}({', '.join(map(repr, before))})")
        return found

    def _again(self, namespace: Namespace, how: How) -> list[str]:
        found = []
        for make in self.calls:
            answers = []
            for _ in range(2):
                args, options = make()
                answers.append(repr(read_iterator(find(namespace, self.name)(*args, **options))))
            if answers[0] != answers[1]:
                found.append(f"{self.name}({', '.join(map(repr, make()[0]))})")
        return found
